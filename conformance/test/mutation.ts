/**
 * Breaks one area of the code in every way that Stryker knows, and shows what its fast tests do not notice:
 * `npm run mutation AREA [-- --sample N]`, N stretches of a few lines instead of all of them. It points at missing tests and is no gate.
 * `npm run mutation judge [-- --only FILE|MUTANT]` breaks servers instead, and runs the kit against them.
 */

import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../spec/random.ts';
import { judgeTheJudge } from './mutation/judge.ts';

interface Area {
  /** Patterns of the files that are broken. */
  readonly mutate: readonly string[];
  /** Patterns of tests that take a second or two together; the one that notices most comes first. */
  readonly tests: readonly string[];
}

const areas: Readonly<Record<string, Area>> = {
  verdict: {
    mutate: ['conformance/verdict/verdict.ts', 'conformance/verdict/outcome.ts'],
    tests: ['conformance/test/verdict/verdict.test.ts', 'conformance/test/verdict/outcome.test.ts'],
  },
  report: {
    mutate: ['conformance/verdict/create-report.ts'],
    tests: ['conformance/test/verdict/create-report.test.ts'],
  },
  waivers: {
    mutate: ['conformance/verdict/waivers.ts', 'conformance/options/waivers.ts'],
    tests: ['conformance/test/verdict/waivers.test.ts', 'conformance/test/cli/waivers.test.ts'],
  },
  reporters: {
    mutate: ['conformance/reporters/*.ts'],
    tests: [...['golden', 'view', 'excerpt', 'chart', 'hostile']].map(
      (name) => `conformance/test/reporters/${name}.test.ts`,
    ),
  },
  options: {
    mutate: ['conformance/options/{options,readers,suggest}.ts', 'conformance/cli/{configuration,program}.ts'],
    tests: ['conformance/test/cli/grammar.test.ts'],
  },
  observers: {
    mutate: ['conformance/sections/*observers.ts', 'conformance/sections/*/*observers.ts'],
    tests: ['conformance/test/sections/*observers*.test.ts', 'conformance/test/sections/*/*observers.test.ts'],
  },
  server: {
    mutate: ['index', 'limit', 'operations', 'answer', 'socket'].map((name) => `reference-server/${name}.ts`),
    tests: ['operations', 'limits', 'gaps', 'drawn-requests', 'socket'].map(
      (name) => `reference-server/test/${name}.test.ts`,
    ),
  },
  exchanges: {
    mutate: ['read-request', 'read-response', 'curl'].map((name) => `conformance/http/${name}.ts`),
    tests: ['read-request', 'read-response', 'curl'].map((name) => `conformance/test/http/${name}.test.ts`),
  },
  secrets: {
    mutate: ['redact', 'secret-names', 'record'].map((name) => `conformance/http/${name}.ts`),
    tests: ['conformance/test/http/redact.test.ts', 'conformance/test/http/record.test.ts'],
  },
  traffic: {
    mutate: ['record', 'archive', 'judge-traffic', 'missing-animals', 'trust'].map(
      (name) => `conformance/traffic/${name}.ts`,
    ),
    tests: ['traffic', 'archive'].map((name) => `conformance/test/traffic/${name}.test.ts`),
  },
  relay: {
    mutate: ['captured-exchange', 'relay'].map((name) => `conformance/traffic/${name}.ts`),
    tests: ['conformance/test/traffic/relay.test.ts'],
  },
  pace: {
    mutate: ['conformance/run/pace.ts', 'conformance/run/rate-limit-state.ts'],
    tests: ['conformance/test/run/pace.test.ts'],
  },
  pacts: {
    mutate: ['states', 'forward', 'gateway', 'attempt', 'broker'].map((name) => `pacts/verify/${name}.ts`),
    tests: ['gateway', 'broker'].map((name) => `pacts/test/${name}.test.ts`),
  },
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

/** Stryker sees that a mutated line changed, but not that a test did. */
function isOutdated(results: string, tests: readonly string[]): boolean {
  return existsSync(results) && tests.some((test) => statSync(test).mtimeMs > statSync(results).mtimeMs);
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
const files = area.mutate.flatMap((pattern) => globSync(pattern).sort());
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
    command: area.tests
      .flatMap((pattern) => globSync(pattern).sort())
      .map((test) => `node ${test}`)
      .join(' && '),
  },
  reporters: ['clear-text'],
  clearTextReporter: { logTests: false },
  incremental: sample === undefined,
  incrementalFile: results,
  force: isOutdated(results, area.tests),
  // The page holds the source of a script as it stands.
  disableTypeChecks: false,
  concurrency: 2,
  // What hangs is noticed, what a busy machine slows down is not.
  timeoutMS: 20_000,
}).runMutationTest();
