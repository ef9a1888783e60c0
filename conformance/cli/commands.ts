/** The commands: what each is for and the words it takes. option-table.ts holds their options, commands/ their code. */

import { shown } from './readers.ts';
import { suggest } from './suggest.ts';
import { UsageError } from './usage-error.ts';

export interface CommandDescription {
  /** Words without a flag, in their order: optional ones in brackets, repeatable ones with …. */
  readonly words: readonly string[];
  readonly summary: string;
  /** Its commonest use first. */
  readonly examples: readonly [string, ...string[]];
  /** The meaning of 0, 1 and 3, where the command does not judge a target. */
  readonly exitCodes?: Readonly<Record<number, string>>;
}

const printed = { 0: 'printed' };

export const commands = {
  run: {
    words: ['[BASE_URL]'],
    summary: 'judges a service; without BASE_URL the embedded reference server',
    examples: [
      'run https://staging.example.com/v1',
      'run http://localhost:8080/v1 --start "npm start"',
      'run https://staging.example.com/v1 --plan free --max-requests 60 --reporter junit=report.xml',
    ],
  },
  replay: {
    words: ['REPORT', 'ID', '[BASE_URL]'],
    summary: 'sends one failure of a JSON report again',
    examples: ['replay report.json pet-name-kept https://staging.example.com/v1'],
    exitCodes: { 0: 'the requirement holds now', 1: 'it still fails', 3: 'cannot tell' },
  },
  report: {
    words: ['REPORT'],
    summary: 'writes a JSON report in other formats',
    examples: ['report report.json --verbose', 'report report.json --reporter html=report.html'],
    exitCodes: { 0: 'written' },
  },
  profile: {
    words: ['REPORT'],
    summary: 'prints the answers of a target to the gaps of the interface, for petstore-server --gaps',
    examples: ['profile report.json > profile.yaml'],
    exitCodes: printed,
  },
  compare: {
    words: ['REPORT', 'REPORT…'],
    summary: 'shows which requirements and gap answers changed against the first report',
    examples: [
      'compare production.json staging.json',
      'compare main.json branch.json --reporter markdown=comparison.md',
    ],
    exitCodes: { 0: 'no regression', 1: 'a requirement that passed fails', 3: 'a report could not be judged' },
  },
  waive: {
    words: ['REPORT'],
    summary: 'prints waivers for the failures of a report, for --waivers',
    examples: ['waive report.json --owner "catalogue team" --expires 2027-01-31 > waivers.yaml'],
    exitCodes: printed,
  },
  observe: {
    words: ['FILE.har…'],
    summary: 'judges recorded traffic, and sends nothing',
    examples: ['observe session.har', 'observe session.har --base-url https://staging.example.com/v1'],
  },
  watch: {
    words: ['BASE_URL'],
    summary: 'relays traffic to a service, and judges it on the way',
    examples: [
      'watch https://staging.example.com/v1 --port 8081',
      'watch https://staging.example.com/v1 --port 8081 --idle 30 --reporter junit=report.xml',
    ],
  },
  plan: {
    words: ['[BASE_URL]'],
    summary: 'shows what a run with these options would send, and sends nothing',
    examples: ['plan --plan free --max-requests 60'],
    exitCodes: printed,
  },
  init: {
    words: ['BASE_URL'],
    summary: 'writes a configuration and a CI job for your service, and overwrites nothing',
    examples: ['init https://staging.example.com/v1'],
    exitCodes: { 0: 'written' },
  },
  list: {
    words: [],
    summary: 'prints every requirement of the interface',
    examples: ['list', 'list --json'],
    exitCodes: printed,
  },
  explain: {
    words: ['ID'],
    summary: 'explains a requirement, a client requirement, a gap, a failure code, an option or a section',
    examples: ['explain list-complete', 'explain --max-wait'],
    exitCodes: printed,
  },
  client: {
    words: ['[-- COMMAND…]'],
    summary: 'judges a client: runs its command against one legal service after another',
    examples: [
      'client -- npm test',
      'client --runs 40 --gaps production.yaml --waivers waivers.yaml -- npm test',
      "client --serve 'list-order: newest-first' --port 8081",
      'client --har session.har',
    ],
    exitCodes: {
      0: 'it works with every service and keeps the interface',
      1: 'it does not',
      3: 'it fails with the reference server already, or could not be judged',
    },
  },
  completion: {
    words: ['SHELL'],
    summary: 'prints the completion script for a shell',
    examples: ['completion bash > ~/.local/share/bash-completion/completions/petstore-conformance'],
    exitCodes: printed,
  },
  'self-test': {
    words: ['[COMBINATIONS]'],
    summary: 'proves the kit on faulty and legal servers and clients',
    examples: ['self-test', 'self-test 1000'],
    exitCodes: { 0: 'every fault is found and no variant fails', 4: 'the kit does not judge as it must' },
  },
  'pact verify': {
    words: ['[BASE_URL]'],
    summary: 'verifies the pacts of consumers',
    examples: ['pact verify https://staging.example.com/v1 --pact pacts/'],
  },
  'pact lint': {
    words: ['PACT…'],
    summary: 'shows what pacts claim beyond the interface',
    examples: ['pact lint pacts/'],
    exitCodes: { 0: 'nothing beyond the interface', 1: 'something beyond it', 2: 'a pact cannot be read' },
  },
} as const satisfies Record<string, CommandDescription>;

export type CommandName = keyof typeof commands;
export const commandNames = Object.keys(commands) as CommandName[];

export function describe(command: CommandName): CommandDescription {
  return commands[command];
}

/** The command that the first words name, with the words behind it; or the error for words that name none. */
export function findCommand(
  words: readonly string[],
): { readonly command: CommandName; readonly rest: readonly string[] } | { readonly problem: UsageError } {
  const command = commandNames.find((name) => name.split(' ').every((word, at) => words[at] === word));
  if (command !== undefined) return { command, rest: words.slice(command.split(' ').length) };
  const [first = '', second = ''] = words;
  const family = commandNames.filter((name) => name.startsWith(`${first} `)).map((name) => name.split(' ')[1]!);
  if (first !== '' && family.length > 0) {
    const hint = suggest(second, family);
    const given = second === '' ? '; nothing was given' : `, not "${shown(second)}"`;
    return { problem: new UsageError(`${first} takes ${family.join(' or ')}${given}.${hint}`) };
  }
  if (/^https?:/i.test(first)) {
    return { problem: new UsageError('A command comes before the address, as in petstore-conformance run BASE_URL.') };
  }
  const known = [...commandNames, '--help', '--version'];
  const hint = suggest(words.length > 1 ? `${first} ${second}` : first, known) || suggest(first, known);
  return {
    problem: new UsageError(`There is no command "${shown(first)}"; see petstore-conformance --help.${hint}`),
  };
}
