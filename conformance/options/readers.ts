/** The types of option values: each reads a text into a value, or says in one sentence what is wrong with it. */

import { type ClientRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { type RequirementId, requirements } from '../../spec/requirements.ts';
import { escapeForTerminal, shorten } from '../reporters/escape.ts';
import { UsageError } from '../run/usage-error.ts';
import { suggest } from './suggest.ts';

/** `label` names the option in a sentence, for example --plan or PETSTORE_PLAN. Throws a UsageError. */
export type Reader<Value> = (text: string, label: string) => Value;

/** `Given` is the type of what a program gives for the option to judge(). */
export interface ValueType<Value, Given = Value> {
  readonly read: Reader<Value>;
  /** Reads what a program gives, where it counts in another unit. */
  readonly readGiven?: Reader<Value>;
  /** Reads the content of the YAML file that the text names, or what a program gives in its place. */
  readonly readContent?: (content: unknown, place: string) => Value;
  /** The unit of the text, for the help. */
  readonly unit?: string;
  /** Set where the flag takes no value. */
  readonly isSwitch?: true;
  /** Carries the type; no value holds it. */
  readonly given?: Given;
}

const longestShown = 100;

/** A text that a user or a file gave, as a sentence repeats it: escaped, and not too long. */
export function shown(text: string, longest = longestShown): string {
  return shorten(escapeForTerminal(text.slice(0, 10 * longest)), longest);
}

export function integer(least: number, most = 2 ** 31): ValueType<number> {
  return {
    read: (text, label) => {
      const value = Number(text);
      if (/^\d+$/.test(text) && value >= least && value <= most) return value;
      throw new UsageError(`${label} takes a whole number from ${least} to ${most}, not "${shown(text)}".`);
    },
  };
}

/** Seconds on the command line, milliseconds in a program and in the value. */
export function duration(least: number, most: number): ValueType<number> {
  const { read } = integer(least, most);
  return {
    read: (text, label) => read(text, label) * 1000,
    readGiven: integer(0, most * 1000).read,
    unit: 'seconds',
  };
}

export function choice<Choice extends string>(choices: readonly Choice[]): ValueType<Choice> {
  return {
    read: (text, label) => {
      const found = choices.find((candidate) => candidate === text);
      if (found !== undefined) return found;
      const hint = suggest(text, choices);
      throw new UsageError(`${label} takes one of ${choices.join(', ')}, not "${shown(text)}".${hint}`);
    },
  };
}

export const text: ValueType<string> = {
  read: (given, label) => {
    if (given.trim() !== '') return given;
    throw new UsageError(`${label} must not be empty.`);
  },
};

export const toggle: ValueType<boolean> = {
  read: (given, label) => {
    if (given === 'true' || given === 'false') return given === 'true';
    throw new UsageError(`${label} takes true or false, not "${shown(given)}".`);
  },
  isSwitch: true,
};

export const int64: ValueType<bigint, number | bigint> = {
  read: (given, label) => {
    const value = /^-?\d{1,19}$/.test(given) ? BigInt(given) : undefined;
    if (value !== undefined && BigInt.asIntN(64, value) === value) return value;
    throw new UsageError(`${label} takes an integer in the range of int64, not "${shown(given)}".`);
  },
};

/** An address without trailing slash. No sentence repeats a password or a query, since keys stand there. */
export function readBaseUrl(given: string, label: string): string {
  const url = URL.parse(given);
  if (url !== null && (url.username !== '' || url.password !== '')) {
    throw new UsageError(`${label} must hold no user or password; give keys by environment variables.`);
  }
  if (url !== null && (url.search !== '' || url.hash !== '')) {
    throw new UsageError(`${label} must hold no query or fragment.`);
  }
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  if (/^https?:\/\//i.test(given)) {
    throw new UsageError(`${label} has no host, or a port that is none: expected one like https://host:8080/v1.`);
  }
  const repeated = /[@?]/.test(given) ? '' : `, not "${shown(given)}"`;
  throw new UsageError(`${label} must start with http:// or https://, like https://host/v1${repeated}.`);
}

/** Whether a text is a day of the calendar, such as 2027-01-31: Date.parse reads 31 February as 3 March. */
export function isDay(given: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(given) ? Date.parse(given) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(given);
}

/** A day, or a time on it; Unix milliseconds. */
export const day: ValueType<number, Date> = {
  read: (given, label) => {
    const at = isDay(given.replace(/T.*/, '')) ? Date.parse(given) : Number.NaN;
    if (!Number.isNaN(at)) return at;
    throw new UsageError(`${label} takes a date like 2030-12-05 or 2030-12-05T09:00:00Z, not "${shown(given)}".`);
  },
};

export function readHeader(given: string, label: string): readonly [name: string, value: string] {
  const at = given.indexOf(':');
  const name = given.slice(0, at).trim().toLowerCase();
  if (at < 1 || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
    throw new UsageError(`${label} takes 'Name: value', not a text without a name.`);
  }
  if (name === 'authorization') {
    throw new UsageError(`${label} cannot set Authorization: set PETSTORE_API_KEY to the key.`);
  }
  const value = given.slice(at + 1).trim();
  if (/[\0\r\n]/.test(value)) throw new UsageError(`${label} ${shown(name)} must be one line.`);
  return [name, value];
}

/** The requirements that an id, the first words of ids or a section name: `auth-missing-key`, `auth`, `4.1`. */
export function readRequirements(given: string, label: string): readonly RequirementId[] {
  const exact = requirements.find(({ id }) => id === given);
  if (exact !== undefined) return [exact.id];
  const section = given.replace(/^§/, '');
  const ids = requirements
    .filter((one) => `${one.section}.`.startsWith(`${section}.`) || one.id.startsWith(`${given}-`))
    .map((one) => one.id);
  if (ids.length > 0) return ids;
  const known = requirements.flatMap(({ id }) => [id, id.split('-')[0]!]);
  throw new UsageError(
    `${label} ${shown(given)} matches no requirement: give an id like ${requirements[0]!.id} or a section like 4.1.${suggest(given, known)}`,
  );
}

/** The client requirement that an id names, or that belongs to the gap that it names. */
export function readGap(given: string, label: string): ClientRequirementId {
  const found = clientRequirements.find(({ id }) => id === given || id === `any-${given}`);
  if (found !== undefined) return found.id;
  const names = clientRequirements.flatMap(({ id }) => (id.startsWith('any-') ? [id.slice('any-'.length)] : []));
  const hint = suggest(given.replace(/^any-/, ''), names);
  throw new UsageError(`${label} takes the id of a gap, not "${shown(given)}".${hint}`);
}

export interface OutputChoice<Name extends string> {
  readonly name: Name;
  /** Standard output when undefined. */
  readonly file?: string;
}

/** `NAME`, `NAME=FILE`, or `NAME=-` for the standard output. */
export function outputAs<Name extends string>(names: readonly Name[]): Reader<OutputChoice<Name>> {
  const { read } = choice(names);
  return (given, label) => {
    const [wanted = '', ...rest] = given.split('=');
    const name = read(wanted, label);
    const file = rest.join('=');
    if (rest.length > 0 && file === '') throw new UsageError(`${label} ${name}= needs the name of a file.`);
    return rest.length === 0 || file === '-' ? { name } : { name, file };
  };
}

const flagsOfSelector = ['mainBranch', 'matchingBranch', 'deployedOrReleased', 'deployed', 'released', 'latest'];
const valuesOfSelector = ['branch', 'fallbackBranch', 'environment', 'tag', 'fallbackTag', 'consumer'];

/** One selector of pacts at a Pact Broker: `mainBranch`, or several parts as in `consumer=adoption-site,branch=main`. */
export function readSelector(given: string, label: string): Readonly<Record<string, string | true>> {
  const parts = given.split(',').map((part): readonly [string, string | true] => {
    const [name = '', ...rest] = part.split('=');
    const value = rest.join('=');
    if (rest.length === 0 && flagsOfSelector.includes(name)) return [name, true];
    if (value !== '' && valuesOfSelector.includes(name)) return [name, value];
    const known = [...flagsOfSelector, ...valuesOfSelector.map((one) => `${one}=…`)].join(', ');
    throw new UsageError(`${label} takes ${known}, joined by commas, not "${shown(given)}".`);
  });
  return Object.fromEntries(parts);
}
