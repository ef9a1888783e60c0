/**
 * Judges the judge: changes the reference server one small step at a time, runs the kit against each change in process, and
 * lists the changes that it does not fail. Exits with 1 where that list and survivors.yml differ.
 */

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { build } from 'esbuild';
import { parse } from 'yaml';
import type * as referenceServer from '../../../reference-server/index.ts';
import type { OpenGapId } from '../../../spec/gaps.ts';
import { runInProcess, trialSettings } from '../../proof/trial.ts';
import { trialApiKeys } from '../../services/wraps.ts';
import { defaultBudget, largeBudget } from '../../world/settings.ts';

/** Its socket.ts is left out: it protects the server from slow and huge clients, which no run is. */
const files = ['index', 'limit', 'operations', 'answer'].map((name) => `reference-server/${name}.ts`);

/** One small change of the server. */
export interface Mutant {
  /** Switches it on; a number that changes with the code. */
  readonly id: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** Its name in the list of survivors: the line, and the text on it that is replaced. Line numbers would change with every edit. */
  readonly key: string;
}

interface Position {
  readonly line: number;
  readonly column: number;
}
/** The part of Stryker that is used here. Its own types would add several packages to every type check. */
interface StrykerMutant {
  readonly id: string;
  readonly fileName: string;
  readonly location: { readonly start: Position; readonly end: Position };
  readonly replacement: string;
}
interface InstrumenterModule {
  readonly Instrumenter: new (
    logger: object,
  ) => {
    readonly instrument: (
      files: readonly { readonly name: string; readonly mutate: true; readonly content: string }[],
      options: object,
    ) => Promise<{
      readonly files: readonly { readonly name: string; readonly content: string }[];
      readonly mutants: readonly StrykerMutant[];
    }>;
  };
}
const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, isDebugEnabled: () => false };

function shorten(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

function keyOf({ location: { start, end }, replacement }: StrykerMutant, lines: readonly string[]): string {
  const replaced = lines.slice(start.line, end.line + 1);
  replaced[replaced.length - 1] = replaced.at(-1)!.slice(0, end.column);
  replaced[0] = replaced[0]!.slice(start.column);
  return `${shorten(lines[start.line]!, 100)} ¦ ${shorten(replaced.join('\n'), 60)} → ${shorten(replacement, 60)}`;
}

/** Bundles the server with all of its mutants, which are switched on one at a time. */
export async function buildMutants(): Promise<{ readonly code: string; readonly mutants: readonly Mutant[] }> {
  const instrumenterPackage: string = '@stryker-mutator/instrumenter';
  const { Instrumenter } = (await import(instrumenterPackage)) as InstrumenterModule;
  const sources = files.map((name) => ({ name, mutate: true as const, content: readFileSync(name, 'utf8') }));
  const options = { plugins: null, excludedMutations: [], ignorers: [] };
  const instrumented = await new Instrumenter(silent).instrument(sources, options);
  const contents = new Map(instrumented.files.map(({ name, content }) => [resolve(name), content]));
  const { outputFiles } = await build({
    entryPoints: ['reference-server/index.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
    plugins: [
      {
        name: 'instrumented',
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const content = contents.get(path);
            return content === undefined ? undefined : { contents: content, loader: 'ts' };
          }),
      },
    ],
  });
  const seen = new Map<string, number>();
  const mutants = instrumented.mutants.map((mutant): Mutant => {
    const { id, fileName: file, location } = mutant;
    const key = keyOf(mutant, sources.find(({ name }) => name === file)!.content.split('\n'));
    const count = (seen.get(file + key) ?? 0) + 1;
    seen.set(file + key, count);
    // Two mutants of equal lines get different keys: the second one ends with #2.
    return { id, file, line: location.start.line + 1, key: count === 1 ? key : `${key} #${count}` };
  });
  return { code: outputFiles[0]!.text, mutants };
}

/**
 * Mutants of a file that survive for one reason. `equivalent`: no request of a run shows a difference. `legal`: the
 * interface leaves the difference open, in a gap or in the section that the reason names. `hole`: the kit should fail it.
 */
export interface SurvivorGroup {
  readonly file: string;
  readonly kind: 'equivalent' | 'legal' | 'hole';
  readonly gap?: OpenGapId;
  readonly reason: string;
  /** Keys, a line each. */
  readonly mutants: string;
}

export const survivors = parse(
  readFileSync(new URL('survivors.yml', import.meta.url), 'utf8'),
) as readonly SurvivorGroup[];
export const nameOf = ({ file, key }: Pick<Mutant, 'file' | 'key'>): string => `${file}\n    ${key}`;
/** Name of a survivor → why it survives. */
export const listed = survivors.flatMap(({ mutants, ...group }) =>
  mutants
    .trimEnd()
    .split('\n')
    .map((key) => [nameOf({ ...group, key }), group.kind] as const),
);

/** One budget after another; the last is that of a disposable target. */
const budgets = [60, defaultBudget.maxRequests, largeBudget.maxRequests];

/** The state of Stryker's switches. A mutant that is reached more often than the limit hangs in a loop. */
const switches: { activeMutant?: string; hitCount?: number; hitLimit?: number; mutantCoverage?: { static: object } } =
  {};
Object.assign(globalThis, { __stryker__: switches });

/**
 * Runs the kit against a mutant with one budget after another, until one sees it. Resolves with the requirements that failed,
 * or warned where nothing failed, or with why the run was not judged; with nothing where the mutant survives.
 */
export async function tryMutant(
  code: string,
  id: string,
  within: readonly number[] = budgets,
): Promise<readonly string[]> {
  for (const maxRequests of within) {
    Object.assign(switches, { activeMutant: id, hitCount: 0, hitLimit: 1_000_000 });
    const url = `data:text/javascript;base64,${Buffer.from(`${code}\n// ${id} ${maxRequests}`).toString('base64')}`;
    try {
      const { createPetStore } = (await import(url)) as typeof referenceServer;
      const settings = trialSettings(maxRequests, { plan: 'business' });
      const report = await runInProcess(createPetStore({ keys: trialApiKeys }).handle, settings);
      const named = (verdict: string) =>
        report.requirements.filter((one) => one.verdict === verdict).map((one) => one.id);
      const shown = [...named('fail'), ...(report.exitCode === 0 ? named('warn') : [])];
      if (shown.length > 0 || report.exitCode !== 0) return shown.length > 0 ? shown : [JSON.stringify(report.reason)];
    } catch (error) {
      return [`broken: ${String(error).slice(0, 200)}`];
    }
  }
  return [];
}

/** Resolves with whether survivors.yml holds exactly the mutants that survive; `only` is a file or the id of a mutant. */
export async function judgeTheJudge(only: string | undefined): Promise<boolean> {
  const { code, mutants } = await buildMutants();
  const unchanged = await tryMutant(code, 'none', [largeBudget.maxRequests]);
  if (unchanged.length > 0) throw new Error(`The server does not conform: ${unchanged}`);
  const kindOf = new Map(listed);
  const reached = Object.keys(switches.mutantCoverage?.static ?? {});
  const tried = mutants.filter(({ id, file }) => reached.includes(id) && [undefined, id, file].includes(only));
  const survived: string[] = [];
  for (const mutant of tried) {
    const name = nameOf(mutant);
    // One that survived the last time is tried once, to save time.
    const shown = await tryMutant(code, mutant.id, kindOf.has(name) ? budgets.slice(1, 2) : budgets);
    if (tried.length === 1) console.log(shown);
    if (shown.length > 0) continue;
    survived.push(name);
    if (!kindOf.has(name)) console.log(`NEW  ${mutant.id}  line ${mutant.line} of ${name}`);
  }
  const gone = [...kindOf.keys()].filter((name) => only === undefined && !survived.includes(name));
  for (const name of gone) console.log(`GONE  ${name}`);
  const holes = survived.filter((name) => (kindOf.get(name) ?? 'hole') === 'hole').length;
  const found = tried.length - survived.length;
  console.log(
    `${mutants.length} mutants, ${tried.length} tried, ${survived.length} survived, ${holes} of them holes; ` +
      `score ${((100 * found) / (found + holes)).toFixed(1)} %`,
  );
  return gone.length === 0 && survived.every((name) => kindOf.has(name));
}
