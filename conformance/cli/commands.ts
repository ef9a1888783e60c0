/** The commands: what each is for and the words it takes. options/option-table.ts holds their options. */

export interface CommandDescription {
  /** The words without a flag, as the parser writes them: `<needed>`, `[optional]`, `<several...>`. */
  readonly words: string;
  readonly summary: string;
  /** Its commonest use first. */
  readonly examples: readonly [string, ...string[]];
  /** The meaning of 0, 1 and 3, where the command does not judge a target. */
  readonly exitCodes?: Readonly<Record<number, string>>;
}

export const commands = {
  run: {
    words: '[BASE_URL]',
    summary: 'judge a service, or the embedded reference server',
    examples: [
      'run https://staging.example.com/v1',
      'run http://localhost:8080/v1 --start "npm start"',
      'run https://staging.example.com/v1 --plan free --max-requests 60 --reporter junit=report.xml',
    ],
  },
  client: {
    words: '<COMMAND...>',
    summary: 'run a client against one legal service after another',
    examples: ['client -- npm test', 'client --runs 40 --gaps production.yaml --waivers waivers.yaml -- npm test'],
    exitCodes: {
      0: 'it works with every service and keeps the interface',
      1: 'it does not',
      3: 'it fails with the reference server already, or could not be judged',
    },
  },
  observe: {
    words: '<HAR|BASE_URL...>',
    summary: 'judge recorded traffic, or traffic that it relays',
    examples: [
      'observe session.har --base-url https://staging.example.com/v1',
      'observe https://staging.example.com/v1 --port 8081',
    ],
  },
  'pact verify': {
    words: '[BASE_URL]',
    summary: 'verify the pacts of consumers',
    examples: ['pact verify https://staging.example.com/v1 --pact pacts/'],
  },
  'pact lint': {
    words: '<PACT...>',
    summary: 'show what pacts claim beyond the interface',
    examples: ['pact lint pacts/'],
    exitCodes: { 0: 'nothing beyond the interface', 1: 'something beyond it', 2: 'a pact cannot be read' },
  },
  report: {
    words: '<REPORT>',
    summary: 'write a JSON report in other formats',
    examples: ['report report.json --reporter html=report.html', 'report report.json --verbose'],
    exitCodes: { 0: 'written' },
  },
  compare: {
    words: '<REPORT> <REPORT...>',
    summary: 'show what changed against the first report',
    examples: [
      'compare production.json staging.json',
      'compare main.json branch.json --reporter markdown=comparison.md',
    ],
    exitCodes: { 0: 'no regression', 1: 'a requirement that passed fails', 3: 'a report could not be judged' },
  },
  explain: {
    words: '[ID]',
    summary: 'explain a requirement, a gap or an option',
    examples: ['explain', 'explain list-complete', 'explain --max-wait'],
    exitCodes: { 0: 'printed' },
  },
  init: {
    words: '<BASE_URL>',
    summary: 'write a configuration and a CI job for your service',
    examples: ['init https://staging.example.com/v1'],
    exitCodes: { 0: 'written' },
  },
  'self-test': {
    words: '[COMBINATIONS]',
    summary: 'prove the kit on faulty and legal servers',
    examples: ['self-test', 'self-test 1000'],
    exitCodes: { 0: 'every fault is found and no variant fails', 4: 'the kit does not judge as it must' },
  },
} as const satisfies Record<string, CommandDescription>;

export type CommandName = keyof typeof commands;
export const commandNames = Object.keys(commands) as CommandName[];

export function describe(command: CommandName): CommandDescription {
  return commands[command];
}
