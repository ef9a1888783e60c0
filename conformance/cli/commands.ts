/** The commands: what each is for and the words it takes. options.ts has their options, commands/ what they do. */

import { suggest } from './suggest.ts';
import { UsageError } from './usage-error.ts';

export interface CommandDescription {
  /** Words without a flag, in their order: those that may be absent in brackets, with … what may be repeated. */
  readonly words: readonly string[];
  /** The same in a sentence. */
  readonly takes: string;
  /** What it does, for a list of all commands. */
  readonly summary: string;
  readonly example: string;
  /** What 0, 1 and 3 mean, where the command does not judge a target. */
  readonly exitCodes?: Readonly<Record<number, string>>;
}

export const commands = {
  run: {
    words: ['[BASE_URL]'],
    takes: 'one base address at most',
    summary: 'judges a target; without BASE_URL the embedded reference server',
    example: 'run https://staging.example.com/v1 --plan free --max-requests 60 --reporter junit=report.xml',
  },
  replay: {
    words: ['REPORT', 'ID', '[BASE_URL]'],
    takes: 'a JSON report, the id of a requirement that fails in it, and one base address at most',
    summary: 'sends one failure of a JSON report again',
    example: 'replay report.json pet-name-kept',
    exitCodes: { 0: 'the requirement holds now', 1: 'it still fails', 3: 'cannot tell' },
  },
  report: {
    words: ['REPORT'],
    takes: 'one JSON report',
    summary: 'writes a JSON report in other formats',
    example: 'report report.json --reporter html=report.html --reporter terminal --verbose',
    exitCodes: { 0: 'written' },
  },
  profile: {
    words: ['REPORT'],
    takes: 'a JSON report',
    summary: 'prints what a target chose where the interface is silent, for petstore-server --gaps',
    example: 'profile report.json > profile.yaml',
    exitCodes: { 0: 'shown' },
  },
  compare: {
    words: ['REPORT', 'REPORT…'],
    takes: 'two JSON reports or more',
    summary: 'tells what has changed against the first report: requirements, and choices where the interface is silent',
    example: 'compare production.json staging.json --format markdown=comparison.md',
    exitCodes: { 0: 'no regression', 1: 'a requirement that held fails', 3: 'a report could not be judged' },
  },
  waive: {
    words: ['REPORT'],
    takes: 'a JSON report',
    summary: 'prints waivers for what fails in a report, for --waivers',
    example: 'waive report.json --owner "catalogue team" --expires 2027-01-31 > waivers.yaml',
    exitCodes: { 0: 'shown' },
  },
  observe: {
    words: ['FILE.har…'],
    takes: 'an HTTP archive or more',
    summary: 'judges traffic that others have sent and recorded, sending nothing',
    example: 'observe session.har --base-url https://staging.example.com/v1',
  },
  watch: {
    words: ['BASE_URL'],
    takes: 'a base address',
    summary: 'passes traffic of others on to a target, and judges it as it passes',
    example: 'watch https://staging.example.com/v1 --port 8081 --idle 30 --reporter junit=report.xml',
  },
  plan: {
    words: ['[BASE_URL]'],
    takes: 'one base address at most',
    summary: 'says what a run with these options would send, sending nothing',
    example: 'plan --plan free --max-requests 60',
    exitCodes: { 0: 'shown' },
  },
  list: {
    words: [],
    takes: 'nothing',
    summary: 'shows every requirement of the interface',
    example: 'list --json',
    exitCodes: { 0: 'shown' },
  },
  explain: {
    words: ['ID'],
    takes: 'the id of a requirement, of a gap or of a failure',
    summary: 'tells a requirement with how it is judged and what proves that, an open question, or what a failure says',
    example: 'explain list-complete',
    exitCodes: { 0: 'shown' },
  },
  client: {
    words: ['-- COMMAND…'],
    takes: 'a command behind --',
    summary: 'judges a client: runs it under one legal service after another, and looks at what it sends',
    example: 'client --worlds 40 -- npm test',
    exitCodes: {
      0: 'it works with every service and keeps the interface',
      1: 'it does not',
      3: 'it fails with the reference server already, or could not be judged',
    },
  },
  completion: {
    words: ['SHELL'],
    takes: 'the name of a shell: bash, zsh or fish',
    summary: 'prints what completes words of the command in a shell',
    example: 'completion bash > ~/.local/share/bash-completion/completions/petstore-conformance',
    exitCodes: { 0: 'shown' },
  },
  'self-test': {
    words: ['[COMBINATIONS]'],
    takes: 'one number of random combinations',
    summary: 'proves the kit on faults and variants',
    example: 'self-test 1000',
    exitCodes: { 0: 'every fault is found and no variant fails', 4: 'the kit does not judge as it must' },
  },
  'pact verify': {
    words: ['[BASE_URL]'],
    takes: 'one base address at most',
    summary: 'verifies what consumers recorded',
    example: 'pact verify https://staging.example.com/v1 --pact pacts/',
  },
  'pact lint': {
    words: ['PACT…'],
    takes: 'a pact or more, files or folders',
    summary: 'says what pacts claim that the interface does not say',
    example: 'pact lint pacts/',
    exitCodes: { 0: 'nothing beyond the interface', 1: 'something is' },
  },
} as const satisfies Record<string, CommandDescription>;

export type CommandName = keyof typeof commands;
export const commandNames = Object.keys(commands) as CommandName[];

export function describe(command: CommandName): CommandDescription {
  return commands[command];
}

/** The command that the first words name, with the words behind it; or the sentence for a user who names none. */
export function findCommand(
  words: readonly string[],
): { readonly command: CommandName; readonly rest: readonly string[] } | { readonly problem: UsageError } {
  const command = commandNames.find((name) => name.split(' ').every((word, at) => words[at] === word));
  if (command !== undefined) return { command, rest: words.slice(command.split(' ').length) };
  const [first = '', second = ''] = words;
  const family = commandNames.filter((name) => name.startsWith(`${first} `)).map((name) => name.split(' ')[1]!);
  if (first !== '' && family.length > 0) {
    return {
      problem: new UsageError(`${first} takes ${family.join(' or ')}, not "${second}".${suggest(second, family)}`),
    };
  }
  const known = suggest(words.length > 1 ? `${first} ${second}` : first, commandNames) || suggest(first, commandNames);
  const names = `${commandNames.slice(0, -1).join(', ')} or ${commandNames.at(-1)}`;
  return {
    problem: new UsageError(`The command is ${names}, not "${first}"; see petstore-conformance --help.${known}`),
  };
}
