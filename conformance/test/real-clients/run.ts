/**
 * Judges clients on real stacks, each with the verdict that it must get: node conformance/test/real-clients/run.ts
 * [PATTERN]. A client whose runtime or package is missing is skipped. CLIENT_PACKAGES names a folder with packages of npm
 * (`--install` installs them there), CLIENT_PYTHON a Python with packages, CLIENT_RUNS how often each client runs at most.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sentenceOf } from '../../verdict/failure.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { type Expectation, type RealClient, realClients } from './clients.ts';

const folder = mkdtempSync(join(tmpdir(), 'petstore-real-clients-'));
const cli = new URL('../../cli.ts', import.meta.url).pathname;
const { CLIENT_RUNS: mostRuns = '45', CLIENT_PACKAGES: packages } = process.env;

const packageNames =
  'axios axios-retry node-fetch undici got ky superagent ofetch needle p-retry opossum make-fetch-happen zod ajv json-bigint lossless-json openapi-fetch p-queue wretch';

/** How the verdicts on a client differ from those that it must get. */
function complaintsAbout({ fails = [], warns = [], mayWarn = [] }: Expectation, report: Report): readonly string[] {
  const verdictOf = new Map(report.requirements.map(({ id, verdict }) => [id as string, verdict]));
  const allowed = { fail: new Set<string>(fails), warn: new Set<string>([...warns, ...mayWarn]) };
  const unexpected = report.requirements
    .filter(({ id, verdict }) => (verdict === 'fail' || verdict === 'warn') && !allowed[verdict].has(id))
    .map(({ id, verdict, failures }) => `${verdict} ${id}: ${sentenceOf(failures[0]!)}`);
  const missed = [
    ...fails.filter((id) => verdictOf.get(id) !== 'fail'),
    ...warns.filter((id) => verdictOf.get(id) !== 'warn'),
  ].map((id) => `not found: ${id} (${verdictOf.get(id)})`);
  const unjudged = report.verdict === 'inconclusive' ? [`inconclusive: ${reasonInWords(report.reason)}`] : [];
  return [...unexpected, ...missed, ...unjudged];
}

const built = new Set<string>();

/** Compiles a client once; gives what went wrong. */
function build({ build: command }: RealClient): string | undefined {
  if (command === undefined || built.has(command.join())) return undefined;
  built.add(command.join());
  const [program, ...words] = command;
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  return status === 0 ? undefined : stderr;
}

function judge(client: RealClient): readonly string[] {
  const broken = build(client);
  if (broken !== undefined) return [broken];
  const output = join(folder, client.name.replace(/[^a-z0-9]+/gi, '-'));
  const file = `${output}.json`;
  const options = ['--reporter', `json=${file}`, '--seed', '1', '--runs', mostRuns, '--quiet', '--output', output];
  const { stderr } = spawnSync(process.execPath, [cli, 'client', ...options, '--', ...client.command], {
    encoding: 'utf8',
  });
  try {
    return complaintsAbout(client, JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return [stderr];
  }
}

const isInstalling = process.argv[2] === '--install';
if (isInstalling) {
  if (packages === undefined) throw new Error('CLIENT_PACKAGES names no folder.');
  spawnSync('npm', ['install', '--prefix', packages, '--no-save', ...packageNames.split(' ')], { stdio: 'inherit' });
}
const pattern = new RegExp((isInstalling ? process.argv[3] : process.argv[2]) ?? '');
let [judged, wrong, skipped] = [0, 0, 0];
for (const client of realClients(folder).filter(({ name }) => pattern.test(name))) {
  const missing = client.missing();
  if (missing !== undefined) {
    skipped += 1;
    console.log(`skipped  ${client.name}: there is no ${missing}`);
    continue;
  }
  const startedAt = performance.now();
  const complaints = judge(client);
  judged += 1;
  if (complaints.length > 0) wrong += 1;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${complaints.length === 0 ? 'ok     ' : 'WRONG  '}  ${client.name} (${seconds} s)`);
  for (const complaint of complaints) console.log(`    ${complaint}`);
}
console.log(`${judged} clients judged, ${wrong} wrongly, ${skipped} skipped; their output is in ${folder}`);
process.exitCode = wrong === 0 ? 0 : 1;
