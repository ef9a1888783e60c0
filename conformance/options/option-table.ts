/** The options, one row each: parsing, environment, configuration file, help and `judge()`. */

import { type Plan, planLimits } from '../../spec/facts.ts';
import { reporterNames } from '../reporters/names.ts';
import {
  address,
  anyText,
  choice,
  dayOrTime,
  duration,
  gap,
  header,
  ids,
  int64,
  type Output,
  output,
  toggle,
  type ValueType,
  wholeNumber,
} from './readers.ts';
import { waivers } from './waivers.ts';

/** What reads an option: commands, and `judge()` for a program that calls it. */
type ReaderNames = readonly string[];
/** Folds the values of an option that may be given more than once into one. */
type Gather<Value, All> = (values: readonly Value[]) => All;

export interface OptionRow<Value = unknown, Readers extends ReaderNames = ReaderNames> {
  /** As a user writes it, with a name for its value in angle brackets. */
  readonly flag: string;
  readonly type: ValueType<unknown>;
  readonly readers: Readers;
  readonly help: string;
  /** The text that holds where none is given. */
  readonly default?: string | undefined;
  /** Undefined where only one value may be given: the last wins. */
  readonly gather?: Gather<never, unknown>;
  /** Carries the type of what a command gets; no row holds it. */
  readonly value?: Value;
}

/** An option with one value: the last that is given, or else the usual one, if there is one. */
function one<Value, const Readers extends ReaderNames, Usual extends string | undefined = undefined>(
  flag: string,
  type: ValueType<Value>,
  readers: Readers,
  help: string,
  usual?: Usual,
): OptionRow<Usual extends string ? Value : Value | undefined, Readers> {
  return { flag, type, readers, help, default: usual };
}

/** An option with any number of values. */
function repeatable<Value, All, const Readers extends ReaderNames>(
  gather: Gather<Value, All>,
  flag: string,
  type: ValueType<Value>,
  readers: Readers,
  help: string,
  usual?: string,
): OptionRow<All, Readers> {
  return { flag, type, readers, help, default: usual, gather };
}

function asList<Value>(values: readonly Value[]): readonly Value[] {
  return values;
}

function setIfAny<Id extends string>(values: readonly (Id | readonly Id[])[]): ReadonlySet<Id> | undefined {
  return values.length === 0 ? undefined : new Set(values.flat() as Id[]);
}

const ofRun = ['run'] as const;
const ofObserve = ['observe'] as const;
const ofClient = ['client'] as const;
const ofVerify = ['pact verify'] as const;
/** They plan their own requests. */
const planning = [...ofRun, 'judge()'] as const;
/** They send requests to a target. */
const sending = [...planning, ...ofVerify] as const;
/** They judge a target. */
const judging = [...sending, ...ofObserve] as const;
/** They end with a report of what they judged. */
const reporting = [...ofRun, ...ofVerify, ...ofObserve, ...ofClient] as const;
/** They write a report. */
const writing = [...reporting, 'report'] as const;
const planNames = Object.keys(planLimits) as Plan[];
const addressDefault = 'default: as --embedded says; for observe, the address in the archives';
const embeddedDefault = 'default: true without CI, PETSTORE_ variables and a configuration';
const requestsDefault = '300; 1,000 if the target is disposable or its rate limit has room, and it is fast';
const reporterHelp = `${reporterNames.join(', ')}; to standard output without a file`;

const target = {
  baseUrl: one('base-url <URL>', address, [...judging, 'init'], `the base address (${addressDefault})`),
  isEmbedded: one(
    'embedded',
    toggle,
    sending,
    `without a base address, judges the embedded reference server (${embeddedDefault})`,
  ),
  plan: one(
    'plan <NAME>',
    choice(planNames),
    judging,
    `plan of the API key: ${planNames.join(', ')} (default: not known)`,
  ),
  nameTemplate: one('name <TEMPLATE>', anyText, sending, 'names that the target accepts, like "Pet {n}"'),
  categoryIds: repeatable(asList<bigint>, 'category-id <N>', int64, sending, 'a category that the target knows'),
  headers: repeatable(Object.fromEntries<string>, "header <'Name: value'>", header, sending, 'sent for a gateway'),
  isDisposable: one('disposable', toggle, sending, 'the target may be damaged (default: true for a loopback address)'),
  start: one('start <COMMAND>', anyText, ofRun, 'starts the service and ends it after the run'),
  port: one('port <N>', wholeNumber(0, 65_535), ofObserve, 'relays traffic on this port; 0 takes a free one', '0'),
};

const budget = {
  maxRequests: one(
    'max-requests <N>',
    wholeNumber(1),
    sending,
    `the most requests that the run sends (default: ${requestsDefault})`,
  ),
  maxCreates: one('max-creates <N>', wholeNumber(0), sending, 'the most animals to create (default: 61; 201 of 1,000)'),
  isReadOnly: one('read-only', toggle, sending, 'creates nothing', 'false'),
  concurrency: one('concurrency <N>', wholeNumber(1, 64), planning, 'the most requests at a time', '1'),
  ratePerMinute: one(
    'rate <N>',
    wholeNumber(1, 1e6),
    sending,
    'the most requests a minute (default: as the limit allows)',
  ),
  timeoutMs: one('timeout <MS>', wholeNumber(1, 600_000), sending, 'for one exchange, milliseconds', '10000'),
  maxWaitMs: one('max-wait <S>', duration(0, 86_400), sending, 'the longest wait for a rate limit, seconds', '75'),
  settleMs: one('settle <S>', duration(0, 3_600), judging, 'how soon an animal is listed and found, seconds', '2'),
  deadlineMs: one('deadline <S>', duration(1, 86_400), [...sending, ...ofClient], 'for the whole run, seconds', '1800'),
  isDryRun: one('dry-run', toggle, ofRun, 'shows what the run would send, and sends nothing', 'false'),
  timeLimitMs: one('time-limit <S>', duration(1, 3_600), ofClient, 'for one run, which is then killed, seconds', '60'),
};

const judged = {
  seed: one('seed <N>', wholeNumber(0), planning, 'makes the values of the run repeatable (default: random)'),
  only: repeatable(setIfAny, 'only <ID|SECTION>', ids, [...planning, ...ofObserve], 'judges only these requirements'),
  lastFailed: one('last-failed <REPORT>', anyText, ofRun, 'judges what failed or warned in a JSON report'),
  gapProfile: one('gaps <PROFILE>', anyText, ofClient, 'only services that answer like this profile (YAML)'),
  onlyGaps: repeatable(setIfAny, 'differs-in <GAP>', gap, ofClient, 'only services that differ in this gap'),
  today: one('now <DATE>', dayOrTime, judging, 'judges as on this day (default: today)'),
  waivers: one('waivers <FILE>', waivers, [...judging, ...ofClient], 'failures that are accepted until a day (YAML)'),
  maxOutages: one(
    'max-outages <N>',
    wholeNumber(0),
    judging,
    'ends with 3 where more answers were of a gateway (502, 503, 504) or missing (default: any number that is waited out)',
  ),
  requiresAll: one('require-all', toggle, judging, 'ends with 3 where a requirement was not judged', 'false'),
};

const reports = {
  reporters: repeatable(
    asList<Output>,
    'reporter <NAME[=FILE]>',
    output,
    [...writing, 'compare'],
    reporterHelp,
    'terminal',
  ),
  isVerbose: one(
    'verbose',
    toggle,
    [...writing, 'explain'],
    'every requirement and gap; for explain, all proofs',
    'false',
  ),
  isQuiet: one('quiet', toggle, writing, 'the terminal shows one line, and no progress', 'false'),
  outputFolder: one('output <FOLDER>', anyText, ofClient, 'what the command prints (default: a new temporary folder)'),
};

const ofPacts = {
  pacts: repeatable(
    asList<string>,
    'pact <FILE|FOLDER|URL>',
    anyText,
    ofVerify,
    'pacts to verify; a URL is one of the broker',
  ),
  provider: one('provider <NAME>', anyText, ofVerify, 'the name of the service in pacts', 'pet-store'),
  providerVersion: one(
    'provider-version <V>',
    anyText,
    ofVerify,
    'publishes the results to the broker for this version',
  ),
  providerBranch: one('provider-branch <B>', anyText, ofVerify, 'its branch; pacts that it never kept may fail'),
};

const configuration = {
  configurationFile: one('config <FILE>', anyText, reporting, 'instead of petstore-conformance.config.yaml'),
};

export const groups: Readonly<Record<string, Readonly<Record<string, OptionRow>>>> = {
  Target: target,
  'Budget and pace': budget,
  'What is judged': judged,
  Reports: reports,
  Pacts: ofPacts,
  Configuration: configuration,
};

export const optionTable = { ...target, ...budget, ...judged, ...reports, ...ofPacts, ...configuration };
