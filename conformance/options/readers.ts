/** The types of option values: each reads a text into a value, or says in one sentence what is wrong with it. */

import { type ClientRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { type RequirementId, requirements } from '../../spec/requirements.ts';
import { escapeForTerminal, shorten } from '../reporters/escape.ts';
import { type ReporterName, reporterNames } from '../reporters/names.ts';
import { UsageError } from '../run/usage-error.ts';
import { suggest } from './suggest.ts';

/** `label` names the option in a sentence, for example --plan or PETSTORE_PLAN. Throws a UsageError. */
type Reader<Value> = (text: string, label: string) => Value;

export interface ValueType<Value> {
  readonly read: Reader<Value>;
  /** Reads what a program gives, where it counts in another unit. */
  readonly readInProgram?: Reader<Value>;
  /** Reads the content of the YAML file that the text names, or what a program gives in its place. */
  readonly readContent?: (content: unknown, place: string) => Value;
  /** Set where the flag takes no value. */
  readonly isSwitch?: true;
}

const longestShown = 100;

/** A text that a user or a file gave, as a sentence repeats it: escaped, and not too long. */
export function shown(text: string, longest = longestShown): string {
  return shorten(escapeForTerminal(text.slice(0, 10 * longest)), longest);
}

/** Reads what `parse` understands; refuses any other text in a sentence with what is expected and the nearest known text. */
function reader<Value>(
  expected: string,
  parse: (text: string) => Value | undefined,
  known: readonly string[] = [],
): Reader<Value> {
  return (given, label) => {
    const value = parse(given);
    if (value !== undefined) return value;
    throw new UsageError(`${label} takes ${expected}, not "${shown(given)}".${suggest(given, known)}`);
  };
}

export function wholeNumber(least: number, most = 2 ** 31): ValueType<number> {
  const isWithin = (given: string) => /^\d+$/.test(given) && Number(given) >= least && Number(given) <= most;
  const parse = (given: string) => (isWithin(given) ? Number(given) : undefined);
  return { read: reader(`a whole number from ${least} to ${most}`, parse) };
}

/** Seconds on the command line, milliseconds in a program and in the value. */
export function duration(least: number, most: number): ValueType<number> {
  const { read } = wholeNumber(least, most);
  const { read: readInProgram } = wholeNumber(0, most * 1000);
  return { read: (given, label) => read(given, label) * 1000, readInProgram };
}

export function choice<Choice extends string>(choices: readonly Choice[]): ValueType<Choice> {
  return { read: reader(`one of ${choices.join(', ')}`, (given) => choices.find((one) => one === given), choices) };
}

export const anyText: ValueType<string> = {
  read: reader('a text', (given) => (given.trim() === '' ? undefined : given)),
};

export const toggle: ValueType<boolean> = {
  read: reader('true or false', (given) => (/^(true|false)$/.test(given) ? given === 'true' : undefined)),
  isSwitch: true,
};

export const int64: ValueType<bigint> = {
  read: reader('an integer in the range of int64', (given) => {
    const value = /^-?\d{1,19}$/.test(given) ? BigInt(given) : undefined;
    return value !== undefined && BigInt.asIntN(64, value) === value ? value : undefined;
  }),
};

/** Whether a text stands for an address of HTTP, and not for a file or another word. */
export function isAddress(text: string): boolean {
  return /^https?:/i.test(text);
}

/** An address without trailing slash. No sentence repeats a password or a query, since keys stand there. */
export const address: ValueType<string> = {
  read: (given, label) => {
    const url = URL.parse(given);
    const refuse = (why: string): never => {
      throw new UsageError(`${label} ${why}.`);
    };
    if (url?.username || url?.password) refuse('must hold no user or password; give keys by environment variables');
    if (url?.search || url?.hash) refuse('must hold no query or fragment');
    if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
    const repeated = /[@?]/.test(given) ? '' : `, not "${shown(given)}"`;
    return refuse(`must be an address of http:// or https://, like https://host:8080/v1${repeated}`);
  },
};

/** Whether a text is a day of the calendar, such as 2027-01-31: Date.parse reads 31 February as 3 March. */
export function isDay(given: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(given) ? Date.parse(given) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(given);
}

/** A day, or a time on it; Unix milliseconds. */
export const dayOrTime: ValueType<number> = {
  read: reader('a date like 2030-12-05 or 2030-12-05T09:00:00Z', (given) => {
    const at = isDay(given.replace(/T.*/, '')) ? Date.parse(given) : Number.NaN;
    return Number.isNaN(at) ? undefined : at;
  }),
};

export const header: ValueType<readonly [name: string, value: string]> = {
  read: (given, label) => {
    const [, name = '', value = ''] = /^([^:]*):(.*)$/s.exec(given) ?? [];
    const pair = [name.trim().toLowerCase(), value.trim()] as const;
    if (pair[0] === 'authorization') {
      throw new UsageError(`${label} cannot set Authorization: set PETSTORE_API_KEY to the key.`);
    }
    try {
      new Headers([[...pair]]);
    } catch {
      throw new UsageError(`${label} takes 'Name: value' in one line, as HTTP has it.`);
    }
    return pair;
  },
};

/** The requirements with an id, with the first words of an id, or of a section: `auth-missing-key`, `auth`, `4.1`. */
export const ids: ValueType<readonly RequirementId[]> = {
  read: reader(
    `the id of a requirement, such as ${requirements[0]!.id}, or a section, such as 4.1`,
    (given) => {
      const exact = requirements.filter(({ id }) => id === given);
      const named = requirements.filter(({ id, section }) => {
        return `${section}.`.startsWith(`${given.replace(/^§/, '')}.`) || id.startsWith(`${given}-`);
      });
      const [found] = [exact, named].filter(({ length }) => length > 0);
      return found?.map(({ id }) => id);
    },
    requirements.flatMap(({ id }) => [id, id.split('-')[0]!]),
  ),
};

/** The client requirement that an id names, or that belongs to the gap that it names. */
export const gap: ValueType<ClientRequirementId> = {
  read: reader(
    'the id of a gap',
    (given) => clientRequirements.find(({ id }) => id === given || id === `any-${given}`)?.id,
    clientRequirements.map(({ id }) => id.replace(/^any-/, '')),
  ),
};

export interface Output {
  readonly name: ReporterName;
  /** Standard output when undefined. */
  readonly file?: string;
}

/** `NAME`, `NAME=FILE`, or `NAME=-` for the standard output. */
export const output: ValueType<Output> = {
  read: (given, label) => {
    const [wanted = '', ...rest] = given.split('=');
    const name = choice(reporterNames).read(wanted, label);
    const file = rest.join('=');
    if (rest.length > 0 && file === '') throw new UsageError(`${label} ${name}= needs the name of a file.`);
    return rest.length === 0 || file === '-' ? { name } : { name, file };
  },
};
