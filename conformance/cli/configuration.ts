/**
 * Reads the options of a command. A command that judges reads them from the configuration file, the environment and the
 * command line, of which the last wins; any other command from the command line alone.
 */

import { existsSync, readdirSync } from 'node:fs';
import { defined } from '../../spec/defined.ts';
import { keyVariables } from '../http/secret-names.ts';
import { beginningOfVariable, signOfGate } from '../options/gate.ts';
import {
  flagOf,
  type OptionName,
  optionNames,
  optionOf,
  optionsOf,
  readValue,
  textsOf,
  type Values,
  variableOf,
} from '../options/options.ts';
import { shown } from '../options/readers.ts';
import { nearestWord, suggest } from '../options/suggest.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Report } from '../verdict/report.ts';
import { readYaml } from './files.ts';
import type { Host } from './host.ts';

/** The texts that a source gives for an option, and the option in a sentence. */
export interface GivenTexts {
  readonly texts: readonly string[];
  readonly label: string;
}

/** What a user has typed: the command, its positional words, and its options. */
export interface Line<Name extends string = string> {
  readonly command: Name;
  readonly words: readonly string[];
  readonly given: ReadonlyMap<OptionName, GivenTexts>;
}

/** A command line that has been read: the values of its options, and the words that are left. */
export interface Invocation<Name extends string> {
  readonly values: Values<Name>;
  /** What makes the call look like a gate, in words; undefined if nothing does. */
  readonly signOfGate: string | undefined;
  /** Words without a flag, the base address excepted. */
  readonly words: readonly string[];
}

/** Resolves with the exit code, or with a report, which is written and has it. */
export type Command<Name extends string> = (invocation: Invocation<Name>, host: Host) => Promise<number | Report>;

export const configurationFile = 'petstore-conformance.config.yaml';

/** The options in a configuration file, which may hold those of any command. */
async function readFile(file: string): Promise<Line['given']> {
  const content = (await readYaml(file, 'The configuration')) ?? {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new UsageError(`${file} must hold options by name, like max-requests: 60.`);
  }
  const known = new Map(optionNames.map((name) => [flagOf(name), name]));
  known.delete('config');
  const options = Object.entries(content).map(([flag, value]) => {
    const name = known.get(flag);
    const label = `${flag} in ${file}`;
    if (name !== undefined) return [name, { texts: textsOf(name, value, label), label }] as const;
    const hint = /key/.test(flag) ? 'keys come from the environment only' : 'petstore-conformance --help lists them';
    throw new UsageError(`${file} has no option "${shown(flag)}": ${hint}.${suggest(flag, [...known.keys()])}`);
  });
  return new Map(options);
}

/** Options in the environment; each value of a repeatable one is on a line of its own. */
function readEnvironment(environment: NodeJS.ProcessEnv): Line['given'] {
  if (environment['PETSTORE_BASE_URL'] === '') {
    throw new UsageError('PETSTORE_BASE_URL is empty: set it to the base address of the target, or unset it.');
  }
  const options = optionNames.map((name) => {
    const label = variableOf(name);
    const text = environment[label] ?? '';
    const texts = optionOf(name).gather === undefined ? [text] : text.split('\n');
    return [name, { texts: texts.filter(Boolean), label }] as const;
  });
  return new Map(options.filter(([, { texts }]) => texts.length > 0));
}

const knownVariables = [...optionNames.map(variableOf), ...keyVariables];

/** A sentence on a variable that looks like one of the kit and is none. */
function remarkOnVariable(name: string): string {
  // All variables begin alike, so that only the rest says which one is near.
  const rest = (one: string): string => one.replace(beginningOfVariable, '');
  const near = nearestWord(rest(name), knownVariables.map(rest));
  const hint = near === undefined ? '' : ` Did you mean ${knownVariables.find((one) => rest(one) === near)}?`;
  return `${shown(name)} is ignored: it is no variable of the kit.${hint}`;
}

function unknownVariables(environment: NodeJS.ProcessEnv): readonly string[] {
  return Object.keys(environment).filter((name) => beginningOfVariable.test(name) && !knownVariables.includes(name));
}

/** The files of this folder that look like the configuration and are not read. */
function otherConfigurations(file: string | undefined): readonly string[] {
  const looksAlike = /^\.?pet-?store-conformance[.-]conf(ig)?(\.\w+)?$/;
  return readdirSync('.').filter((name) => looksAlike.test(name) && name !== configurationFile && name !== file);
}

/** What is configured for a command, besides the words of its line. */
interface Configured {
  readonly given: Line['given'];
  readonly signOfGate: string | undefined;
}

const notConfigured: Configured = { given: new Map(), signOfGate: undefined };

/** The options of the configuration file and the environment. Without a name, only this folder is searched for the file. */
async function readConfigured(line: Line['given']): Promise<Configured> {
  const ofVariables = readEnvironment(process.env);
  const named = (line.get('configurationFile') ?? ofVariables.get('configurationFile'))?.texts.at(-1);
  const file = named ?? (existsSync(configurationFile) ? configurationFile : undefined);
  const unread = otherConfigurations(file);
  const remarks = [
    ...unknownVariables(process.env).map(remarkOnVariable),
    ...unread.map((name) => `${name} is ignored: the configuration is ${configurationFile}, or what --config names.`),
  ];
  for (const remark of remarks) process.stderr.write(`${remark}\n`);
  const ofFile: Line['given'] = file === undefined ? new Map() : await readFile(file);
  const configuration = unread[0] ?? file;
  const signOfFile = configuration === undefined ? undefined : `${shown(configuration)} is there`;
  return { given: new Map([...ofFile, ...ofVariables]), signOfGate: signOfGate(process.env) ?? signOfFile };
}

/** Options that decide how the target is reached and judged. A header may be a secret, so it is not shown again. */
const repeatedNames = [
  'start',
  'plan',
  'categoryIds',
  'nameTemplate',
  'isDisposable',
  'waivers',
  'today',
  'configurationFile',
] as const satisfies readonly OptionName[];

/** The options of a line that the next command has to repeat, as its words. What is configured elsewhere is found again. */
export function repeatedOptions({ given }: Line): readonly string[] {
  return repeatedNames.flatMap((name) => {
    const texts = given.get(name)?.texts ?? [];
    const { isSwitch } = optionOf(name).type;
    return texts.flatMap((text) => {
      if (isSwitch === undefined) return [`--${flagOf(name)}`, text];
      return [text === 'false' ? `--no-${flagOf(name)}` : `--${flagOf(name)}`];
    });
  });
}

/** The value of an option; of one that names a file, what the file holds. Rejects with a UsageError. */
async function readOption(name: OptionName, { texts, label }: GivenTexts): Promise<unknown> {
  const { read, readContent } = optionOf(name).type;
  if (readContent === undefined) return readValue(name, texts, (text) => read(text, label));
  const file = texts.at(-1);
  if (file === undefined) return undefined;
  return readContent(await readYaml(file, `The ${flagOf(name)} file`), shown(file));
}

/** Reads everything that is given for the command of a line; rejects with a UsageError. */
export async function readInvocation<Name extends string>(line: Line<Name>): Promise<Invocation<Name>> {
  const names = optionsOf(line.command);
  const configured = names.includes('configurationFile') ? await readConfigured(line.given) : notConfigured;
  const all = new Map([...configured.given, ...line.given]);
  const values: Record<string, unknown> = {};
  for (const name of names) {
    values[name] = await readOption(name, all.get(name) ?? { texts: [], label: flagOf(name) });
  }
  // Each value has the type that the table gives it; the compiler cannot follow that through this loop.
  const { words } = line;
  return { values: defined(values) as unknown as Values<Name>, words, signOfGate: configured.signOfGate };
}
