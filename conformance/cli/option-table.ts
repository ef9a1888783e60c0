/** The options, one entry each: parsing, environment, configuration file, help, completion, --print-config and `judge()`. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import { type Plan, planLimits } from '../../spec/facts.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { isSecretName } from '../http/secret-names.ts';
import { type ComparisonFormat, comparisonFormats } from '../reporters/comparison/index.ts';
import { type ReporterName, reporters } from '../reporters/index.ts';
import type { EvidenceScope } from '../verdict/report.ts';
import { readGapProfile, readServiceVariant } from './client-readers.ts';
import type { CommandName } from './commands.ts';
import { showVariable } from './own-secrets.ts';
import {
  type OutputChoice,
  outputAs,
  readArtefact,
  readBaseUrl,
  readBuildUrl,
  readDay,
  readGap,
  readReporter,
  readSelector,
  readWords,
} from './readers.ts';
import { UsageError } from './usage-error.ts';
import {
  addressAs,
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
  toggle,
  type ValueType,
  waiverFile,
} from './value-types.ts';

export const groups = ['Target', 'Budget and pace', 'What is judged', 'Reports', 'Pacts'] as const;

export interface Option {
  /** As a user writes it, with a name for its value. A `word` needs no flag where the command has a place for it. */
  readonly flag: string;
  /** A `list` may be given more than once; a `switch` takes no value and is turned off by `--no-…`. */
  readonly kind: 'text' | 'list' | 'switch' | 'word';
  /** The text that holds where none is given. A switch without `otherwise` is false. */
  readonly default?: string;
  /** The text that a flag without a value stands for, at the end of the line. */
  readonly bare?: string;
  /** What holds where nothing is given, in words, where no text can say it. */
  readonly otherwise?: string;
  readonly type: ValueType<unknown>;
  /** Folds the values of a list into one. */
  readonly gather?: (values: readonly never[]) => unknown;
  /** The part of a text that may be shown; all of it where undefined. */
  readonly show?: (text: string) => string;
  readonly help: string;
  readonly group: (typeof groups)[number];
  readonly commands: readonly CommandName[];
}

function setIfAny<Id>(values: readonly (Id | readonly Id[])[]): ReadonlySet<Id> | undefined {
  return values.length === 0 ? undefined : new Set(values.flat() as Id[]);
}

/** GitHub reads the lines that are commands and shows the rest, so these two may share the standard output. */
const mayShare: ReadonlySet<string> = new Set(['terminal', 'github']);

/** Two formats on the standard output would make neither readable by a program. */
function checkStandardOutput<Name extends string>(
  choices: readonly OutputChoice<Name>[],
): readonly OutputChoice<Name>[] {
  const printed = choices.filter(({ file }) => file === undefined).map(({ name }) => name);
  const isShared = printed.every((name) => mayShare.has(name)) && new Set(printed).size === printed.length;
  if (printed.length <= 1 || isShared) return choices;
  throw new UsageError(
    'Only one format can be written to the standard output, or terminal and github together: give the others a file, like json=report.json.',
  );
}

function showHeader(text: string): string {
  const [name = ''] = text.split(':');
  return isSecretName(name) ? `${name}: (not shown)` : text;
}

const plans = choice(Object.keys(planLimits) as Plan[]);

/** `plan` rehearses a run, so it takes the same options. */
const run = ['run', 'plan'] as const;
const runOrVerify = ['run', 'plan', 'pact verify'] as const;
const anyTarget = ['run', 'plan', 'replay', 'pact verify'] as const;
const traffic = ['observe', 'watch'] as const;
const anyAddress = [...anyTarget, ...traffic] as const;
const anyBase = [...anyAddress, 'init'] as const;
const anyJudge = [...runOrVerify, ...traffic] as const;
const client = ['client'] as const;
const runOrClient = [...run, ...client] as const;
const anyRun = [...anyTarget, ...client] as const;
const verify = ['pact verify'] as const;
const anyReport = [...anyJudge, 'report', ...client] as const;

export const options = {
  baseUrl: {
    flag: 'base-url URL',
    kind: 'word',
    otherwise: 'the embedded reference server; for observe, the address in the archives',
    type: addressAs(readBaseUrl),
    help: 'the base address of the target; commands that send requests take it as a word, BASE_URL',
    group: 'Target',
    commands: anyBase,
  },
  apiKeyEnv: {
    flag: 'api-key-env NAME',
    kind: 'text',
    default: 'PETSTORE_API_KEY',
    type: commandLineText,
    show: (name) => showVariable(name),
    help: 'variable with the API key',
    group: 'Target',
    commands: anyAddress,
  },
  rateLimitKeyEnv: {
    flag: 'rate-limit-key-env NAME',
    kind: 'text',
    default: 'PETSTORE_RATE_LIMIT_KEY',
    type: commandLineText,
    show: (name) => showVariable(name),
    help: 'variable with a second key that the run may exhaust',
    group: 'Target',
    commands: anyTarget,
  },
  plan: {
    flag: 'plan NAME',
    kind: 'text',
    otherwise: 'not known',
    type: plans,
    help: `plan of the API key: ${Object.keys(planLimits).join(', ')}`,
    group: 'Target',
    commands: anyAddress,
  },
  rateLimitPlan: {
    flag: 'rate-limit-plan NAME',
    kind: 'text',
    otherwise: 'not known',
    type: plans,
    help: 'plan of the key that the run may exhaust',
    group: 'Target',
    commands: anyTarget,
  },
  nameTemplate: {
    flag: 'name TEMPLATE',
    kind: 'text',
    otherwise: 'cf-1a2b3c-01',
    type: plainText,
    help: 'names that the target accepts, like "Pet {n}"; {n} becomes letters that no other name has',
    group: 'Target',
    commands: anyTarget,
  },
  isDisposable: {
    flag: 'disposable',
    kind: 'switch',
    otherwise: 'true for a loopback address',
    type: toggle,
    help: 'the target may be damaged for good: also sends values that some services never recover from',
    group: 'Target',
    commands: anyTarget,
  },
  hardNames: {
    flag: 'hard-names',
    kind: 'switch',
    type: toggle,
    help: 'also creates animals whose names are hard to read, on a target that is not disposable',
    group: 'Target',
    commands: anyTarget,
  },
  categoryIds: {
    flag: 'category-id N',
    kind: 'list',
    type: int64,
    help: 'a category that the target knows',
    group: 'Target',
    commands: anyTarget,
  },
  petIds: {
    flag: 'pet-id N',
    kind: 'list',
    type: int64,
    help: 'an animal that the target has, for runs that create none',
    group: 'Target',
    commands: anyTarget,
  },
  headers: {
    flag: "header 'Name: value'",
    kind: 'list',
    type: header,
    gather: (pairs: readonly (readonly [string, string])[]) => Object.fromEntries(pairs),
    show: showHeader,
    help: 'sent with every request, for a gateway in front of the target',
    group: 'Target',
    commands: anyTarget,
  },
  maxRequests: {
    flag: 'max-requests N',
    kind: 'text',
    otherwise: '300; 1,000 if the target is disposable or its rate limit has room, and it is fast',
    type: integer(1),
    help: 'the most requests that the run sends',
    group: 'Budget and pace',
    commands: runOrVerify,
  },
  maxCreates: {
    flag: 'max-creates N',
    kind: 'text',
    otherwise: '60; 200 with the larger budget',
    type: integer(0),
    help: 'the most animals that the run creates',
    group: 'Budget and pace',
    commands: runOrVerify,
  },
  isReadOnly: {
    flag: 'read-only',
    kind: 'switch',
    type: toggle,
    help: 'creates nothing',
    group: 'Budget and pace',
    commands: runOrVerify,
  },
  concurrency: {
    flag: 'concurrency N',
    kind: 'text',
    default: '1',
    type: integer(1, 64),
    help: 'the most requests at a time',
    group: 'Budget and pace',
    commands: run,
  },
  ratePerMinute: {
    flag: 'rate N',
    kind: 'text',
    otherwise: 'as the rate limit allows',
    type: integer(1, 1_000_000),
    help: 'the most requests a minute',
    group: 'Budget and pace',
    commands: anyTarget,
  },
  timeoutMs: {
    flag: 'timeout MS',
    kind: 'text',
    default: '10000',
    type: integer(1, 600_000),
    help: 'for one exchange, milliseconds',
    group: 'Budget and pace',
    commands: anyTarget,
  },
  maxWaitMs: {
    flag: 'max-wait S',
    kind: 'text',
    default: '75',
    type: duration(0, 86_400),
    help: 'the longest single wait for a rate limit',
    group: 'Budget and pace',
    commands: anyTarget,
  },
  settleMs: {
    flag: 'settle S',
    kind: 'text',
    default: '2',
    type: duration(0, 3_600),
    help: 'how long a created animal that is missing has to appear before the run asks again',
    group: 'Budget and pace',
    commands: anyAddress,
  },
  deadlineMs: {
    flag: 'deadline S',
    kind: 'text',
    default: '1800',
    type: duration(1, 86_400),
    help: 'for the whole run',
    group: 'Budget and pace',
    commands: anyRun,
  },
  maxRuns: {
    flag: 'runs N',
    kind: 'text',
    default: '100',
    type: integer(1, 10_000),
    help: 'the most runs of the command: under each legal difference alone, then under combinations of them',
    group: 'Budget and pace',
    commands: client,
  },
  serve: {
    flag: 'serve [NAME]',
    kind: 'text',
    bare: 'reference',
    type: onCommandLine(readServiceVariant),
    help: 'starts one service variant and stays, for a page, an app or a debugger; runs no command',
    group: 'Target',
    commands: client,
  },
  archives: {
    flag: 'har FILE',
    kind: 'list',
    type: commandLineText,
    help: 'judges the requests in an HTTP archive by the client requirements; runs no command',
    group: 'Target',
    commands: client,
  },
  gapProfile: {
    flag: 'gaps PROFILE',
    kind: 'text',
    type: onCommandLine(readGapProfile),
    help: 'runs only under services that answer gaps as this profile does (YAML, from profile)',
    group: 'What is judged',
    commands: client,
  },
  runsAtATime: {
    flag: 'concurrency RUNS',
    kind: 'text',
    otherwise: 'the number of processors',
    type: integer(1, 64),
    help: 'runs of the command at a time; 1 for a client that listens on a fixed port',
    group: 'Budget and pace',
    commands: client,
  },
  timeLimitMs: {
    flag: 'time-limit S',
    kind: 'text',
    default: '60',
    type: duration(1, 3_600),
    help: 'for one run of the command; then it is killed with its children',
    group: 'Budget and pace',
    commands: client,
  },
  seed: {
    flag: 'seed N',
    kind: 'text',
    otherwise: 'random',
    type: integer(0),
    help: 'makes the values of the run repeatable',
    group: 'What is judged',
    commands: runOrClient,
  },
  only: {
    flag: 'only ID|SECTION',
    kind: 'list',
    otherwise: 'all',
    type: requirementIds,
    gather: setIfAny<RequirementId>,
    help: 'judges only these requirements',
    group: 'What is judged',
    commands: [...run, ...traffic],
  },
  lastFailed: {
    flag: 'last-failed REPORT',
    kind: 'text',
    type: commandLineText,
    help: 'judges only the requirements that fail in a JSON report',
    group: 'What is judged',
    commands: ['run'],
  },
  maxFailures: {
    flag: 'max-failures N',
    kind: 'text',
    otherwise: 'no limit',
    type: integer(1),
    help: 'ends the run when so many requirements fail',
    group: 'Budget and pace',
    commands: ['run'],
  },
  start: {
    flag: 'start COMMAND',
    kind: 'text',
    type: commandLineText,
    help: 'starts the service, waits until BASE_URL answers, and ends it after the run',
    group: 'Target',
    commands: ['run'],
  },
  opens: {
    flag: 'open',
    kind: 'switch',
    type: commandLineToggle,
    help: 'opens the report as a page in the browser',
    group: 'Reports',
    commands: ['report'],
  },
  ci: {
    flag: 'ci github|gitlab|script',
    kind: 'text',
    otherwise: 'by the files of the repository',
    type: choice<'github' | 'gitlab' | 'script'>(['github', 'gitlab', 'script']),
    help: 'the CI that the job is for',
    group: 'Target',
    commands: ['init'],
  },
  onlyGaps: {
    flag: 'only GAP',
    kind: 'list',
    otherwise: 'all',
    type: onCommandLine(readGap),
    gather: setIfAny<ClientRequirementId>,
    help: 'runs only against the services that differ in these gaps',
    group: 'What is judged',
    commands: client,
  },
  today: {
    flag: 'now DATE',
    kind: 'text',
    otherwise: 'today',
    type: day,
    help: 'judges as on this day',
    group: 'What is judged',
    commands: anyAddress,
  },
  waivers: {
    flag: 'waivers FILE',
    kind: 'text',
    type: waiverFile,
    help: 'known failures that are accepted until a day (YAML)',
    group: 'What is judged',
    commands: [...anyJudge, ...client],
  },
  requiresAll: {
    flag: 'require-all',
    kind: 'switch',
    type: toggle,
    help: 'ends with 3 where a requirement is skipped or inconclusive',
    group: 'What is judged',
    commands: anyJudge,
  },
  port: {
    flag: 'port N',
    kind: 'text',
    default: '0',
    type: integer(0, 65_535),
    help: 'where clients connect; 0 takes a free port',
    group: 'Target',
    commands: ['watch', ...client],
  },
  host: {
    flag: 'host HOST',
    kind: 'text',
    default: '127.0.0.1',
    type: onCommandLine(readWords),
    help: 'the address to listen on; whoever reaches one beyond loopback can use the target through it',
    group: 'Target',
    commands: ['watch'],
  },
  idleMs: {
    flag: 'idle S',
    kind: 'text',
    otherwise: 'until it is interrupted',
    type: duration(1, 86_400),
    help: 'ends after so long without traffic',
    group: 'Budget and pace',
    commands: ['watch'],
  },
  judgesShownOnly: {
    flag: 'only-shown',
    kind: 'switch',
    type: commandLineToggle,
    help: 'judges only the requirements that the traffic shows, and does not ask for more traffic',
    group: 'What is judged',
    commands: traffic,
  },
  reporters: {
    flag: 'reporter NAME[=FILE]',
    kind: 'list',
    default: 'terminal',
    type: onCommandLine(readReporter),
    gather: checkStandardOutput<ReporterName>,
    help: `${Object.keys(reporters).join(', ')}; without a file, or with -, to standard output`,
    group: 'Reports',
    commands: [...anyReport, 'pact lint'],
  },
  isVerbose: {
    flag: 'verbose',
    kind: 'switch',
    type: commandLineToggle,
    help: 'the terminal shows every requirement, and the answers to all gaps',
    group: 'Reports',
    commands: anyReport,
  },
  isQuiet: {
    flag: 'quiet',
    kind: 'switch',
    type: commandLineToggle,
    help: 'the terminal shows one line, and no progress',
    group: 'Reports',
    commands: anyReport,
  },
  formats: {
    flag: 'format NAME[=FILE]',
    kind: 'list',
    default: 'terminal',
    type: onCommandLine(outputAs(comparisonFormats)),
    gather: checkStandardOutput<ComparisonFormat>,
    help: `${comparisonFormats.join(', ')}; without a file, or with -, to standard output`,
    group: 'Reports',
    commands: ['compare'],
  },
  isJson: {
    flag: 'json',
    kind: 'switch',
    type: commandLineToggle,
    help: 'requirements, client requirements and gaps with all their members, for programs',
    group: 'Reports',
    commands: ['list'],
  },
  owner: {
    flag: 'owner NAME',
    kind: 'text',
    type: onCommandLine(readWords),
    help: 'who makes sure that the failures are mended',
    group: 'What is judged',
    commands: ['waive'],
  },
  expires: {
    flag: 'expires DATE',
    kind: 'text',
    type: onCommandLine(readDay),
    help: 'the last day on which the waivers hold',
    group: 'What is judged',
    commands: ['waive'],
  },
  profileChange: {
    flag: 'profile-change ignore|fail',
    kind: 'text',
    default: 'ignore',
    type: choice<'ignore' | 'fail'>(['ignore', 'fail']),
    help: 'whether a changed answer to a gap ends with 1',
    group: 'What is judged',
    commands: ['compare'],
  },
  artefacts: {
    flag: 'subject NAME@sha256:DIGEST',
    kind: 'list',
    type: onCommandLine(readArtefact),
    help: 'the artefact that runs at the target, for the reporter attestation',
    group: 'Reports',
    commands: anyReport,
  },
  evidence: {
    flag: 'evidence none|failures|all',
    kind: 'text',
    otherwise: 'failures; all where har is among the reporters',
    type: choice<EvidenceScope>(['none', 'failures', 'all']),
    help: 'which exchanges the reports carry',
    group: 'Reports',
    commands: [...anyJudge, ...client],
  },
  outputFolder: {
    flag: 'output FOLDER',
    kind: 'text',
    otherwise: 'a new temporary folder',
    type: commandLineText,
    help: 'the output of the command, a file for each service, without keys',
    group: 'Reports',
    commands: client,
  },
  leftovers: {
    flag: 'leftovers FILE',
    kind: 'text',
    type: commandLineText,
    help: 'lists the animals that the run leaves behind, whatever ends the run',
    group: 'Reports',
    commands: runOrVerify,
  },
  printsConfiguration: {
    flag: 'print-config',
    kind: 'switch',
    type: commandLineToggle,
    help: 'shows every option with its origin, and does nothing else',
    group: 'Reports',
    commands: [...anyAddress, ...client],
  },
  pacts: {
    flag: 'pact FILE|FOLDER|URL',
    kind: 'list',
    type: commandLineText,
    help: 'pacts to verify',
    group: 'Pacts',
    commands: verify,
  },
  brokerUrl: {
    flag: 'broker-url URL',
    kind: 'text',
    otherwise: 'PACT_BROKER_BASE_URL',
    type: onCommandLine(readBaseUrl),
    help: 'a Pact Broker',
    group: 'Pacts',
    commands: verify,
  },
  brokerTokenEnv: {
    flag: 'broker-token-env NAME',
    kind: 'text',
    default: 'PACT_BROKER_TOKEN',
    type: commandLineText,
    help: 'variable with its token; else PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD',
    group: 'Pacts',
    commands: verify,
  },
  provider: {
    flag: 'provider NAME',
    kind: 'text',
    default: 'pet-store',
    type: commandLineText,
    help: 'the name of the service at the broker',
    group: 'Pacts',
    commands: verify,
  },
  selectors: {
    flag: 'selector PART[,PART]',
    kind: 'list',
    otherwise: 'the choice of the broker',
    type: onCommandLine(readSelector),
    help: 'mainBranch, deployedOrReleased, branch=NAME, environment=NAME, consumer=NAME…',
    group: 'Pacts',
    commands: verify,
  },
  isPendingEnabled: {
    flag: 'pending',
    kind: 'switch',
    type: commandLineToggle,
    help: 'pacts that were never verified may fail',
    group: 'Pacts',
    commands: verify,
  },
  wipSince: {
    flag: 'wip-since DATE',
    kind: 'text',
    type: onCommandLine(readDay),
    help: 'also verifies work in progress from this day on',
    group: 'Pacts',
    commands: verify,
  },
  providerVersion: {
    flag: 'provider-version V',
    kind: 'text',
    type: commandLineText,
    help: 'the version that is verified',
    group: 'Pacts',
    commands: verify,
  },
  providerBranch: {
    flag: 'provider-branch B',
    kind: 'text',
    type: commandLineText,
    help: 'the branch that is verified',
    group: 'Pacts',
    commands: verify,
  },
  providerTags: {
    flag: 'provider-tag TAG',
    kind: 'list',
    type: commandLineText,
    help: 'tags of the version that is verified',
    group: 'Pacts',
    commands: verify,
  },
  buildUrl: {
    flag: 'build-url URL',
    kind: 'text',
    type: onCommandLine(readBuildUrl),
    help: 'the page of the CI build, for the published results',
    group: 'Pacts',
    commands: verify,
  },
  publishes: {
    flag: 'publish',
    kind: 'switch',
    type: commandLineToggle,
    help: 'publishes the results to the broker',
    group: 'Pacts',
    commands: verify,
  },
} as const satisfies Record<string, Option>;
