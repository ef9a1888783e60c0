/** The options, one row each: parsing, environment, configuration file, help and `judge()`. */

import { type Plan, planLimits } from '../../spec/facts.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { type ReporterName, reporterNames } from '../reporters/names.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Waiver, Waivers } from '../verdict/waivers.ts';
import {
  choice,
  day,
  duration,
  int64,
  integer,
  type OutputChoice,
  outputAs,
  type Reader,
  readBaseUrl,
  readGap,
  readHeader,
  readRequirements,
  text,
  toggle,
  type ValueType,
} from './readers.ts';
import { readWaiverList } from './waivers.ts';

/** A command that reads options. */
export type Reading = 'run' | 'observe' | 'client' | 'pact verify' | 'report' | 'compare' | 'explain' | 'init';
type Some = readonly Reading[];

export interface Row<Value = unknown, Commands extends Some = Some, Given = unknown> {
  /** As a user writes it, with a name for its value in angle brackets. */
  readonly flag: string;
  readonly type: ValueType<unknown>;
  readonly commands: Commands;
  readonly help: string;
  /** A `word` needs no flag where the command has a place for it. A `list` may be given more than once. */
  readonly kind: 'text' | 'switch' | 'list' | 'word';
  /** The text that holds where none is given. */
  readonly default?: string;
  /** What holds where none is given, in words. */
  readonly otherwise?: string;
  /** Folds the values of a list into one. */
  readonly gather?: (values: readonly never[]) => unknown;
  /** The types of what a command gets, and of what a program gives; no row holds them. */
  readonly value?: Value;
  readonly given?: Given;
}

/** One value or none; `otherwise` says what holds without it. */
function one<Value, Given, const Commands extends Some>(
  ...[flag, type, commands, help, otherwise]: [string, ValueType<Value, Given>, Commands, string, string?]
): Row<Value | undefined, Commands, Given> {
  const kind = type.isSwitch ? 'switch' : 'text';
  return { flag, type, commands, help, kind, ...(otherwise === undefined ? {} : { otherwise }) };
}

/** One value, and a text that holds where none is given. */
function usual<Value, Given, const Commands extends Some>(
  ...[flag, usualText, type, commands, help]: [string, string, ValueType<Value, Given>, Commands, string]
): Row<Value, Commands, Given> {
  return { flag, type, commands, help, kind: type.isSwitch ? 'switch' : 'text', default: usualText };
}

/** A switch that is off. */
function off<const Commands extends Some>(flag: string, commands: Commands, help: string) {
  return usual(flag, 'false', toggle, commands, help);
}

/** Values that `gather` folds into one. */
function list<Value, Item, const Commands extends Some, All = readonly Value[]>(
  ...[flag, type, commands, help, gather]: [
    string,
    ValueType<Value, Item>,
    Commands,
    string,
    ((values: readonly Value[]) => All)?,
  ]
): Row<All, Commands, readonly Item[]> {
  return { flag, type, commands, help, kind: 'list', ...(gather === undefined ? {} : { gather }) };
}

/** A type that only has a reader. */
function readBy<Value, Given = Value>(read: Reader<Value>): ValueType<Value, Given> {
  return { read };
}

function setIfAny<Id extends string>(values: readonly (Id | readonly Id[])[]): ReadonlySet<Id> | undefined {
  return values.length === 0 ? undefined : new Set(values.flat() as Id[]);
}

/** Waivers as a program gives them; a command line names a file that holds them. */
const waiverFile: ValueType<Waivers, readonly (Waiver & { readonly id: RequirementId })[]> = {
  read: () => {
    throw new Error('The content of the file is read, not its name.');
  },
  readContent: readWaiverList,
};

/** GitHub reads the lines that are commands and shows the rest, so these two may share the standard output. */
const mayShare: ReadonlySet<string> = new Set(['terminal', 'github']);

/** Two formats on the standard output would make neither readable by a program. */
function checkStandardOutput(choices: readonly OutputChoice<ReporterName>[]): readonly OutputChoice<ReporterName>[] {
  const printed = choices.filter(({ file }) => file === undefined).map(({ name }) => name);
  const isShared = printed.every((name) => mayShare.has(name)) && new Set(printed).size === printed.length;
  if (printed.length <= 1 || isShared) return choices;
  throw new UsageError(
    'Only one format can be written to the standard output, or terminal and github together: give the others a file, like json=report.json.',
  );
}

const reporter = readBy(outputAs(reporterNames));
const run = ['run'] as const;
const observe = ['observe'] as const;
const client = ['client'] as const;
const verify = ['pact verify'] as const;
const sending = [...run, ...verify] as const;
const judging = [...sending, ...observe] as const;
const reporting = [...judging, ...client] as const;
const written = [...reporting, 'report'] as const;
const plans = Object.keys(planLimits) as Plan[];
const archived = 'the embedded reference server; for observe, the address in the archives';
const address = 'the base address; commands that send requests take it as a word';
const loopback = 'true for a loopback address';
const roomy = '300; 1,000 if the target is disposable or its rate limit has room, and it is fast';
const shown = `${reporterNames.join(', ')}; without a file, or with -, to standard output`;
const verbose = 'the terminal shows every requirement and gap, and explain the checks and faults';
const usualFile = 'petstore-conformance.config.yaml in this folder';
const gateway = 'sent with every request, for a gateway';
/** A program gives headers as an object. */
type HeaderRow = Row<Readonly<Record<string, string>>, typeof sending, Readonly<Record<string, string>>>;
const headerRow: unknown = list("header <'Name: value'>", readBy(readHeader), sending, gateway, Object.fromEntries);
const requirementIds = readBy<readonly RequirementId[], string>(readRequirements);

const target = {
  baseUrl: { ...one('base-url <URL>', readBy(readBaseUrl), [...judging, 'init'], address, archived), kind: 'word' },
  plan: one('plan <NAME>', choice(plans), judging, `plan of the API key: ${plans.join(', ')}`, 'not known'),
  nameTemplate: one('name <TEMPLATE>', text, sending, 'names that the target accepts, like "Pet {n}"', 'cf-1a2b3c-01'),
  categoryIds: list('category-id <N>', int64, sending, 'a category that the target knows'),
  headers: headerRow as HeaderRow,
  isDisposable: one('disposable', toggle, sending, 'the target may be damaged for good', loopback),
  start: one('start <COMMAND>', text, run, 'starts the service and ends it after the run'),
  port: usual('port <N>', '0', integer(0, 65_535), observe, 'relays traffic on this port; 0 takes a free one'),
} as const;

const budget = {
  maxRequests: one('max-requests <N>', integer(1), sending, 'the most requests that the run sends', roomy),
  maxCreates: one('max-creates <N>', integer(0), sending, 'the most animals to create', '61; 201 with 1,000 requests'),
  isReadOnly: off('read-only', sending, 'creates nothing'),
  concurrency: usual('concurrency <N>', '1', integer(1, 64), run, 'the most requests at a time'),
  ratePerMinute: one('rate <N>', integer(1, 1e6), sending, 'the most requests a minute', 'as the rate limit allows'),
  timeoutMs: usual('timeout <MS>', '10000', integer(1, 600_000), sending, 'for one exchange, milliseconds'),
  maxWaitMs: usual('max-wait <S>', '75', duration(0, 86_400), sending, 'the longest single wait for a rate limit'),
  settleMs: usual('settle <S>', '2', duration(0, 3_600), judging, 'how soon a created animal is listed and found'),
  deadlineMs: usual('deadline <S>', '1800', duration(1, 86_400), [...sending, ...client], 'for the whole run'),
  isDryRun: off('dry-run', run, 'shows what the run would send, and sends nothing'),
  timeLimitMs: usual('time-limit <S>', '60', duration(1, 3_600), client, 'for one run, which is then killed'),
} as const;

const judged = {
  seed: one('seed <N>', integer(0), run, 'makes the values of the run repeatable', 'random'),
  only: list('only <ID|SECTION>', requirementIds, [...run, ...observe], 'judges only these requirements', setIfAny),
  lastFailed: one('last-failed <REPORT>', text, run, 'judges what failed or warned in a JSON report'),
  gapProfile: one('gaps <PROFILE>', text, client, 'only services that answer like this profile (YAML)'),
  onlyGaps: list('differs-in <GAP>', readBy(readGap), client, 'only services that differ in this gap', setIfAny),
  today: one('now <DATE>', day, judging, 'judges as on this day', 'today'),
  waivers: one('waivers <FILE>', waiverFile, reporting, 'failures that are accepted until a day (YAML)'),
  requiresAll: off('require-all', judging, 'ends with 3 where a requirement was not judged'),
} as const;

const reports = {
  reporters: {
    ...list('reporter <NAME[=FILE]>', reporter, [...written, 'compare'], shown, checkStandardOutput),
    default: 'terminal',
  },
  isVerbose: off('verbose', [...written, 'explain'], verbose),
  isQuiet: off('quiet', written, 'the terminal shows one line, and no progress'),
  outputFolder: one('output <FOLDER>', text, client, 'what the command prints, by service', 'a new temporary folder'),
} as const;

const ofPacts = {
  pacts: list('pact <FILE|FOLDER|URL>', text, verify, 'pacts to verify; a URL is one of the broker'),
  provider: usual('provider <NAME>', 'pet-store', text, verify, 'the name of the service in pacts'),
  providerVersion: one('provider-version <V>', text, verify, 'publishes the results to the broker for this version'),
  providerBranch: one(
    'provider-branch <B>',
    text,
    verify,
    'its branch; pacts that it never kept are pending, and may fail',
  ),
} as const;

const configuration = {
  configurationFile: one('config <FILE>', text, reporting, 'the configuration file', usualFile),
} as const;

export const groups: Readonly<Record<string, Readonly<Record<string, Row>>>> = {
  Target: target,
  'Budget and pace': budget,
  'What is judged': judged,
  Reports: reports,
  Pacts: ofPacts,
  Configuration: configuration,
};

export const options = { ...target, ...budget, ...judged, ...reports, ...ofPacts, ...configuration };

/** The options of a run that only a command line has a use for: a program does the same by itself. */
export const onlyOnLine = [
  'start',
  'isDryRun',
  'lastFailed',
  'reporters',
  'isVerbose',
  'isQuiet',
  'configurationFile',
] as const satisfies readonly (keyof typeof options)[];
