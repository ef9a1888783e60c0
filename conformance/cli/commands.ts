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
  report: {
    words: ['REPORT'],
    summary: 'writes a JSON report in other formats',
    examples: ['report report.json --verbose', 'report report.json --reporter html=report.html'],
    exitCodes: { 0: 'written' },
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
  observe: {
    words: ['HAR…|BASE_URL'],
    summary: 'judges recorded traffic (HTTP archives), or relays traffic to a service and judges it on the way',
    examples: [
      'observe session.har --base-url https://staging.example.com/v1',
      'observe https://staging.example.com/v1 --port 8081',
    ],
  },
  init: {
    words: ['BASE_URL'],
    summary: 'writes a configuration and a CI job for your service, and overwrites nothing',
    examples: ['init https://staging.example.com/v1'],
    exitCodes: { 0: 'written' },
  },
  explain: {
    words: ['[ID]'],
    summary: 'explains a requirement, a gap, a failure code, an option or a section; without ID lists the requirements',
    examples: ['explain', 'explain list-complete', 'explain --max-wait'],
    exitCodes: printed,
  },
  client: {
    words: ['-- COMMAND…'],
    summary: 'judges a client: runs its command against one legal service after another',
    examples: ['client -- npm test', 'client --runs 40 --gaps production.yaml --waivers waivers.yaml -- npm test'],
    exitCodes: {
      0: 'it works with every service and keeps the interface',
      1: 'it does not',
      3: 'it fails with the reference server already, or could not be judged',
    },
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
