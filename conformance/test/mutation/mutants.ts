/**
 * The servers that are mutated, each built as one file that holds all of its mutants, switched on one at a time; and the
 * mutants that the kit does not fail, with the reason of each, from survivors.yml.
 */

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { parse } from 'yaml';
import type { OpenGapId } from '../../../spec/gaps.ts';

/** A server to mutate. */
export interface MutatedServer {
  readonly id: string;
  /** The module that exports the server, and under which name. */
  readonly entry: string;
  readonly exported: string;
  /** The files that are mutated. */
  readonly files: readonly string[];
}

/**
 * The reference server and two neighbours that share no code with it nor with each other. Its socket.ts is left out:
 * it protects the server from slow and huge clients, which no run is.
 */
export const mutatedServers: readonly MutatedServer[] = [
  {
    id: 'reference-server',
    entry: 'reference-server/index.ts',
    exported: 'createPetStore',
    files: ['index', 'limit', 'operations', 'answer'].map((name) => `reference-server/${name}.ts`),
  },
  ...(
    [
      ['one-file', 'oneFile'],
      ['event-sourced', 'eventSourced'],
    ] as const
  ).map(([id, exported]) => ({
    id,
    exported,
    entry: `conformance/test/neighbours/${id}.ts`,
    files: [`conformance/test/neighbours/${id}.ts`],
  })),
];

/** One small change of a server. */
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
    logger: Readonly<Record<string, () => unknown>>,
  ) => {
    readonly instrument: (
      files: readonly { readonly name: string; readonly mutate: true; readonly content: string }[],
      options: {
        readonly plugins: null;
        readonly excludedMutations: readonly string[];
        readonly ignorers: readonly [];
      },
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

/** Characters of a line, of the replaced text and of its replacement that a key shows. */
const [ofLine, ofText] = [100, 60];

function textBetween(lines: readonly string[], start: Position, end: Position): string {
  if (start.line === end.line) return lines[start.line]!.slice(start.column, end.column);
  const between = lines.slice(start.line + 1, end.line);
  return [lines[start.line]!.slice(start.column), ...between, lines[end.line]!.slice(0, end.column)].join('\n');
}

function keyOf({ location: { start, end }, replacement }: StrykerMutant, lines: readonly string[]): string {
  const replaced = shorten(textBetween(lines, start, end), ofText);
  return `${shorten(lines[start.line]!, ofLine)} ¦ ${replaced} → ${shorten(replacement, ofText)}`;
}

/** Two mutants of equal lines get different keys: the second one ends with #2. */
function numberRepeated(mutants: readonly Mutant[]): readonly Mutant[] {
  const seen = new Map<string, number>();
  return mutants.map((mutant) => {
    const name = `${mutant.file} ${mutant.key}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? mutant : { ...mutant, key: `${mutant.key} #${count}` };
  });
}

/** What the mutants of a server are, and where its bundle was written. */
export interface BuiltServer {
  readonly server: MutatedServer;
  readonly bundle: string;
  readonly mutants: readonly Mutant[];
}

/** Writes the bundle of a server into a folder. */
export async function buildMutants(server: MutatedServer, folder: string): Promise<BuiltServer> {
  const instrumenterPackage: string = '@stryker-mutator/instrumenter';
  const { Instrumenter } = (await import(instrumenterPackage)) as InstrumenterModule;
  const contents = new Map(server.files.map((name) => [name, readFileSync(name, 'utf8')]));
  const { files, mutants } = await new Instrumenter(silent).instrument(
    [...contents].map(([name, content]) => ({ name, mutate: true, content })),
    { plugins: null, excludedMutations: [], ignorers: [] },
  );
  const instrumented = new Map(files.map(({ name, content }) => [resolve(name), content]));
  const bundle = join(folder, `${server.id}.mjs`);
  await build({
    entryPoints: [server.entry],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
    plugins: [
      {
        name: 'instrumented',
        setup({ onLoad }) {
          onLoad({ filter: /\.ts$/ }, ({ path }) => {
            const content = instrumented.get(path);
            return content === undefined ? undefined : { contents: content, loader: 'ts' };
          });
        },
      },
    ],
  });
  const named = mutants.map((mutant): Mutant => {
    const { id, fileName: file, location } = mutant;
    const lines = contents.get(file)!.split('\n');
    return {
      id: `${server.id}:${id}`,
      file,
      line: location.start.line + 1,
      key: keyOf(mutant, lines),
    };
  });
  return { server, bundle, mutants: numberRepeated(named) };
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

/** The survivors of a group, as the keys of mutants. */
export function keysIn({ mutants }: SurvivorGroup): readonly string[] {
  return mutants.trimEnd().split('\n');
}

export const survivors = parse(
  readFileSync(new URL('survivors.yml', import.meta.url), 'utf8'),
) as readonly SurvivorGroup[];
