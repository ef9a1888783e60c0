/** Reads the command line of a run into settings; what is wrong with it is one sentence. */

import { parseArgs } from 'node:util';
import { type RequirementId, requirements } from '../spec/requirements.ts';
import type { EvidenceScope } from './report.ts';
import { type ReporterName, reporters } from './reporters/index.ts';
import { type Plan, planLimits, type Settings } from './settings.ts';

/** Wrong usage or configuration: exit code 2, and the message is all that is printed. */
export class UsageError extends Error {}

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
  /** Where the animals that the run leaves behind are listed. */
  readonly leftovers?: string;
  /** The whole run takes no longer, milliseconds; but for the answer that is awaited then. */
  readonly deadlineMs: number;
}

const options = {
  'api-key-env': { type: 'string' },
  'rate-limit-key-env': { type: 'string' },
  plan: { type: 'string' },
  'category-id': { type: 'string', multiple: true },
  'pet-id': { type: 'string', multiple: true },
  header: { type: 'string', multiple: true },
  'max-requests': { type: 'string' },
  'max-creates': { type: 'string' },
  'read-only': { type: 'boolean' },
  concurrency: { type: 'string' },
  timeout: { type: 'string' },
  'max-wait': { type: 'string' },
  seed: { type: 'string' },
  only: { type: 'string', multiple: true },
  now: { type: 'string' },
  'require-all': { type: 'boolean' },
  reporter: { type: 'string', multiple: true },
  evidence: { type: 'string' },
  leftovers: { type: 'string' },
  deadline: { type: 'string' },
} as const;

function readInteger(flag: string, text: string | undefined, usual: number, least: number, most = 2 ** 31): number {
  if (text === undefined) return usual;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new UsageError(`--${flag} takes a whole number from ${least} to ${most}, not "${text}".`);
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

function readInt64(flag: string, text: string): bigint {
  const value = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  if (value !== undefined && BigInt.asIntN(64, value) === value) return value;
  throw new UsageError(`--${flag} takes an integer in the range of int64, not "${text}".`);
}

function readHeader(text: string): readonly [string, string] {
  const at = text.indexOf(':');
  const name = text.slice(0, at).trim().toLowerCase();
  if (at < 1 || !/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) {
    throw new UsageError(`--header takes 'Name: value', not a text without a name.`);
  }
  if (name === 'authorization') {
    throw new UsageError('--header cannot set Authorization: name the variable with the key by --api-key-env.');
  }
  const value = text.slice(at + 1).trim();
  if (/[\0\r\n]/.test(value)) throw new UsageError(`--header ${name} must be one line.`);
  return [name, value];
}

function readOnly(values: readonly string[] | undefined): ReadonlySet<RequirementId> | undefined {
  if (values === undefined) return undefined;
  const wanted = values.map((value) => {
    const section = value.replace(/^§/, '');
    const ids = requirements
      .filter((one) => one.id === value || one.section === section || one.section.startsWith(`${section}.`))
      .map((one) => one.id);
    if (ids.length > 0) return ids;
    throw new UsageError(
      `--only ${value} matches no requirement: give an id like ${requirements[0].id} or a section like 4.1.`,
    );
  });
  return new Set(wanted.flat());
}

function readReporter(text: string): ReporterChoice {
  const at = text.indexOf('=');
  const name = at === -1 ? text : text.slice(0, at);
  if (!Object.hasOwn(reporters, name)) {
    throw new UsageError(`--reporter takes one of ${Object.keys(reporters).join(', ')}, not "${name}".`);
  }
  if (at !== -1 && text.length === at + 1) throw new UsageError(`--reporter ${name}= needs the name of a file.`);
  return { name: name as ReporterName, ...(at === -1 ? {} : { file: text.slice(at + 1) }) };
}

function readPlan(text: string): Plan {
  if (Object.hasOwn(planLimits, text)) return text as Plan;
  throw new UsageError(`--plan takes one of ${Object.keys(planLimits).join(', ')}, not "${text}".`);
}

function readDay(text: string): number {
  const day = Date.parse(text);
  if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(day)) return day;
  throw new UsageError(`--now takes a date like 2030-12-05, not "${text}".`);
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true });
  } catch (error) {
    const [sentence = 'The command line cannot be read'] = String((error as Error).message).split('. ');
    throw new UsageError(`${sentence.replace(/\.$/, '')}; see petstore-conformance --help.`);
  }
}

/** Reads the arguments after `run`. `now` and `seed` are used where the user names none. */
export function readRunArguments(args: readonly string[], defaults: { now: number; seed: number }): RunArguments {
  const { values, positionals } = parse(args);
  const [target, ...rest] = positionals;
  if (rest.length > 0)
    throw new UsageError(`Only one base address can be judged in a run, "${rest[0]}" is one too many.`);
  const only = readOnly(values.only);
  const evidence = values.evidence ?? 'cited';
  if (evidence !== 'all' && evidence !== 'cited')
    throw new UsageError(`--evidence takes all or cited, not "${evidence}".`);
  const choices = (values.reporter ?? ['terminal']).map(readReporter);
  if (choices.filter((choice) => choice.file === undefined).length > 1) {
    throw new UsageError(
      'Only one reporter can write to the standard output: give the others a file, like json=report.json.',
    );
  }
  return {
    ...(target === undefined ? {} : { baseUrl: readBaseUrl(target) }),
    apiKeyEnv: values['api-key-env'] ?? 'PETSTORE_API_KEY',
    rateLimitKeyEnv: values['rate-limit-key-env'] ?? 'PETSTORE_RATE_LIMIT_KEY',
    settings: {
      ...(values.plan === undefined ? {} : { plan: readPlan(values.plan) }),
      categoryIds: (values['category-id'] ?? []).map((text) => readInt64('category-id', text)),
      petIds: (values['pet-id'] ?? []).map((text) => readInt64('pet-id', text)),
      maxRequests: readInteger('max-requests', values['max-requests'], 300, 1),
      maxCreates: readInteger('max-creates', values['max-creates'], 60, 0),
      isReadOnly: values['read-only'] ?? false,
      concurrency: readInteger('concurrency', values.concurrency, 1, 1, 64),
      maxWaitMs: readInteger('max-wait', values['max-wait'], 75, 0, 86_400) * 1000,
      seed: readInteger('seed', values.seed, defaults.seed, 0),
      today: values.now === undefined ? defaults.now : readDay(values.now),
      headers: Object.fromEntries((values.header ?? []).map(readHeader)),
    },
    timeoutMs: readInteger('timeout', values.timeout, 10_000, 1, 600_000),
    ...(only === undefined ? {} : { only }),
    requiresAll: values['require-all'] ?? false,
    reporters: choices,
    scope: evidence,
    ...(values.leftovers === undefined ? {} : { leftovers: values.leftovers }),
    deadlineMs: readInteger('deadline', values.deadline, 1_800, 1, 86_400) * 1000,
  };
}
