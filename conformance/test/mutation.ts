/**
 * Breaks one area of the code in every way that Stryker knows, and shows what its fast tests do not notice:
 * `npm run mutation AREA [-- --sample N]`, N stretches of a few lines instead of all of them. It points at missing tests and is no gate.
 * `npm run mutation judge [-- --only FILE|MUTANT]` breaks the reference server instead, and runs the kit against it.
 */

import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../spec/random.ts';
import { judgeTheJudge } from './mutation/judge.ts';

/**
 * Area → a pattern of the files that are broken, and one of the tests, which take a second or two together; the file that
 * notices most comes first in its braces.
 */
const areas: Readonly<Record<string, readonly [mutate: string, tests: string]>> = {
  verdict: ['conformance/verdict/{verdict,outcome}.ts', 'conformance/test/verdict/{verdict,outcome}.test.ts'],
  report: ['conformance/verdict/create-report.ts', 'conformance/test/verdict/create-report.test.ts'],
  waivers: ['conformance/{verdict,options}/waivers.ts', 'conformance/test/{verdict,cli}/waivers.test.ts'],
  reporters: ['conformance/reporters/*.ts', 'conformance/test/reporters/{golden,view,excerpt,chart,hostile}.test.ts'],
  options: [
    'conformance/{options/{options,readers,suggest},cli/{configuration,program}}.ts',
    'conformance/test/cli/grammar.test.ts',
  ],
  observers: ['conformance/sections/{*,*/*}observers.ts', 'conformance/test/sections/{*,*/*}observers*.test.ts'],
  server: [
    'reference-server/{index,limit,operations,answer,socket}.ts',
    'reference-server/test/{operations,limits,gaps,drawn-requests,socket}.test.ts',
  ],
  exchanges: [
    'conformance/http/{read-request,read-response,curl}.ts',
    'conformance/test/http/{read-request,read-response,curl}.test.ts',
  ],
  secrets: ['conformance/http/{redact,secret-names,record}.ts', 'conformance/test/http/{redact,record}.test.ts'],
  traffic: [
    'conformance/traffic/{record,archive,judge-traffic}.ts',
    'conformance/test/traffic/{traffic,archive}.test.ts',
  ],
  relay: ['conformance/traffic/{captured-exchange,relay}.ts', 'conformance/test/traffic/relay.test.ts'],
  pace: ['conformance/run/{pace,rate-limit-state}.ts', 'conformance/test/run/pace.test.ts'],
  pacts: ['pacts/verify/{states,forward,gateway,attempt,broker}.ts', 'pacts/test/{gateway,broker}.test.ts'],
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
const [files, tests] = [globSync(area[0]).sort(), globSync(area[1])];
const results = `reports/mutation/${name}.json`;
// Each mutant is a process or more: what the first compiles, the next need not.
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
  commandRunner: {
    command: tests.map((test) => `node ${test}`).join(' && '),
  },
  reporters: ['clear-text'],
  clearTextReporter: { logTests: false },
  incremental: sample === undefined,
  incrementalFile: results,
  // Stryker sees that a mutated line changed, but not that a test did.
  force: existsSync(results) && tests.some((test) => statSync(test).mtimeMs > statSync(results).mtimeMs),
  // The page holds the source of a script as it stands.
  disableTypeChecks: false,
  concurrency: 2,
  // What hangs is noticed, what a busy machine slows down is not.
  timeoutMS: 20_000,
}).runMutationTest();
