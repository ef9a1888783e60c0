/** The commands: what each is for, the words it takes, and what runs it. options/option-table.ts holds their options. */

import type { OptionName, OptionReader } from '../options/options.ts';
import type { Command } from './configuration.ts';

export type CommandName = Exclude<OptionReader, 'judge()'> | 'pact lint' | 'self-test';

export interface CommandDescription<Name extends CommandName = CommandName> {
  /** The words without a flag: `<needed>`, `[optional]`, `<several...>`. */
  readonly words: string;
  /** The words as the usage has them, where it has them otherwise. */
  readonly wordsInUsage?: string;
  readonly summary: string;
  /** Its commonest use first. */
  readonly examples: readonly [string, ...string[]];
  /** The options that help first, when somebody uses the command for the first time. */
  readonly firstOptions?: readonly OptionName[];
  /** What a user has to know besides the options. */
  readonly remark?: string;
  /** Set if the command writes no report and may take long: a signal ends it at once. */
  readonly endsAtOnce?: true;
  /** A module is loaded when it is needed. */
  readonly load: () => Promise<Command<Name>>;
}

export const commands: { readonly [Name in CommandName]: CommandDescription<Name> } = {
  run: {
    words: '[BASE_URL]',
    summary: 'judge a service, or the reference server',
    examples: [
      'run https://staging.example.com/v1',
      'run http://localhost:8080/v1 --start "npm start"',
      'run https://staging.example.com/v1 --plan free --max-requests 60 --reporter junit=report.xml',
    ],
    firstOptions: ['plan', 'maxRequests', 'isReadOnly', 'start', 'reporters', 'lastFailed'],
    load: async () => (await import('./commands/run.ts')).run,
  },
  client: {
    words: '<COMMAND...>',
    wordsInUsage: '-- COMMAND...',
    summary: 'run a client against many legal services',
    examples: ['client -- npm test', 'client --gaps production.yaml --waivers waivers.yaml -- npm test'],
    remark:
      'The command finds each service in the environment: PETSTORE_BASE_URL, PETSTORE_API_KEY and PETSTORE_CATEGORY_ID, a category that exists.',
    load: async () => (await import('./commands/client.ts')).client,
  },
  observe: {
    words: '<HAR|BASE_URL...>',
    summary: 'judge recorded or relayed traffic',
    examples: [
      'observe session.har --base-url https://staging.example.com/v1',
      'observe https://staging.example.com/v1 --port 8081',
    ],
    load: async () => (await import('./commands/observe.ts')).observe,
  },
  'pact verify': {
    words: '[BASE_URL]',
    summary: 'verify the pacts of consumers',
    examples: ['pact verify https://staging.example.com/v1 --pact pacts/'],
    load: async () => (await import('./commands/pact-verify.ts')).pactVerify,
  },
  'pact lint': {
    words: '<PACT...>',
    summary: 'show what pacts claim beyond the interface',
    examples: ['pact lint pacts/'],
    endsAtOnce: true,
    load: async () => (await import('./commands/pact-lint.ts')).pactLint,
  },
  report: {
    words: '<REPORT>',
    summary: 'write a JSON report in other formats',
    examples: ['report report.json --reporter html=report.html', 'report report.json --verbose'],
    load: async () => (await import('./commands/report.ts')).report,
  },
  compare: {
    words: '<REPORT> <REPORT...>',
    summary: 'show what changed against the first report',
    examples: [
      'compare production.json staging.json',
      'compare main.json branch.json --reporter markdown=comparison.md',
    ],
    load: async () => (await import('./commands/compare.ts')).compare,
  },
  explain: {
    words: '[ID] [STACK]',
    summary: 'explain a requirement, a gap or a failure code',
    examples: ['explain', 'explain list-complete', 'explain list-complete Flask', 'explain 404'],
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  init: {
    words: '<BASE_URL>',
    summary: 'write a configuration and a job for a CI',
    examples: ['init https://staging.example.com/v1'],
    load: async () => (await import('./commands/init.ts')).init,
  },
  'self-test': {
    words: '[COMBINATIONS]',
    summary: 'prove the kit on faulty and legal servers',
    examples: ['self-test', 'self-test 1000'],
    endsAtOnce: true,
    load: async () => (await import('./commands/self-test.ts')).selfTest,
  },
};

export const commandNames = Object.keys(commands) as CommandName[];
