/** The options, one row each: parsing, environment, configuration file, help and `judge()`. */

import { type Plan, planLimits } from '../../spec/facts.ts';
import { reporterNames } from '../reporters/names.ts';
import {
  address,
  choice,
  day,
  duration,
  gap,
  header,
  ids,
  int64,
  integer,
  type Output,
  output,
  text,
  toggle,
  type ValueType,
} from './readers.ts';
import { waivers } from './waivers.ts';

/** What reads an option: commands, or a program that calls judge(). */
type Some = readonly string[];
type Gather<Value, All> = (values: readonly Value[]) => All;

export interface Row<Value = unknown, Readers extends Some = Some> {
  /** As a user writes it, with a name for its value in angle brackets. */
  readonly flag: string;
  readonly type: ValueType<unknown>;
  readonly readers: Readers;
  readonly help: string;
  /** The text that holds where none is given. */
  readonly default?: string;
  /** Folds several values into one; only where an option may be given more than once. */
  readonly gather?: Gather<never, unknown>;
  /** Carries the type of what a command gets; no row holds it. */
  readonly value?: Value;
}

/** One value or none. */
function one<Value, const Readers extends Some>(
  ...[flag, type, readers, help]: [string, ValueType<Value>, Readers, string]
): Row<Value | undefined, Readers> {
  return { flag, type, readers, help };
}

/** One value, and a text that holds where none is given. */
function usual<Value, const Readers extends Some>(
  ...[flag, usualText, type, readers, help]: [string, string, ValueType<Value>, Readers, string]
): Row<Value, Readers> {
  return { flag, type, readers, help, default: usualText };
}

/** Any number of values, folded into one by `gather`. */
function list<Value, All, const Readers extends Some>(
  ...[flag, type, gather, readers, help]: [string, ValueType<Value>, Gather<Value, All>, Readers, string]
): Row<All, Readers> {
  return { flag, type, gather, readers, help };
}

function all<Value>(values: readonly Value[]): readonly Value[] {
  return values;
}

function setIfAny<Id extends string>(values: readonly (Id | readonly Id[])[]): ReadonlySet<Id> | undefined {
  return values.length === 0 ? undefined : new Set(values.flat() as Id[]);
}

const run = ['run'] as const;
const observe = ['observe'] as const;
const client = ['client'] as const;
const verify = ['pact verify'] as const;
const running = [...run, 'judge()'] as const;
const sending = [...running, ...verify] as const;
const judging = [...sending, ...observe] as const;
const reporting = [...run, ...verify, ...observe, ...client] as const;
const written = [...reporting, 'report'] as const;
const plans = Object.keys(planLimits) as Plan[];
// Texts that are too long for the line of their row.
const byWord = 'the base address; commands that send requests take it as a word';
const otherwise = 'default: the embedded reference server; for observe, the address in the archives';
const roomy = '300; 1,000 if the target is disposable or its rate limit has room, and it is fast';
const names = 'names that the target accepts, like "Pet {n}" (default: cFbkcldmaab)';
const damaged = 'the target may be damaged for good (default: true for a loopback address)';
const creations = 'the most animals to create (default: 61; 201 with 1,000 requests)';
const longestWait = 'the longest single wait for a rate limit, seconds';
const soon = 'how soon a created animal is listed and found, seconds';
const shown = `${reporterNames.join(', ')}; without a file, or with -, to standard output`;
const verbose = 'the terminal shows every requirement and gap, and explain the checks and faults';
const printed = 'what the command prints, by service (default: a new temporary folder)';
const branch = 'its branch; pacts that it never kept are pending, and may fail';
const usualFile = 'the configuration file (default: petstore-conformance.config.yaml in this folder)';
const gateway = 'sent with every request, for a gateway';

const target = {
  baseUrl: one('base-url <URL>', address, [...judging, 'init'], `${byWord} (${otherwise})`),
  plan: one('plan <NAME>', choice(plans), judging, `plan of the API key: ${plans.join(', ')} (default: not known)`),
  nameTemplate: one('name <TEMPLATE>', text, sending, names),
  categoryIds: list('category-id <N>', int64, all<bigint>, sending, 'a category that the target knows'),
  headers: list("header <'Name: value'>", header, Object.fromEntries<string>, sending, gateway),
  isDisposable: one('disposable', toggle, sending, damaged),
  start: one('start <COMMAND>', text, run, 'starts the service and ends it after the run'),
  port: usual('port <N>', '0', integer(0, 65_535), observe, 'relays traffic on this port; 0 takes a free one'),
};

const budget = {
  maxRequests: one('max-requests <N>', integer(1), sending, `the most requests that the run sends (default: ${roomy})`),
  maxCreates: one('max-creates <N>', integer(0), sending, creations),
  isReadOnly: usual('read-only', 'false', toggle, sending, 'creates nothing'),
  concurrency: usual('concurrency <N>', '1', integer(1, 64), running, 'the most requests at a time'),
  ratePerMinute: one(
    'rate <N>',
    integer(1, 1e6),
    sending,
    'the most requests a minute (default: as the rate limit allows)',
  ),
  timeoutMs: usual('timeout <MS>', '10000', integer(1, 600_000), sending, 'for one exchange, milliseconds'),
  maxWaitMs: usual('max-wait <S>', '75', duration(0, 86_400), sending, longestWait),
  settleMs: usual('settle <S>', '2', duration(0, 3_600), judging, soon),
  deadlineMs: usual('deadline <S>', '1800', duration(1, 86_400), [...sending, ...client], 'for the whole run, seconds'),
  isDryRun: usual('dry-run', 'false', toggle, run, 'shows what the run would send, and sends nothing'),
  timeLimitMs: usual('time-limit <S>', '60', duration(1, 3_600), client, 'for one run, which is then killed, seconds'),
};

const judged = {
  seed: one('seed <N>', integer(0), running, 'makes the values of the run repeatable (default: random)'),
  only: list('only <ID|SECTION>', ids, setIfAny, [...running, ...observe], 'judges only these requirements'),
  lastFailed: one('last-failed <REPORT>', text, run, 'judges what failed or warned in a JSON report'),
  gapProfile: one('gaps <PROFILE>', text, client, 'only services that answer like this profile (YAML)'),
  onlyGaps: list('differs-in <GAP>', gap, setIfAny, client, 'only services that differ in this gap'),
  today: one('now <DATE>', day, judging, 'judges as on this day (default: today)'),
  waivers: one('waivers <FILE>', waivers, [...judging, ...client], 'failures that are accepted until a day (YAML)'),
  requiresAll: usual('require-all', 'false', toggle, judging, 'ends with 3 where a requirement was not judged'),
};

const reports = {
  reporters: {
    ...list('reporter <NAME[=FILE]>', output, all<Output>, [...written, 'compare'], shown),
    default: 'terminal',
  },
  isVerbose: usual('verbose', 'false', toggle, [...written, 'explain'], verbose),
  isQuiet: usual('quiet', 'false', toggle, written, 'the terminal shows one line, and no progress'),
  outputFolder: one('output <FOLDER>', text, client, printed),
};

const ofPacts = {
  pacts: list('pact <FILE|FOLDER|URL>', text, all<string>, verify, 'pacts to verify; a URL is one of the broker'),
  provider: usual('provider <NAME>', 'pet-store', text, verify, 'the name of the service in pacts'),
  providerVersion: one('provider-version <V>', text, verify, 'publishes the results to the broker for this version'),
  providerBranch: one('provider-branch <B>', text, verify, branch),
};

const configuration = { configurationFile: one('config <FILE>', text, reporting, usualFile) };

export const groups: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  Target: target,
  'Budget and pace': budget,
  'What is judged': judged,
  Reports: reports,
  Pacts: ofPacts,
  Configuration: configuration,
};

export const options = { ...target, ...budget, ...judged, ...reports, ...ofPacts, ...configuration };
