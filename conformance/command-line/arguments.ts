/** Reads what a user gives for a run into settings; what is wrong with it is one sentence. */

import { randomInt } from 'node:crypto';
import { type Plan, planLimits } from '../../spec/facts.ts';
import { type RequirementId, requirements } from '../../spec/requirements.ts';
import type { EvidenceScope } from '../engine/report.ts';
import type { Settings } from '../engine/settings.ts';
import { type ReporterName, reporters } from '../reporters/index.ts';
import {
  type Configuration,
  type OptionName,
  readConfiguration,
  type Surroundings,
  UsageError,
} from './configuration.ts';

export interface ReporterChoice {
  readonly name: ReporterName;
  /** Standard output when undefined. */
  readonly file?: string;
}

export interface RunArguments {
  /** Undefined: the embedded reference server. */
  readonly baseUrl?: string;
  readonly apiKeyEnv: string;
  readonly rateLimitKeyEnv: string;
  readonly settings: Omit<Settings, 'baseUrl' | 'hasRateLimitKey'>;
  readonly timeoutMs: number;
  readonly only?: ReadonlySet<RequirementId>;
  readonly requiresAll: boolean;
  readonly reporters: readonly ReporterChoice[];
  readonly scope: EvidenceScope;
  /** The file with the failures that do not fail the run. */
  readonly waivers?: string;
  /** Where the animals that the run leaves behind are listed. */
  readonly leftovers?: string;
  /** The whole run takes no longer, milliseconds; but for the answer that is awaited then. */
  readonly deadlineMs: number;
}

/** What holds where the user gives nothing. */
export const usual = {
  'base-url': '(the embedded reference server)',
  'api-key-env': 'PETSTORE_API_KEY',
  'rate-limit-key-env': 'PETSTORE_RATE_LIMIT_KEY',
  'max-requests': '300',
  'max-creates': '60',
  'read-only': 'false',
  concurrency: '1',
  timeout: '10000',
  'max-wait': '75',
  'require-all': 'false',
  reporter: 'terminal',
  evidence: 'cited',
  deadline: '1800',
} as const satisfies Partial<Record<OptionName | 'base-url', string>>;

/** One value of an option, and how to name the option in a sentence. */
interface Named {
  readonly text: string;
  readonly origin: string;
}

function all(configuration: Configuration, name: OptionName | 'base-url'): readonly Named[] {
  const given = configuration.get(name);
  if (given === undefined) return [];
  const origin =
    given.origin.startsWith('--') || given.origin.startsWith('PETSTORE_') ? given.origin : `${name} in ${given.origin}`;
  return given.values.map((text) => ({ text, origin }));
}

function last(configuration: Configuration, name: OptionName | 'base-url'): Named | undefined {
  return all(configuration, name).at(-1);
}

function readInteger(given: Named | undefined, otherwise: string | number, least: number, most = 2 ** 31): number {
  if (given === undefined) return Number(otherwise);
  const value = Number(given.text);
  if (/^\d+$/.test(given.text) && value >= least && value <= most) return value;
  throw new UsageError(`${given.origin} takes a whole number from ${least} to ${most}, not "${given.text}".`);
}

function readSwitch(given: Named | undefined): boolean {
  if (given === undefined || given.text === 'false') return false;
  if (given.text === 'true') return true;
  throw new UsageError(`${given.origin} takes true or false, not "${given.text}".`);
}

function readOneOf<Choice extends string>(given: Named, choices: readonly Choice[]): Choice {
  const choice = choices.find((candidate) => candidate === given.text);
  if (choice !== undefined) return choice;
  throw new UsageError(`${given.origin} takes one of ${choices.join(', ')}, not "${given.text}".`);
}

/** A base address without trailing slash. */
export function readBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UsageError(`The base address must start with http:// or https://, like https://host/v1, not "${text}".`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new UsageError('The base address must hold no user or password; give the key by environment variable.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new UsageError(`The base address must hold no query or fragment, as "${text}" does.`);
  }
  return url.href.replace(/\/+$/, '');
}

function readInt64({ text, origin }: Named): bigint {
  const value = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined && BigInt.asIntN(64, value) === value) return value;
  throw new UsageError(`${origin} takes an integer in the range of int64, not "${text}".`);
}

function readHeader({ text, origin }: Named): readonly [string, string] {
  const at = text.indexOf(':');
  const name = text.slice(0, at).trim().toLowerCase();
  if (at < 1 || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
    throw new UsageError(`${origin} takes 'Name: value', not a text without a name.`);
  }
  if (name === 'authorization') {
    throw new UsageError(`${origin} cannot set Authorization: name the variable with the key by --api-key-env.`);
  }
  const value = text.slice(at + 1).trim();
  if (/[\0\r\n]/.test(value)) throw new UsageError(`${origin} ${name} must be one line.`);
  return [name, value];
}

function readOnly(given: readonly Named[]): ReadonlySet<RequirementId> | undefined {
  if (given.length === 0) return undefined;
  const wanted = given.map(({ text, origin }) => {
    const section = text.replace(/^§/, '');
    const ids = requirements
      .filter((one) => one.id === text || one.section === section || one.section.startsWith(`${section}.`))
      .map((one) => one.id);
    if (ids.length > 0) return ids;
    throw new UsageError(
      `${origin} ${text} matches no requirement: give an id like ${requirements[0].id} or a section like 4.1.`,
    );
  });
  return new Set(wanted.flat());
}

function readReporter({ text, origin }: Named): ReporterChoice {
  const at = text.indexOf('=');
  const names = Object.keys(reporters) as ReporterName[];
  const name = readOneOf({ origin, text: at === -1 ? text : text.slice(0, at) }, names);
  if (at !== -1 && text.length === at + 1) throw new UsageError(`${origin} ${name}= needs the name of a file.`);
  return { name, ...(at === -1 ? {} : { file: text.slice(at + 1) }) };
}

function readReporters(given: readonly Named[]): readonly ReporterChoice[] {
  const choices = given.length === 0 ? [{ name: usual.reporter }] : given.map(readReporter);
  if (choices.filter((choice) => !('file' in choice)).length > 1) {
    throw new UsageError(
      'Only one reporter can write to the standard output: give the others a file, like json=report.json.',
    );
  }
  return choices;
}

function readDay({ text, origin }: Named): number {
  const day = Date.parse(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(day)) return day;
  throw new UsageError(`${origin} takes a date like 2030-12-05, not "${text}".`);
}

/** What holds where the user names none. */
export interface Defaults {
  readonly now: number;
  readonly seed: number;
}

/** The time, and a seed that nobody knows yet. */
export function drawDefaults(): Defaults {
  return { now: Date.now(), seed: randomInt(2 ** 31) };
}

/** Settings of a run from all that is given. */
export function readSettings(configuration: Configuration, defaults: Defaults): RunArguments {
  const one = (name: OptionName | 'base-url'): Named | undefined => last(configuration, name);
  const baseUrl = one('base-url')?.text;
  const only = readOnly(all(configuration, 'only'));
  const [plan, day, evidence] = [one('plan'), one('now'), one('evidence')];
  const [waivers, leftovers] = [one('waivers')?.text, one('leftovers')?.text];
  return {
    ...(baseUrl === undefined ? {} : { baseUrl: readBaseUrl(baseUrl) }),
    apiKeyEnv: one('api-key-env')?.text ?? usual['api-key-env'],
    rateLimitKeyEnv: one('rate-limit-key-env')?.text ?? usual['rate-limit-key-env'],
    settings: {
      ...(plan === undefined ? {} : { plan: readOneOf(plan, Object.keys(planLimits) as Plan[]) }),
      categoryIds: all(configuration, 'category-id').map(readInt64),
      petIds: all(configuration, 'pet-id').map(readInt64),
      maxRequests: readInteger(one('max-requests'), usual['max-requests'], 1),
      maxCreates: readInteger(one('max-creates'), usual['max-creates'], 0),
      isReadOnly: readSwitch(one('read-only')),
      concurrency: readInteger(one('concurrency'), usual.concurrency, 1, 64),
      maxWaitMs: readInteger(one('max-wait'), usual['max-wait'], 0, 86_400) * 1000,
      seed: readInteger(one('seed'), defaults.seed, 0),
      today: day === undefined ? defaults.now : readDay(day),
      headers: Object.fromEntries(all(configuration, 'header').map(readHeader)),
    },
    timeoutMs: readInteger(one('timeout'), usual.timeout, 1, 600_000),
    ...(only === undefined ? {} : { only }),
    requiresAll: readSwitch(one('require-all')),
    reporters: readReporters(all(configuration, 'reporter')),
    scope: evidence === undefined ? usual.evidence : readOneOf(evidence, ['all', 'cited'] as const),
    ...(waivers === undefined ? {} : { waivers }),
    ...(leftovers === undefined ? {} : { leftovers }),
    deadlineMs: readInteger(one('deadline'), usual.deadline, 1, 86_400) * 1000,
  };
}

/** Reads the arguments after `run`: options, and at most one base address. */
export function readRunArguments(args: readonly string[], defaults: Defaults, around: Surroundings): RunArguments {
  return readSettings(withBaseUrl(readConfiguration(args, around)), defaults);
}

/** The base address stands without a flag. */
export function withBaseUrl({
  configuration,
  positionals,
}: Pick<ReturnType<typeof readConfiguration>, 'configuration' | 'positionals'>): Configuration {
  const [target, ...rest] = positionals;
  if (rest.length > 0)
    throw new UsageError(`Only one base address can be judged in a run, "${rest[0]}" is one too many.`);
  if (target === undefined) return configuration;
  return new Map([...configuration, ['base-url', { values: [target], origin: 'argument' }]]);
}
