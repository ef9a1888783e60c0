/** Reads the text that a user gives for an option into a value, or says in one sentence what is wrong with it. */

import { type ClientRequirementId, clientRequirements } from '../../spec/client-requirements.ts';
import { type RequirementId, requirements } from '../../spec/requirements.ts';
import { escapeForTerminal, shorten } from '../reporters/escape.ts';
import { UsageError } from '../run/usage-error.ts';
import { suggest } from './suggest.ts';

/** `label` names the option in a sentence, for example --plan or PETSTORE_PLAN. Throws a UsageError. */
export type Reader<Value> = (text: string, label: string) => Value;

const longestShown = 100;

/** A text that a user or a file gave, as a sentence repeats it: escaped, and not too long. */
export function shown(text: string, longest = longestShown): string {
  return shorten(escapeForTerminal(text.slice(0, 10 * longest)), longest);
}

export function wholeNumber(least: number, most = 2 ** 31): Reader<number> {
  return (text, label) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new UsageError(`${label} takes a whole number from ${least} to ${most}, not "${shown(text)}".`);
  };
}

export function oneOf<Choice extends string>(choices: readonly Choice[]): Reader<Choice> {
  return (text, label) => {
    const choice = choices.find((candidate) => candidate === text);
    if (choice !== undefined) return choice;
    throw new UsageError(`${label} takes one of ${choices.join(', ')}, not "${shown(text)}".${suggest(text, choices)}`);
  };
}

export function readText(text: string, label: string): string {
  if (text.trim() !== '') return text;
  throw new UsageError(`${label} must not be empty.`);
}

export function readSwitch(text: string, label: string): boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`${label} takes true or false, not "${shown(text)}".`);
}

export function readInt64(text: string, label: string): bigint {
  const value = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined && BigInt.asIntN(64, value) === value) return value;
  throw new UsageError(`${label} takes an integer in the range of int64, not "${shown(text)}".`);
}

/** An address without trailing slash. No sentence repeats a password or a query, since keys stand there. */
export function readBaseUrl(text: string, label: string): string {
  const url = URL.parse(text);
  if (url !== null && (url.username !== '' || url.password !== '')) {
    throw new UsageError(`${label} must hold no user or password; give keys by environment variables.`);
  }
  if (url !== null && (url.search !== '' || url.hash !== '')) {
    throw new UsageError(`${label} must hold no query or fragment.`);
  }
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/\/+$/, '');
  if (/^https?:\/\//i.test(text)) {
    throw new UsageError(`${label} has no host, or a port that is none: expected one like https://host:8080/v1.`);
  }
  const given = /[@?]/.test(text) ? '' : `, not "${shown(text)}"`;
  throw new UsageError(`${label} must start with http:// or https://, like https://host/v1${given}.`);
}

/** Whether a text is a day of the calendar, such as 2027-01-31: Date.parse reads 31 February as 3 March. */
export function isDay(text: string): boolean {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** A day, or a time on it; Unix milliseconds. */
export function readTime(text: string, label: string): number {
  const at = isDay(text.replace(/T.*/, '')) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(at)) return at;
  throw new UsageError(`${label} takes a date like 2030-12-05 or 2030-12-05T09:00:00Z, not "${shown(text)}".`);
}

export function readHeader(text: string, label: string): readonly [name: string, value: string] {
  const at = text.indexOf(':');
  const name = text.slice(0, at).trim().toLowerCase();
  if (at < 1 || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
    throw new UsageError(`${label} takes 'Name: value', not a text without a name.`);
  }
  if (name === 'authorization') {
    throw new UsageError(`${label} cannot set Authorization: set PETSTORE_API_KEY to the key.`);
  }
  const value = text.slice(at + 1).trim();
  if (/[\0\r\n]/.test(value)) throw new UsageError(`${label} ${shown(name)} must be one line.`);
  return [name, value];
}

/** The requirements that an id, the first words of ids or a section name: `auth-missing-key`, `auth`, `4.1`. */
export function readRequirements(text: string, label: string): readonly RequirementId[] {
  const exact = requirements.find(({ id }) => id === text);
  if (exact !== undefined) return [exact.id];
  const section = text.replace(/^§/, '');
  const ids = requirements
    .filter((one) => `${one.section}.`.startsWith(`${section}.`) || one.id.startsWith(`${text}-`))
    .map((one) => one.id);
  if (ids.length > 0) return ids;
  const known = requirements.flatMap(({ id }) => [id, id.split('-')[0]!]);
  const hint = suggest(text, known);
  throw new UsageError(
    `${label} ${shown(text)} matches no requirement: give an id like ${requirements[0]!.id} or a section like 4.1.${hint}`,
  );
}

/** The client requirement that an id names, or that belongs to the gap that it names. */
export function readGap(text: string, label: string): ClientRequirementId {
  const found = clientRequirements.find(({ id }) => id === text || id === `any-${text}`);
  if (found !== undefined) return found.id;
  const names = clientRequirements.filter(({ id }) => id.startsWith('any-')).map(({ id }) => id.slice('any-'.length));
  const asked = text.replace(/^any-/, '');
  throw new UsageError(`${label} takes the id of a gap, not "${shown(text)}".${suggest(asked, names)}`);
}

export interface OutputChoice<Name extends string> {
  readonly name: Name;
  /** Standard output when undefined. */
  readonly file?: string;
}

/** `NAME`, `NAME=FILE`, or `NAME=-` for the standard output. */
export function outputAs<Name extends string>(names: readonly Name[]): Reader<OutputChoice<Name>> {
  return (text, label) => {
    const [wanted = '', ...rest] = text.split('=');
    const name = oneOf(names)(wanted, label);
    const file = rest.join('=');
    if (rest.length > 0 && file === '') throw new UsageError(`${label} ${name}= needs the name of a file.`);
    return rest.length === 0 || file === '-' ? { name } : { name, file };
  };
}

/** The fields of one selector of pacts at a Pact Broker. */
export type Selector = Readonly<Record<string, string | true>>;

const flagsOfSelector = ['mainBranch', 'matchingBranch', 'deployedOrReleased', 'deployed', 'released', 'latest'];
const valuesOfSelector = ['branch', 'fallbackBranch', 'environment', 'tag', 'fallbackTag', 'consumer'];

/** `mainBranch`, or several parts as in `consumer=adoption-site,branch=main`. */
export function readSelector(text: string, label: string): Selector {
  const parts = text.split(',').map((part): readonly [string, string | true] => {
    const [name = '', ...rest] = part.split('=');
    const value = rest.join('=');
    if (rest.length === 0 && flagsOfSelector.includes(name)) return [name, true];
    if (value !== '' && valuesOfSelector.includes(name)) return [name, value];
    const known = [...flagsOfSelector, ...valuesOfSelector.map((one) => `${one}=…`)].join(', ');
    throw new UsageError(`${label} takes ${known}, joined by commas, not "${shown(text)}".`);
  });
  return Object.fromEntries(parts);
}
