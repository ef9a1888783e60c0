/** The options, one entry each: parsing, environment, configuration file, help, --print-config and `judge()`. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import { type Plan, planLimits } from '../../spec/facts.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { isSecretName } from '../http/secret-names.ts';
import { type ReporterName, reporterNames } from '../reporters/names.ts';
import { UsageError } from '../run/usage-error.ts';
import { type OutputChoice, outputAs, readBaseUrl, readGap, readSelector } from './readers.ts';
import {
  choice,
  commandLineText,
  commandLineToggle,
  day,
  duration,
  header,
  int64,
  integer,
  onCommandLine,
  plainText,
  requirementIds,
  textual,
  toggle,
  type ValueType,
  waiverFile,
} from './value-types.ts';

/** A command that reads options. */
export type CommandWithOptions =
  | 'run'
  | 'report'
  | 'compare'
  | 'explain'
  | 'observe'
  | 'client'
  | 'pact verify'
  | 'pact lint'
  | 'init';

export interface Entry {
  /** As a user writes it, with a name for its value. */
  readonly flag: string;
  /** A `list` may be given more than once. A `word` needs no flag where the command has a place for it. */
  readonly kind?: 'list' | 'word';
  /** The text that holds where none is given. A switch without `otherwise` is false. */
  readonly default?: string;
  /** The default in words, where it is not a text. */
  readonly otherwise?: string;
  readonly type: ValueType<unknown>;
  /** Folds the values of a list into one. */
  readonly gather?: (values: readonly never[]) => unknown;
  /** The part of a text that --print-config shows; all of it where undefined. */
  readonly show?: (text: string) => string;
  readonly help: string;
  readonly commands: readonly CommandWithOptions[];
}

type Entries = Readonly<Record<string, Entry>>;

function setIfAny<Id>(values: readonly (Id | readonly Id[])[]): ReadonlySet<Id> | undefined {
  return values.length === 0 ? undefined : new Set(values.flat() as Id[]);
}

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

const run = ['run'] as const;
const observe = ['observe'] as const;
const client = ['client'] as const;
const verify = ['pact verify'] as const;
const sending = [...run, ...verify] as const;
const judging = [...sending, ...observe] as const;
const reporting = [...judging, ...client] as const;

const target = {
  baseUrl: {
    flag: 'base-url URL',
    kind: 'word',
    otherwise: 'the embedded reference server; for observe, the address in the archives',
    type: textual(readBaseUrl),
    help: 'the base address of the target; commands that send requests take it as a word, BASE_URL',
    commands: [...judging, 'init'],
  },
  plan: {
    flag: 'plan NAME',
    otherwise: 'not known',
    type: choice(Object.keys(planLimits) as Plan[]),
    help: `plan of the API key: ${Object.keys(planLimits).join(', ')}`,
    commands: judging,
  },
  nameTemplate: {
    flag: 'name TEMPLATE',
    otherwise: 'cf-1a2b3c-01',
    type: plainText,
    help: 'names that the target accepts, like "Pet {n}"; {n} becomes letters that no other name has',
    commands: sending,
  },
  categoryIds: {
    flag: 'category-id N',
    kind: 'list',
    type: int64,
    help: 'a category that the target knows',
    commands: sending,
  },
  headers: {
    flag: "header 'Name: value'",
    kind: 'list',
    type: header,
    gather: (pairs: readonly (readonly [string, string])[]) => Object.fromEntries(pairs),
    show: (text) => (isSecretName(text.split(':')[0]!) ? text.replace(/:.*/s, ': (not shown)') : text),
    help: 'sent with every request, for a gateway in front of the target',
    commands: sending,
  },
  isDisposable: {
    flag: 'disposable',
    otherwise: 'true for a loopback address',
    type: toggle,
    help: 'the target may be damaged for good: also sends values that some services never recover from',
    commands: sending,
  },
  start: {
    flag: 'start COMMAND',
    type: commandLineText,
    help: 'starts the service, waits until BASE_URL answers, and ends it after the run',
    commands: run,
  },
  port: {
    flag: 'port N',
    default: '0',
    type: integer(0, 65_535),
    help: 'the port on which traffic is relayed; 0 takes a free one',
    commands: observe,
  },
  host: {
    flag: 'host HOST',
    default: '127.0.0.1',
    type: commandLineText,
    help: 'the address to listen on; beyond loopback, others can use the target through it',
    commands: observe,
  },
} as const satisfies Entries;

const budget = {
  maxRequests: {
    flag: 'max-requests N',
    otherwise: '300; 1,000 if the target is disposable or its rate limit has room, and it is fast',
    type: integer(1),
    help: 'the most requests that the run sends',
    commands: sending,
  },
  maxCreates: {
    flag: 'max-creates N',
    otherwise: '60; 200 with the larger budget',
    type: integer(0),
    help: 'the most animals that the run creates',
    commands: sending,
  },
  isReadOnly: { flag: 'read-only', type: toggle, help: 'creates nothing', commands: sending },
  concurrency: {
    flag: 'concurrency N',
    default: '1',
    type: integer(1, 64),
    help: 'the most requests at a time',
    commands: run,
  },
  ratePerMinute: {
    flag: 'rate N',
    otherwise: 'as the rate limit allows',
    type: integer(1, 1_000_000),
    help: 'the most requests a minute',
    commands: sending,
  },
  timeoutMs: {
    flag: 'timeout MS',
    default: '10000',
    type: integer(1, 600_000),
    help: 'for one exchange, milliseconds',
    commands: sending,
  },
  maxWaitMs: {
    flag: 'max-wait S',
    default: '75',
    type: duration(0, 86_400),
    help: 'the longest single wait for a rate limit',
    commands: sending,
  },
  settleMs: {
    flag: 'settle S',
    default: '2',
    type: duration(0, 3_600),
    help: 'how long a created animal that is missing has to appear before the run asks again',
    commands: judging,
  },
  deadlineMs: {
    flag: 'deadline S',
    default: '1800',
    type: duration(1, 86_400),
    help: 'for the whole run',
    commands: [...sending, ...client],
  },
  isDryRun: {
    flag: 'dry-run',
    type: commandLineToggle,
    help: 'shows what the run would send, and sends nothing',
    commands: run,
  },
  maxRuns: {
    flag: 'runs N',
    default: '100',
    type: integer(1, 10_000),
    help: 'the most runs of the command: under each legal difference alone, then under combinations of them',
    commands: client,
  },
  timeLimitMs: {
    flag: 'time-limit S',
    default: '60',
    type: duration(1, 3_600),
    help: 'for one run of the command; then it is killed with its children',
    commands: client,
  },
  idleMs: {
    flag: 'idle S',
    otherwise: 'until it is interrupted',
    type: duration(1, 86_400),
    help: 'ends after so long without relayed traffic',
    commands: observe,
  },
} as const satisfies Entries;

const judged = {
  seed: {
    flag: 'seed N',
    otherwise: 'random',
    type: integer(0),
    help: 'makes the values of the run repeatable',
    commands: [...run, ...client],
  },
  only: {
    flag: 'only ID|SECTION',
    kind: 'list',
    otherwise: 'all',
    type: requirementIds,
    gather: setIfAny<RequirementId>,
    help: 'judges only these requirements',
    commands: [...run, ...observe],
  },
  lastFailed: {
    flag: 'last-failed REPORT',
    type: commandLineText,
    help: 'judges only what failed or warned in a JSON report; with --only ID, sends the requests of that failure again',
    commands: run,
  },
  gapProfile: {
    flag: 'gaps PROFILE',
    type: commandLineText,
    help: 'runs only under services that answer gaps as this profile does (YAML, from --reporter profile)',
    commands: client,
  },
  onlyGaps: {
    flag: 'differs-in GAP',
    kind: 'list',
    otherwise: 'all',
    type: onCommandLine(readGap),
    gather: setIfAny<ClientRequirementId>,
    help: 'runs only against the services that differ in these gaps',
    commands: client,
  },
  today: { flag: 'now DATE', otherwise: 'today', type: day, help: 'judges as on this day', commands: judging },
  waivers: {
    flag: 'waivers FILE',
    type: waiverFile,
    help: 'known failures that are accepted until a day (YAML)',
    commands: reporting,
  },
  requiresAll: {
    flag: 'require-all',
    type: toggle,
    help: 'ends with 3 where a requirement is skipped or inconclusive',
    commands: judging,
  },
} as const satisfies Entries;

const reports = {
  reporters: {
    flag: 'reporter NAME[=FILE]',
    kind: 'list',
    default: 'terminal',
    type: onCommandLine(outputAs(reporterNames)),
    gather: checkStandardOutput,
    help: `${reporterNames.join(', ')}; without a file, or with -, to standard output`,
    commands: [...reporting, 'report', 'compare', 'pact lint'],
  },
  isVerbose: {
    flag: 'verbose',
    type: commandLineToggle,
    help: 'the terminal shows every requirement, and the answers to all gaps',
    commands: [...reporting, 'report'],
  },
  isQuiet: {
    flag: 'quiet',
    type: commandLineToggle,
    help: 'the terminal shows one line, and no progress',
    commands: [...reporting, 'report'],
  },
  outputFolder: {
    flag: 'output FOLDER',
    otherwise: 'a new temporary folder',
    type: commandLineText,
    help: 'the output of the command, a file for each service, without keys',
    commands: client,
  },
} as const satisfies Entries;

const ofPacts = {
  pacts: {
    flag: 'pact FILE|FOLDER|URL',
    kind: 'list',
    type: commandLineText,
    help: 'pacts to verify',
    commands: verify,
  },
  brokerUrl: {
    flag: 'broker-url URL',
    otherwise: 'PACT_BROKER_BASE_URL',
    type: onCommandLine(readBaseUrl),
    help: 'a Pact Broker; its token comes from PACT_BROKER_TOKEN',
    commands: verify,
  },
  provider: {
    flag: 'provider NAME',
    default: 'pet-store',
    type: commandLineText,
    help: 'the name of the service at the broker, and in a folder of pacts with several services',
    commands: verify,
  },
  selectors: {
    flag: 'selector PART[,PART]',
    kind: 'list',
    otherwise: 'the choice of the broker',
    type: onCommandLine(readSelector),
    help: 'mainBranch, deployedOrReleased, branch=NAME, environment=NAME, consumer=NAME…',
    commands: verify,
  },
  isPendingEnabled: {
    flag: 'pending',
    type: commandLineToggle,
    help: 'pacts that were never verified may fail',
    commands: verify,
  },
  providerVersion: {
    flag: 'provider-version V',
    type: commandLineText,
    help: 'the version that is verified',
    commands: verify,
  },
  providerBranch: {
    flag: 'provider-branch B',
    type: commandLineText,
    help: 'the branch that is verified',
    commands: verify,
  },
  publishes: {
    flag: 'publish',
    type: commandLineToggle,
    help: 'publishes the results to the broker',
    commands: verify,
  },
} as const satisfies Entries;

const configuration = {
  configurationFile: {
    flag: 'config FILE',
    otherwise: 'petstore-conformance.config.yaml in this folder',
    type: commandLineText,
    help: 'the configuration file',
    commands: [...reporting, 'report', 'compare'],
  },
  printsConfiguration: {
    flag: 'print-config',
    type: commandLineToggle,
    help: 'shows every option with its origin, and does nothing else',
    commands: reporting,
  },
} as const satisfies Entries;

export const groups: Readonly<Record<string, Entries>> = {
  Target: target,
  'Budget and pace': budget,
  'What is judged': judged,
  Reports: reports,
  Pacts: ofPacts,
  Configuration: configuration,
};

export const options = { ...target, ...budget, ...judged, ...reports, ...ofPacts, ...configuration };
