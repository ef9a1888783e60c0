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

function command(
  words: string,
  summary: string,
  examples: CommandDescription['examples'],
  exitCodes?: CommandDescription['exitCodes'],
): CommandDescription {
  return { words, summary, examples, ...(exitCodes && { exitCodes }) };
}

const commands = {
  run: command('[BASE_URL]', 'judge a service, or the reference server', [
    'run https://staging.example.com/v1',
    'run http://localhost:8080/v1 --start "npm start"',
    'run https://staging.example.com/v1 --plan free --max-requests 60 --reporter junit=report.xml',
  ]),
  client: command(
    '<COMMAND...>',
    'run a client against many legal services',
    ['client -- npm test', 'client --gaps production.yaml --waivers waivers.yaml -- npm test'],
    {
      0: 'it works with every service and keeps the interface',
      1: 'it does not',
      3: 'it fails with the reference server already, or could not be judged',
    },
  ),
  observe: command('<HAR|BASE_URL...>', 'judge recorded or relayed traffic', [
    'observe session.har --base-url https://staging.example.com/v1',
    'observe https://staging.example.com/v1 --port 8081',
  ]),
  'pact verify': command('[BASE_URL]', 'verify the pacts of consumers', [
    'pact verify https://staging.example.com/v1 --pact pacts/',
  ]),
  'pact lint': command('<PACT...>', 'show what pacts claim beyond the interface', ['pact lint pacts/'], {
    0: 'nothing beyond the interface',
    1: 'something beyond it',
  }),
  report: command(
    '<REPORT>',
    'write a JSON report in other formats',
    ['report report.json --reporter html=report.html', 'report report.json --verbose'],
    { 0: 'written' },
  ),
  compare: command(
    '<REPORT> <REPORT...>',
    'show what changed against the first report',
    ['compare production.json staging.json', 'compare main.json branch.json --reporter markdown=comparison.md'],
    { 0: 'no regression', 1: 'a requirement that passed fails', 3: 'a report could not be judged' },
  ),
  explain: command(
    '[ID]',
    'explain a requirement, a gap or a failure code',
    ['explain', 'explain list-complete', 'explain 404'],
    { 0: 'printed' },
  ),
  init: command('<BASE_URL>', 'write a configuration and a job for a CI', ['init https://staging.example.com/v1'], {
    0: 'written',
  }),
  'self-test': command('[COMBINATIONS]', 'prove the kit on faulty and legal servers', ['self-test', 'self-test 1000'], {
    0: 'every fault is found and no variant fails',
    4: 'the kit does not judge as it must',
  }),
};

export type CommandName = keyof typeof commands;
export const commandNames = Object.keys(commands) as CommandName[];

export function describe(name: CommandName): CommandDescription {
  return commands[name];
}
