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

/** What the instrumented code reads and writes: which mutant is active, which test runs, and which mutants it executed. */
interface Instrumentation {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: unknown;
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

function loadTests(files: readonly string[]): Promise<readonly CollectedTest[]> {
  generation += 1;
  return collectTests(files, (file) => import(pathToFileURL(resolve(file)).href));
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
    const tests = [];
    for (const test of await loadTests(this.#files)) tests.push(await runTest(test));
    return { status: 'complete', tests, mutantCoverage: instrumentation.mutantCoverage };
  }

  async mutantRun({ activeMutant, mutantActivation, testFilter, hitLimit }: MutantRunOptions): Promise<unknown> {
    instrumentation.hitCount = hitLimit === undefined ? undefined : 0;
    instrumentation.hitLimit = hitLimit;
    instrumentation.activeMutant = mutantActivation === 'static' ? activeMutant.id : undefined;
    const isSelected = ({ id }: CollectedTest): boolean => testFilter?.includes(id) ?? true;
    const files = this.#files.filter((file) => testFilter?.some((id) => id.startsWith(`${file}: `)) ?? true);
    let tests: readonly CollectedTest[];
    try {
      tests = (await loadTests(files)).filter(isSelected);
    } catch (error) {
      // The changed constant broke the module that has it.
      return { status: 'killed', killedBy: [], failureMessage: String(error), nrOfTests: 0 };
    }
    instrumentation.activeMutant = activeMutant.id;
    for (const [at, test] of tests.entries()) {
      const { status, failureMessage } = await runTest(test);
      if (instrumentation.hitCount !== undefined && hitLimit !== undefined && instrumentation.hitCount > hitLimit) {
        return {
          status: 'timeout',
          reason: 'The mutant was executed many times more often than the line it replaces.',
        };
      }
      if (status === stryker.failed)
        return { status: 'killed', killedBy: [test.id], failureMessage, nrOfTests: at + 1 };
    }
    return { status: 'survived', nrOfTests: tests.length };
  }
}

export const strykerPlugins = [{ kind: 'TestRunner', name: 'uvu', injectableClass: UvuRunner }];
export const strykerValidationSchema = { properties: { uvu: { type: 'object' } } };
