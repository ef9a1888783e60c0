/**
 * Runs every test file, some of them in one process, and trusts no green that ran too few tests. The kinds of files stand
 * on the command line: `test`, which is usual, and `package`, which installs what is published and takes npm's registry.
 * With the tests go the npm scripts that check types and form.
 */

import { exec, spawn } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve as resolvePath } from 'node:path';
import { bundleKit } from '../packaging/bundle.ts';
import { chromiumAdvice, findChromium } from './reporters/chromium.ts';

/** Fewer than this many tests means that some did not run. Raise it as tests are added. */
const fewestTests: Readonly<Record<string, number>> = { test: 1200, package: 30 };
/** Two more than the two cores of a small machine: some files wait for what they start. */
const atATime = 4;
/** So many files share a process: to start one takes longer than most of them. */
const filesInProcess = 16;
/** Each uses one processor, so they run beside the tests. */
const checkScripts = ['types', 'lint', 'lint:interface'];
/** Milliseconds after which a process counts as hanging, however busy the machine is: on a quiet one none takes a tenth. */
const timeLimitMs = 1_200_000;
/**
 * These take longest or start other programs, so they start first, each in a process of its own: the run then does not end
 * with one of them alone.
 */
const slowFiles = [
  'proof/self-test',
  'pacts/test/',
  'neighbours/',
  'run-command',
  'second-judge',
  ...['interruption', 'observe', 'client', 'cli', 'canary', 'last-resort', 'start', 'last-failed'].map(
    (name) => `cli/commands/${name}.test.ts`,
  ),
  'clients/proof',
  'uvu-suite',
  'test/ci/',
  'browser',
  '.package.ts',
];
/** Many tests start the command: what one start compiles, the next need not. */
const compileCache = mkdtempSync(join(tmpdir(), 'petstore-conformance-cache-'));
const buildFolder = join(import.meta.dirname, '../../build');
mkdirSync(buildFolder, { recursive: true });
/** The command as tests start it, bundled. It lies in the repository, since it loads optional packages from there. */
const bundleFolder = mkdtempSync(join(buildFolder, 'bundle-'));

/** uvu counts a skipped test, as that of a shell that a machine lacks, in neither. */
interface Outcome {
  readonly total: number;
  readonly passed: number;
  readonly isSound: boolean;
}

function numberAfter(label: string, output: string): number {
  return Number(new RegExp(`${label}:\\s+(\\d+)`).exec(output)?.[1] ?? 0);
}

/**
 * Runs files in one process. uvu exits with 0 when a hook throws before any test: what it counts has to add up, and every
 * file must have run a test at least.
 */
function runFiles(files: readonly string[]): Promise<Outcome> {
  const start = performance.now();
  const [first = ''] = files;
  const name = files.length === 1 ? first : `${first} and ${files.length - 1} more`;
  const kit = { NODE_COMPILE_CACHE: compileCache, KIT_UNDER_TEST: join(bundleFolder, 'petstore-conformance.js') };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'run-files.ts'), ...files], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...kit },
      timeout: timeLimitMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('close', (code, signal) => {
      const [total, passed] = [numberAfter('Total', output), numberAfter('Passed', output)];
      const suites = [...output.matchAll(/\(\d+ \/ [1-9]\d*\)/g)].length;
      const isSound = code === 0 && total > 0 && total === passed && suites >= files.length;
      const reason = isSound
        ? ''
        : `; ended by ${signal ?? `exit code ${code}`}, ${suites} of ${files.length} files ran a test`;
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`${isSound ? 'ok  ' : 'FAIL'} ${name}: ${passed} of ${total}, ${seconds} s${reason}`);
      if (!isSound) console.log(output);
      resolve({ total, passed, isSound });
    });
  });
}

const { scripts: commands } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};

/** Resolves with whether an npm script ends with 0; npm itself would take longer than some of them. */
function runScript(script: string): Promise<boolean> {
  const env = { ...process.env, PATH: [resolvePath('node_modules/.bin'), process.env['PATH']].join(delimiter) };
  return new Promise((resolve) => {
    exec(commands[script]!, { env }, (error, stdout, stderr) => {
      console.log(`${error === null ? 'ok  ' : 'FAIL'} npm run ${script}`);
      if (error !== null) console.log(stdout + stderr);
      resolve(error === null);
    });
  });
}

const named = process.argv.slice(2);
const kinds = named.length === 0 ? ['test'] : named;
const found = kinds.flatMap((kind) => globSync(`{spec,reference-server,conformance,pacts}/**/*.${kind}.ts`).sort());
/** Files that need a browser are left out where a developer has none. CI must have one, and fails without it. */
const isLeftOut = (file: string): boolean =>
  file.endsWith('-browser.test.ts') && findChromium() === undefined && !process.env['CI'];
const files = found.filter((file) => !isLeftOut(file));
/** In the order of the list. */
const slow = [...new Set(slowFiles.flatMap((name) => files.filter((file) => file.includes(name))))];
const others = files.filter((file) => !slow.includes(file));
const processes = Math.ceil(others.length / filesInProcess);
const batches = [
  ...slow.map((file): readonly string[] => [file]),
  // Files of one folder take alike, so each process gets some of every folder.
  ...Array.from({ length: processes }, (_nothing, at) => others.filter((_file, place) => place % processes === at)),
];
const queue = batches.values();
const scripts = (kinds.includes('test') ? checkScripts : []).values();
let failedScripts = 0;
const outcomes: Outcome[] = [];
async function work(): Promise<void> {
  for (const script of scripts) if (!(await runScript(script))) failedScripts += 1;
  for (const batch of queue) outcomes.push(await runFiles(batch));
}
await bundleKit(`${bundleFolder}/`);
await Promise.all(Array.from({ length: atATime }, work));
for (const folder of [compileCache, bundleFolder]) rmSync(folder, { recursive: true });

const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
const failed = outcomes.reduce((sum, outcome) => sum + outcome.total - outcome.passed, 0);
const unsound = outcomes.filter((outcome) => !outcome.isSound);
const expected = kinds.reduce((sum, kind) => sum + (fewestTests[kind] ?? 1), 0);
const isTooFew = passed < expected;
if (isTooFew) console.log(`Only ${passed} tests ran, ${expected} are expected.`);
// A file that fell before it could count is a failure too.
const counted = Math.max(failed, unsound.length) + failedScripts + (isTooFew ? 1 : 0);
const leftOut = found.filter(isLeftOut);
if (leftOut.length > 0) console.log(`Left out without a Chromium (${chromiumAdvice}): ${leftOut.join(', ')}`);
console.log(`${passed} passed, ${counted} failed`);
process.exitCode = counted === 0 ? 0 : 1;
