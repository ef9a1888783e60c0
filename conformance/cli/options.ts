/** The options, one table: parsing, environment, configuration file, help and --print-config derive from it. */

import { type Plan, planLimits } from '../../spec/facts.ts';
import { isSecretHeader } from '../http/redact.ts';
import { comparisonFormats } from '../reporters/comparison/index.ts';
import { reporters } from '../reporters/index.ts';
import type { EvidenceScope } from '../verdict/report.ts';
import { type CommandName, describe } from './commands.ts';
import {
  type OutputChoice,
  oneOf,
  outputAs,
  type Reader,
  readArtefact,
  readBaseUrl,
  readDay,
  readGap,
  readHeader,
  readInt64,
  readName,
  readReporter,
  readRequirements,
  readSelector,
  readSwitch,
  readTime,
  readWords,
  seconds,
  wholeNumber,
} from './readers.ts';
import { UsageError } from './usage-error.ts';
import { readWaivers } from './waivers.ts';

/** A text that a user gave, and how to name the option in a sentence, for example PETSTORE_PLAN. */
export interface GivenText {
  readonly text: string;
  readonly label: string;
}

export const groups = ['Target', 'Budget and pace', 'What is judged', 'Reports', 'Pacts'] as const;

export interface Option<Value = unknown> {
  /** As a user writes it, with a name for its value; a `word` stands without its flag where the command has its place. */
  readonly flag: string;
  /** How it is given: a `list` more than once, a `switch` without a value. */
  readonly kind: 'text' | 'list' | 'switch' | 'word';
  /** What holds where nothing is given, as one would write it. */
  readonly default?: string;
  /** What holds where nothing is given, for a person, where no text says it. */
  readonly otherwise?: string;
  /** Reads all that is given, or the default; throws a UsageError. */
  readonly read: (given: readonly GivenText[]) => Value;
  /** What of a text may be shown; all of it where undefined. */
  readonly show?: (text: string) => string;
  readonly help: string;
  readonly group: (typeof groups)[number];
  readonly commands: readonly CommandName[];
}

/** The last text wins. There is one, since the option has a default. */
function last<Value>(read: Reader<Value>): (given: readonly GivenText[]) => Value {
  return (given) => {
    const { text, label } = given.at(-1)!;
    return read(text, label);
  };
}

/** The last text wins; undefined where there is none. */
function lastIfAny<Value>(read: Reader<Value>): (given: readonly GivenText[]) => Value | undefined {
  return (given) => (given.length === 0 ? undefined : last(read)(given));
}

function each<Value>(read: Reader<Value>): (given: readonly GivenText[]) => readonly Value[] {
  return (given) => given.map(({ text, label }) => read(text, label));
}

/** What GitHub reads of a log stands in lines of their own: a person may read the rest of it. */
const mayShare: ReadonlySet<string> = new Set(['terminal', 'github']);

/** Texts that share the standard output are none of what they say they are. */
function outputs<Name extends string>(read: Reader<OutputChoice<Name>>) {
  return (given: readonly GivenText[]): readonly OutputChoice<Name>[] => {
    const choices = each(read)(given);
    const printed = choices.filter(({ file }) => file === undefined).map(({ name }) => name);
    const isShared = printed.every((name) => mayShare.has(name)) && new Set(printed).size === printed.length;
    if (printed.length <= 1 || isShared) return choices;
    throw new UsageError(
      'Only one format can be written to the standard output, or terminal and github together: give the others a file, like json=report.json.',
    );
  };
}

function showHeader(text: string): string {
  const [name = ''] = text.split(':');
  return isSecretHeader(name) ? `${name}: (not shown)` : text;
}

/** What plan rehearses is a run, so it takes the same options. */
const run = ['run', 'plan'] as const;
const runOrVerify = ['run', 'plan', 'pact verify'] as const;
const anyTarget = ['run', 'plan', 'replay', 'pact verify'] as const;
const traffic = ['observe', 'watch'] as const;
const anyAddress = [...anyTarget, ...traffic] as const;
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
    otherwise: 'the embedded reference server, or what archives tell',
    read: lastIfAny(readBaseUrl),
    help: 'the base address of the target; commands that send take it as a word, BASE_URL',
    group: 'Target',
    commands: anyAddress,
  },
  apiKeyEnv: {
    flag: 'api-key-env NAME',
    kind: 'text',
    default: 'PETSTORE_API_KEY',
    read: last(readName),
    help: 'variable with the API key',
    group: 'Target',
    commands: anyAddress,
  },
  rateLimitKeyEnv: {
    flag: 'rate-limit-key-env NAME',
    kind: 'text',
    default: 'PETSTORE_RATE_LIMIT_KEY',
    read: last(readName),
    help: 'variable with a key that may be exhausted',
    group: 'Target',
    commands: anyTarget,
  },
  plan: {
    flag: 'plan NAME',
    kind: 'text',
    otherwise: 'not known',
    read: lastIfAny(oneOf(Object.keys(planLimits) as Plan[])),
    help: `plan of the API key: ${Object.keys(planLimits).join(', ')}`,
    group: 'Target',
    commands: anyAddress,
  },
  rateLimitPlan: {
    flag: 'rate-limit-plan NAME',
    kind: 'text',
    otherwise: 'not known',
    read: lastIfAny(oneOf(Object.keys(planLimits) as Plan[])),
    help: 'plan of the key that may be exhausted',
    group: 'Target',
    commands: anyTarget,
  },
  nameTemplate: {
    flag: 'name TEMPLATE',
    kind: 'text',
    otherwise: 'cf-1a2b3c-01',
    read: lastIfAny(readName),
    help: 'names that the target accepts, like "Pet {n}"; {n} becomes letters that no other name has',
    group: 'Target',
    commands: anyTarget,
  },
  isDisposable: {
    flag: 'disposable',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'the target may be broken for good: sends values that some services never recover from; loopback is',
    group: 'Target',
    commands: anyTarget,
  },
  categoryIds: {
    flag: 'category-id N',
    kind: 'list',
    read: each(readInt64),
    help: 'a category that the target knows',
    group: 'Target',
    commands: anyTarget,
  },
  petIds: {
    flag: 'pet-id N',
    kind: 'list',
    read: each(readInt64),
    help: 'an animal that the target has, for runs that create none',
    group: 'Target',
    commands: anyTarget,
  },
  headers: {
    flag: "header 'Name: value'",
    kind: 'list',
    read: (given) => Object.fromEntries(each(readHeader)(given)),
    show: showHeader,
    help: 'sent with every request, for gateways before the target',
    group: 'Target',
    commands: anyTarget,
  },
  maxRequests: {
    flag: 'max-requests N',
    kind: 'text',
    default: '300',
    read: last(wholeNumber(1)),
    help: 'the run sends no more requests',
    group: 'Budget and pace',
    commands: runOrVerify,
  },
  maxCreates: {
    flag: 'max-creates N',
    kind: 'text',
    default: '60',
    read: last(wholeNumber(0)),
    help: 'the run creates no more animals',
    group: 'Budget and pace',
    commands: runOrVerify,
  },
  isReadOnly: {
    flag: 'read-only',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'creates nothing',
    group: 'Budget and pace',
    commands: runOrVerify,
  },
  concurrency: {
    flag: 'concurrency N',
    kind: 'text',
    default: '1',
    read: last(wholeNumber(1, 64)),
    help: 'so many requests at a time',
    group: 'Budget and pace',
    commands: run,
  },
  timeoutMs: {
    flag: 'timeout MS',
    kind: 'text',
    default: '10000',
    read: last(wholeNumber(1, 600_000)),
    help: 'for one exchange, milliseconds',
    group: 'Budget and pace',
    commands: anyTarget,
  },
  maxWaitMs: {
    flag: 'max-wait S',
    kind: 'text',
    default: '75',
    read: last(seconds(0, 86_400)),
    help: 'the longest single wait for a rate limit, seconds',
    group: 'Budget and pace',
    commands: anyTarget,
  },
  settleMs: {
    flag: 'settle S',
    kind: 'text',
    default: '2',
    read: last(seconds(0, 3_600)),
    help: 'what was created and is missing is asked for again after so long, seconds',
    group: 'Budget and pace',
    commands: anyAddress,
  },
  deadlineMs: {
    flag: 'deadline S',
    kind: 'text',
    default: '1800',
    read: last(seconds(1, 86_400)),
    help: 'for the whole run, seconds',
    group: 'Budget and pace',
    commands: anyRun,
  },
  worlds: {
    flag: 'worlds N',
    kind: 'text',
    default: '100',
    read: last(wholeNumber(1, 10_000)),
    help: 'runs the command in so many services at most: what is left after every single answer are combinations',
    group: 'Budget and pace',
    commands: client,
  },
  timeLimitMs: {
    flag: 'time-limit S',
    kind: 'text',
    default: '60',
    read: last(seconds(1, 3_600)),
    help: 'for one run of the command; then it is killed with its children',
    group: 'Budget and pace',
    commands: client,
  },
  seed: {
    flag: 'seed N',
    kind: 'text',
    otherwise: 'drawn',
    read: lastIfAny(wholeNumber(0)),
    help: 'draws the values of the run',
    group: 'What is judged',
    commands: runOrClient,
  },
  only: {
    flag: 'only ID|SECTION',
    kind: 'list',
    otherwise: 'all',
    read: (given) => (given.length === 0 ? undefined : new Set(each(readRequirements)(given).flat())),
    help: 'judges only these',
    group: 'What is judged',
    commands: [...run, ...traffic],
  },
  onlyGaps: {
    flag: 'only GAP',
    kind: 'list',
    otherwise: 'all',
    read: (given) => (given.length === 0 ? undefined : new Set(each(readGap)(given))),
    help: 'visits only the services that differ in these',
    group: 'What is judged',
    commands: client,
  },
  today: {
    flag: 'now DATE',
    kind: 'text',
    otherwise: 'today',
    read: lastIfAny(readTime),
    help: 'the day to take for today',
    group: 'What is judged',
    commands: anyAddress,
  },
  waivers: {
    flag: 'waivers FILE',
    kind: 'text',
    read: lastIfAny(readWaivers),
    help: 'failures that are known and accepted until a day (YAML)',
    group: 'What is judged',
    commands: anyJudge,
  },
  requiresAll: {
    flag: 'require-all',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'what is skipped or inconclusive ends with 3',
    group: 'What is judged',
    commands: anyJudge,
  },
  port: {
    flag: 'port N',
    kind: 'text',
    default: '0',
    read: last(wholeNumber(0, 65_535)),
    help: 'where clients connect; 0 takes a free port',
    group: 'Target',
    commands: ['watch'],
  },
  host: {
    flag: 'host HOST',
    kind: 'text',
    default: '127.0.0.1',
    read: last(readWords),
    help: 'the address to listen on; whoever reaches another than loopback can use the target through it',
    group: 'Target',
    commands: ['watch'],
  },
  idleMs: {
    flag: 'idle S',
    kind: 'text',
    otherwise: 'until it is interrupted',
    read: lastIfAny(seconds(1, 86_400)),
    help: 'ends when nothing has passed for so long, seconds',
    group: 'Budget and pace',
    commands: ['watch'],
  },
  judgesShownOnly: {
    flag: 'only-shown',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'judges what the traffic shows, and asks for no more of it',
    group: 'What is judged',
    commands: traffic,
  },
  reporters: {
    flag: 'reporter NAME[=FILE]',
    kind: 'list',
    default: 'terminal',
    read: outputs(readReporter),
    help: `${Object.keys(reporters).join(', ')}; without a file, or with -, to standard output`,
    group: 'Reports',
    commands: anyReport,
  },
  isVerbose: {
    flag: 'verbose',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'the terminal shows every requirement, and what was observed where the interface is silent',
    group: 'Reports',
    commands: anyReport,
  },
  isQuiet: {
    flag: 'quiet',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'the terminal shows one line, and no progress',
    group: 'Reports',
    commands: anyReport,
  },
  formats: {
    flag: 'format NAME[=FILE]',
    kind: 'list',
    default: 'terminal',
    read: outputs(outputAs(comparisonFormats)),
    help: `${comparisonFormats.join(', ')}; without a file, or with -, to standard output`,
    group: 'Reports',
    commands: ['compare'],
  },
  isJson: {
    flag: 'json',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'for programs: requirements and gaps with all that is known of them',
    group: 'Reports',
    commands: ['list'],
  },
  owner: {
    flag: 'owner NAME',
    kind: 'text',
    read: lastIfAny(readWords),
    help: 'who takes care that what is waived is mended',
    group: 'What is judged',
    commands: ['waive'],
  },
  expires: {
    flag: 'expires DATE',
    kind: 'text',
    read: lastIfAny(readDay),
    help: 'the last day on which the waivers hold',
    group: 'What is judged',
    commands: ['waive'],
  },
  profileChange: {
    flag: 'profile-change ignore|fail',
    kind: 'text',
    default: 'ignore',
    read: last(oneOf(['ignore', 'fail'])),
    help: 'whether another choice where the interface is silent ends with 1',
    group: 'What is judged',
    commands: ['compare'],
  },
  artefacts: {
    flag: 'subject NAME@sha256:DIGEST',
    kind: 'list',
    read: each(readArtefact),
    help: 'what runs at the target, for the reporter attestation',
    group: 'Reports',
    commands: anyReport,
  },
  evidence: {
    flag: 'evidence none|failures|all',
    kind: 'text',
    otherwise: 'failures; all where har is among the reporters',
    read: lastIfAny(oneOf<EvidenceScope>(['none', 'failures', 'all'])),
    help: 'which exchanges the reports carry',
    group: 'Reports',
    commands: [...anyJudge, ...client],
  },
  outputFolder: {
    flag: 'output FOLDER',
    kind: 'text',
    otherwise: 'a new one beside other temporary files',
    read: lastIfAny(readName),
    help: 'what the command prints, a file a service, without keys',
    group: 'Reports',
    commands: client,
  },
  leftovers: {
    flag: 'leftovers FILE',
    kind: 'text',
    read: lastIfAny(readName),
    help: 'lists the animals that the run leaves behind, whatever ends it',
    group: 'Reports',
    commands: runOrVerify,
  },
  showsCover: {
    flag: 'cover',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'shows which requests find which faults, the fewest that find the most first',
    group: 'Reports',
    commands: ['self-test'],
  },
  printsConfiguration: {
    flag: 'print-config',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'shows every option with its origin, and does nothing else',
    group: 'Reports',
    commands: [...anyAddress, ...client],
  },
  pacts: {
    flag: 'pact FILE|FOLDER|URL',
    kind: 'list',
    read: each(readName),
    help: 'what consumers recorded',
    group: 'Pacts',
    commands: verify,
  },
  brokerUrl: {
    flag: 'broker-url URL',
    kind: 'text',
    otherwise: 'PACT_BROKER_BASE_URL where no pact is given',
    read: lastIfAny(readBaseUrl),
    help: 'a Pact Broker',
    group: 'Pacts',
    commands: verify,
  },
  brokerTokenEnv: {
    flag: 'broker-token-env NAME',
    kind: 'text',
    default: 'PACT_BROKER_TOKEN',
    read: last(readName),
    help: 'variable with its token; else PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD',
    group: 'Pacts',
    commands: verify,
  },
  provider: {
    flag: 'provider NAME',
    kind: 'text',
    default: 'pet-store',
    read: last(readName),
    help: 'the name of the service at the broker',
    group: 'Pacts',
    commands: verify,
  },
  selectors: {
    flag: 'selector PART[,PART]',
    kind: 'list',
    otherwise: 'as the broker chooses',
    read: each(readSelector),
    help: 'mainBranch, deployedOrReleased, branch=NAME, environment=NAME, consumer=NAME…',
    group: 'Pacts',
    commands: verify,
  },
  isPendingEnabled: {
    flag: 'pending',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'pacts that were never verified may fail',
    group: 'Pacts',
    commands: verify,
  },
  wipSince: {
    flag: 'wip-since DATE',
    kind: 'text',
    read: lastIfAny(readDay),
    help: 'work in progress is verified too, from this day on',
    group: 'Pacts',
    commands: verify,
  },
  providerVersion: {
    flag: 'provider-version V',
    kind: 'text',
    read: lastIfAny(readName),
    help: 'the version that is verified',
    group: 'Pacts',
    commands: verify,
  },
  providerBranch: {
    flag: 'provider-branch B',
    kind: 'text',
    read: lastIfAny(readName),
    help: 'the branch that is verified',
    group: 'Pacts',
    commands: verify,
  },
  publishes: {
    flag: 'publish',
    kind: 'switch',
    default: 'false',
    read: last(readSwitch),
    help: 'writes the results to the broker',
    group: 'Pacts',
    commands: verify,
  },
} as const satisfies Record<string, Option>;

export type OptionName = keyof typeof options;
export const optionNames = Object.keys(options) as OptionName[];

/** A row of the table, whichever. */
export function optionOf(name: OptionName): Option {
  return options[name];
}

/** The option without the name of its value, for example max-requests. */
export function flagOf(name: OptionName): string {
  return options[name].flag.split(' ')[0]!;
}

/** The variable that holds an option, for example PETSTORE_MAX_REQUESTS. */
export function variableOf(name: OptionName): string {
  return `PETSTORE_${flagOf(name).toUpperCase().replaceAll('-', '_')}`;
}

export function isOptionOf(name: OptionName, command: CommandName): boolean {
  return optionOf(name).commands.includes(command);
}

/** The options of a command that stand on the line with their flags. */
export function flagsOf(command: CommandName): readonly OptionName[] {
  const isWord = describe(command).words.some((word) => word.includes('BASE_URL'));
  return optionNames.filter((name) => isOptionOf(name, command) && !(isWord && optionOf(name).kind === 'word'));
}

type Value<Name extends OptionName> = ReturnType<(typeof options)[Name]['read']>;

type OptionOf<Command extends CommandName> = {
  [Name in OptionName]: Command extends (typeof options)[Name]['commands'][number] ? Name : never;
}[OptionName];

/** What is read for a command: options that hold something always, and those that may be absent. */
export type Values<Command extends CommandName> = {
  readonly [Name in OptionOf<Command> as undefined extends Value<Name> ? never : Name]: Value<Name>;
} & {
  readonly [Name in OptionOf<Command> as undefined extends Value<Name> ? Name : never]?: Exclude<
    Value<Name>,
    undefined
  >;
};
