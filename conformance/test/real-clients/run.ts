/**
 * Judges clients on real stacks, each with the verdict that it must get: node conformance/test/real-clients/run.ts
 * [PATTERN]. A stack whose runtime or package is missing is skipped; CLIENT_PACKAGES names a folder with packages of npm,
 * CLIENT_PYTHON a Python with packages.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../verdict/report.ts';

type Way = 'careful' | 'defaults' | 'expects-order' | 'tests-refusals' | 'gets-by-id';

interface Stack {
  readonly name: string;
  readonly command: readonly string[];
  readonly ways: readonly Way[];
  readonly isInstalled: () => boolean;
}

const here = (file: string): string => new URL(file, import.meta.url).pathname;
const { CLIENT_PACKAGES: packages, CLIENT_PYTHON: python = 'python3' } = process.env;

/** Requirements that must fail; warnings that may come. A careful client gets no warning at all. */
const expected: Readonly<Record<Way, { readonly fails: readonly string[]; readonly mayWarn: RegExp }>> = {
  careful: { fails: [], mayWarn: /^$/ },
  defaults: { fails: [], mayWarn: /^client-(goes-on|waits|backs-off|no-hammering|remaining)$/ },
  'expects-order': { fails: ['any-list-order'], mayWarn: /^$/ },
  'tests-refusals': { fails: [], mayWarn: /^$/ },
  'gets-by-id': { fails: [], mayWarn: /^client-(deprecated|waits|remaining|goes-on)$|^any-after-removal$/ },
};

const most: readonly Way[] = ['careful', 'defaults', 'expects-order', 'tests-refusals'];

function answers(program: string, ...words: readonly string[]): boolean {
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0;
}

function hasPackage(name: string): boolean {
  return [import.meta.url, ...(packages === undefined ? [] : [`${packages}/package.json`])].some((from) => {
    try {
      return createRequire(from).resolve(name) !== '';
    } catch {
      return false;
    }
  });
}

function onNode(name: string, ways: readonly Way[], isInstalled = () => hasPackage(name)): Stack {
  return { name, command: [process.execPath, here('node-client.mjs'), name], ways, isInstalled };
}

function onPython(name: string, ways: readonly Way[], module = name): Stack {
  const isInstalled = (): boolean => answers(python, '-c', `import ${module}`);
  return { name, command: [python, here('python-client.py'), name], ways, isInstalled };
}

function elsewhere(name: string, program: string, file: string, ways: readonly Way[], check = '--version'): Stack {
  return { name, command: [program, here(file), name], ways, isInstalled: () => answers(program, check) };
}

const always = (): boolean => true;
const stacks: readonly Stack[] = [
  onNode('fetch', [...most, 'gets-by-id'], always),
  onNode('node:http', most, always),
  onNode('axios', [...most, 'gets-by-id']),
  onNode('node-fetch', ['careful', 'defaults', 'gets-by-id']),
  onNode('undici', ['careful', 'defaults', 'gets-by-id']),
  onNode('got', [...most, 'gets-by-id']),
  onNode('ky', ['careful', 'defaults', 'gets-by-id']),
  onNode('superagent', ['careful', 'defaults', 'gets-by-id']),
  onNode('ofetch', ['careful', 'defaults']),
  onNode('needle', ['careful', 'defaults']),
  onPython('urllib', most, 'urllib.request'),
  onPython('http.client', ['careful', 'defaults']),
  onPython('requests', [...most, 'gets-by-id']),
  onPython('requests+Retry', ['defaults'], 'requests'),
  onPython('urllib3', ['careful', 'defaults']),
  onPython('httpx', ['careful', 'defaults', 'gets-by-id']),
  elsewhere('curl', 'bash', 'shell-client.sh', most),
  elsewhere('curl-retry', 'bash', 'shell-client.sh', ['defaults']),
  elsewhere('wget', 'bash', 'shell-client.sh', ['careful', 'defaults']),
  elsewhere('HTTP::Tiny', 'perl', 'perl-client.pl', most),
  elsewhere('HttpClient', 'java', 'JavaClient.java', ['careful', 'defaults']),
  elsewhere('HttpURLConnection', 'java', 'JavaClient.java', ['careful', 'expects-order']),
  { ...elsewhere('tcl', 'tclsh', 'tcl-client.tcl', most), isInstalled: () => answers('which', 'tclsh') },
];

const folder = mkdtempSync(join(tmpdir(), 'petstore-real-clients-'));
const cli = new URL('../../cli.ts', import.meta.url).pathname;

/** The ids of the requirements with a verdict. */
function idsWith({ requirements }: Report, verdict: string): readonly string[] {
  return requirements.filter((one) => one.verdict === verdict).map(({ id }) => id);
}

/** What is wrong with the verdict on a client; undefined if nothing is. */
function complaintAbout(way: Way, report: Report): string | undefined {
  const { fails, mayWarn } = expected[way];
  const failed = idsWith(report, 'fail');
  const warned = idsWith(report, 'warn').filter((id) => !mayWarn.test(id));
  const messages = report.requirements
    .filter(({ id }) => (failed.includes(id) && !fails.includes(id)) || warned.includes(id))
    .map(({ id, failures }) => `${id}: ${failures[0]?.message}`);
  if (messages.length > 0) return messages.join('\n    ');
  const missed = fails.filter((id) => !failed.includes(id));
  if (missed.length > 0) return `not found: ${missed.join(', ')}`;
  return report.verdict === 'inconclusive' ? report.reason : undefined;
}

function judge({ name, command }: Stack, way: Way): string | undefined {
  const file = join(folder, 'report.json');
  const options = [
    '--reporter',
    `json=${file}`,
    '--seed',
    '1',
    '--runs',
    '45',
    '--quiet',
    '--output',
    join(folder, name),
  ];
  const { stderr } = spawnSync(process.execPath, [cli, 'client', ...options, '--', ...command, way], {
    encoding: 'utf8',
  });
  try {
    return complaintAbout(way, JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return stderr;
  }
}

const pattern = new RegExp(process.argv[2] ?? '');
let [judged, wrong] = [0, 0];
for (const stack of stacks) {
  if (!stack.isInstalled()) {
    console.log(`skipped  ${stack.name}: not installed`);
    continue;
  }
  for (const way of stack.ways.filter((one) => pattern.test(`${stack.name} ${one}`))) {
    const startedAt = performance.now();
    const complaint = judge(stack, way);
    judged += 1;
    if (complaint !== undefined) wrong += 1;
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    console.log(
      `${complaint === undefined ? 'ok     ' : 'WRONG  '}  ${stack.name} ${way} (${seconds} s)${complaint === undefined ? '' : `\n    ${complaint}`}`,
    );
  }
}
console.log(`${judged} clients judged, ${wrong} wrongly`);
process.exitCode = wrong === 0 ? 0 : 1;
