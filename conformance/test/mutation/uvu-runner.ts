/**
 * Lets Stryker run uvu tests one by one inside its own process. A mutant then takes the milliseconds of the tests that
 * execute its line, and no start of Node. Stryker loads this file as a plugin; the option `uvu.files` names the test files.
 */

import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type CollectedTest, collectTests } from './collect-tests.ts';

/** The part of Stryker's interface of test runners that is used here; `stryker` has the numbers of its enumerations. */
interface TestResult {
  readonly id: string;
  readonly name: string;
  readonly fileName: string;
  readonly timeSpentMs: number;
  readonly status: number;
  readonly failureMessage?: string;
}
interface MutantRunOptions {
  readonly testFilter?: readonly string[];
  readonly hitLimit?: number;
  readonly activeMutant: { readonly id: string };
  readonly mutantActivation: 'runtime' | 'static';
}
interface Options {
  readonly uvu: { readonly files: readonly string[] };
}
const stryker = { passed: 0, failed: 1 };

/** How often a test, or code outside of tests, executed each mutant. */
type Hits = Record<string, number>;
interface Coverage {
  readonly static: Hits;
  readonly perTest: Record<string, Hits>;
}

/** What the instrumented code reads and writes: which mutant is active, which test runs, and which mutants it executed. */
interface Instrumentation {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: Coverage;
}
const global = globalThis as { __stryker__?: Instrumentation };
global.__stryker__ ??= {};
const instrumentation = global.__stryker__;

/** Modules of tests are loaded anew for each mutant: results that are cached for their exchanges belong to another one. */
let generation = 0;
/** The JavaScript of these modules: to remove their types takes longer than to load them. */
const scripts = new Map<string, string>();

function scriptOf(path: string): string {
  const script = scripts.get(path) ?? stripTypeScriptTypes(readFileSync(path, 'utf8'));
  scripts.set(path, script);
  return script;
}

registerHooks({
  resolve: (specifier, context, nextResolve) => {
    if (specifier === 'uvu') return { url: new URL('collect-tests.ts', import.meta.url).href, shortCircuit: true };
    const resolved = nextResolve(specifier, context);
    const isOfTests = /^file:.*\/test\/.*\.ts$/.test(resolved.url) && !resolved.url.includes('/node_modules/');
    return isOfTests ? { ...resolved, url: `${resolved.url}?generation=${generation}` } : resolved;
  },
  load: (url, context, nextLoad) => {
    if (!url.includes('?generation=')) return nextLoad(url, context);
    return { format: 'module', source: scriptOf(fileURLToPath(url)), shortCircuit: true };
  },
});

/** A file of tests prepares evidence while it is loaded. That counts as a test of its own, on which all its tests rest. */
const loadingOf = (file: string): string => `${file}: is loaded`;

function loadTests(files: readonly string[]): Promise<readonly CollectedTest[]> {
  generation += 1;
  return collectTests(files, async (file) => {
    instrumentation.currentTestId = loadingOf(file);
    await import(pathToFileURL(resolve(file)).href);
    instrumentation.currentTestId = undefined;
  });
}

/** The mutants that only the first load of all modules executes: they are in code that runs once, outside of functions. */
function mutantsOfConstants(first: Coverage, again: Coverage): Hits {
  const sumOf = ({ perTest }: Coverage, mutant: string): number =>
    Object.values(perTest).reduce((sum, hits) => sum + (hits[mutant] ?? 0), 0);
  const ids = new Set(Object.values(first.perTest).flatMap((hits) => Object.keys(hits)));
  const ofConstants = [...ids].filter((id) => sumOf(first, id) > sumOf(again, id));
  return Object.fromEntries(ofConstants.map((id) => [id, 1]));
}

/** The coverage so far; the next one begins empty. */
function takeCoverage(): Coverage {
  const known = instrumentation.mutantCoverage;
  if (known === undefined) return { static: {}, perTest: {} };
  const taken = { static: { ...known.static }, perTest: { ...known.perTest } };
  for (const hits of [known.static, known.perTest]) for (const name of Object.keys(hits)) delete hits[name];
  return taken;
}

async function runTest(test: CollectedTest): Promise<TestResult> {
  const start = performance.now();
  instrumentation.currentTestId = test.id;
  const failureMessage = await Promise.resolve()
    .then(() => test.run())
    .then(
      () => undefined,
      (error: unknown) => String(error),
    );
  instrumentation.currentTestId = undefined;
  const result = { id: test.id, name: test.name, fileName: test.file, timeSpentMs: performance.now() - start };
  if (failureMessage === undefined) return { ...result, status: stryker.passed };
  return { ...result, status: stryker.failed, failureMessage };
}

class UvuRunner {
  static readonly inject = ['options'];
  readonly #files: readonly string[];

  constructor(options: Options) {
    this.#files = options.uvu.files;
  }

  /** A module with mutants is imported once, so Stryker starts a process for each mutant of a constant. */
  capabilities(): { readonly reloadEnvironment: boolean } {
    return { reloadEnvironment: false };
  }

  async dryRun(): Promise<unknown> {
    await loadTests(this.#files);
    const ofFirstLoad = takeCoverage();
    const tests = await loadTests(this.#files);
    const ofConstants = mutantsOfConstants(ofFirstLoad, takeCoverage());
    await loadTests(this.#files);
    const results: TestResult[] = this.#files.map((file) => {
      return { id: loadingOf(file), name: 'is loaded', fileName: file, timeSpentMs: 0, status: stryker.passed };
    });
    for (const test of tests) results.push(await runTest(test));
    const { perTest } = takeCoverage();
    return { status: 'complete', tests: results, mutantCoverage: { static: ofConstants, perTest } };
  }

  async mutantRun({ activeMutant, mutantActivation, testFilter, hitLimit }: MutantRunOptions): Promise<unknown> {
    const files = this.#files.filter((file) => testFilter?.some((id) => id.startsWith(`${file}: `)) ?? true);
    const isSelected = ({ id, file }: CollectedTest): boolean =>
      testFilter === undefined || testFilter.includes(id) || testFilter.includes(loadingOf(file));
    // The modules under test are loaded without the mutant, unless it is in code that runs then.
    instrumentation.activeMutant = undefined;
    if (mutantActivation === 'runtime' && generation === 0) await loadTests(this.#files);
    instrumentation.hitCount = hitLimit === undefined ? undefined : 0;
    instrumentation.hitLimit = hitLimit;
    instrumentation.activeMutant = activeMutant.id;
    let count = 0;
    for (const file of files) {
      let tests: readonly CollectedTest[];
      try {
        tests = (await loadTests([file])).filter(isSelected);
      } catch (error) {
        // The mutant broke the module that has it, or a file of tests that rests on it.
        return { status: 'killed', killedBy: [loadingOf(file)], failureMessage: String(error), nrOfTests: count };
      }
      for (const test of tests) {
        count += 1;
        const { status, failureMessage } = await runTest(test);
        if (instrumentation.hitCount !== undefined && hitLimit !== undefined && instrumentation.hitCount > hitLimit) {
          return {
            status: 'timeout',
            reason: 'The mutant was executed far more often than the line that it replaces.',
          };
        }
        if (status === stryker.failed)
          return { status: 'killed', killedBy: [test.id], failureMessage, nrOfTests: count };
      }
    }
    return { status: 'survived', nrOfTests: count };
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'uvu', injectableClass: UvuRunner }];
export const strykerValidationSchema = { properties: { uvu: { type: 'object' } } };
