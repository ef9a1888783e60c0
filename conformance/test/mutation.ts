/**
 * Breaks one area of the code in every way that Stryker knows, and shows what its fast tests do not notice:
 * `npm run mutation AREA [-- --only TEXT] [-- --sample N]`: files whose path contains TEXT, or N stretches of a few lines,
 * instead of everything. It points at missing tests and is no gate: the frozen outcome of the self-test, which takes long,
 * notices mutants of a judge that these tests miss.
 * `npm run mutation judge [-- --only FILE|MUTANT]` breaks the reference server instead, and runs the kit against it.
 */

import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../spec/random.ts';
import { judgeTheJudge } from './mutation/judge.ts';

/** Area → a pattern of the files that are broken, and those of their tests: what notices most, and what is fast, comes first. */
const areas: Readonly<Record<string, readonly [mutate: string, ...tests: string[]]>> = {
  server: [
    'reference-server/{index,limit,operations,answer,socket}.ts',
    'reference-server/test/{operations,limits,gaps,drawn-requests,socket}.test.ts',
  ],
  http: [
    'conformance/http/!(exchange|tolerances).ts',
    'conformance/test/http/{read-response,read-request,documented,curl,redact,mask,record,json,concurrency,credentials,transport,network,values}.test.ts',
  ],
  world: ['conformance/world/*.ts', 'conformance/test/world/*.test.ts', 'conformance/test/sections/**/*.test.ts'],
  run: [
    'conformance/run/*.ts',
    'conformance/test/run/{planner,confirm,pace,waits,quotas,rate-limit-state,ask,core-evidence,stop,planned-request,session,judge,suite,resend,smaller-requests,side-by-side,budget,recheck,judge-work,run,first-answers,preflight}.test.ts',
    'conformance/test/sections/coverage.test.ts',
    'conformance/test/library/library.test.ts',
  ],
  sections: [
    'conformance/sections/**/*.ts',
    'conformance/test/sections/**/*.test.ts',
    'conformance/test/run/{confirm,core-evidence,pace,budget,recheck}.test.ts',
    'conformance/test/traceability.test.ts',
  ],
  verdict: ['conformance/verdict/{*,remedies/index}.ts', 'conformance/test/verdict/*.test.ts'],
  reporters: [
    'conformance/reporters/*.ts',
    'conformance/test/reporters/{story,escape,compare,waivers,view,excerpt,chart,hostile,profile}.test.ts',
  ],
  cli: [
    'conformance/{options/*,cli/{configuration,program,outputs,progress,read-pacts}}.ts',
    'conformance/test/cli/*.test.ts',
  ],
  clients: ['conformance/clients/*.ts', 'conformance/test/clients/{judges,compatibility,proof}.test.ts'],
  pacts: ['pacts/{*,verify/*}.ts', 'pacts/test/{pact,gateway,broker,verify}.test.ts'],
  traffic: ['conformance/traffic/*.ts', 'conformance/test/traffic/*.test.ts'],
};

/** Lines that are broken together where an area is sampled: a mutant that spans more is left out. */
const stretch = 12;

function drawStretches(files: readonly string[], count: number): readonly string[] {
  const random = seededRandom(1);
  const stretches = files.flatMap((file) => {
    const lines = readFileSync(file, 'utf8').split('\n').length;
    return Array.from({ length: Math.ceil(lines / stretch) }, (_, at) => {
      return { order: random(), range: `${file}:${at * stretch + 1}-${(at + 1) * stretch}` };
    });
  });
  return stretches
    .toSorted((one, other) => one.order - other.order)
    .slice(0, count)
    .map(({ range }) => range);
}

const { values, positionals } = parseArgs({
  options: { sample: { type: 'string' }, only: { type: 'string' } },
  allowPositionals: true,
});
const [name = ''] = positionals;
if (name === 'judge') {
  process.exit((await judgeTheJudge(values.only)) ? 0 : 1);
}
const area = areas[name];
if (area === undefined) {
  console.error(`The area is one of judge, ${Object.keys(areas).join(', ')}, not "${name}".`);
  process.exit(2);
}
const [mutated, ...patterns] = area;
const files = globSync(mutated)
  .filter((file) => file.includes(values.only ?? ''))
  .sort();
const tests = patterns.flatMap((pattern) => globSync(pattern));
const results = `reports/mutation/${name}.json`;
// Each process compiles the same files: what the first compiles, the next need not.
process.env['NODE_COMPILE_CACHE'] = resolve('reports/mutation/cache');
const sample = values.sample === undefined ? undefined : Number(values.sample);
/** The part of Stryker that is used here. Its own types would add several packages to every type check. */
interface StrykerModule {
  readonly Stryker: new (
    options: Readonly<Record<string, unknown>>,
  ) => { readonly runMutationTest: () => Promise<unknown> };
}

const strykerPackage: string = '@stryker-mutator/core';
const { Stryker } = (await import(strykerPackage)) as StrykerModule;
await new Stryker({
  mutate: sample === undefined ? files : [...drawStretches(files, sample)],
  plugins: [resolve('conformance/test/mutation/uvu-runner.ts')],
  testRunner: 'uvu',
  uvu: { files: tests },
  coverageAnalysis: 'perTest',
  reporters: ['clear-text'],
  clearTextReporter: { logTests: false, reportTests: false },
  incremental: sample === undefined,
  // Stryker keeps survivors of constants although tests have changed, so what is named is broken anew.
  force: values.only !== undefined,
  incrementalFile: results,
  // The page holds the source of a script as it stands.
  disableTypeChecks: false,
  concurrency: 2,
  // Test modules that were loaded anew stay in memory until the process ends.
  maxTestRunnerReuse: 200,
  // What hangs is noticed, what a busy machine slows down is not.
  timeoutMS: 5_000,
}).runMutationTest();
