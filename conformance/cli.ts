#!/usr/bin/env node

/** The command: chooses what to do, says what went wrong in one sentence, sets the exit code. */

import { UsageError } from './command-line/configuration.ts';
import { compare } from './commands/compare.ts';
import { pact } from './commands/pact.ts';
import { replay } from './commands/replay.ts';
import { run } from './commands/run.ts';
import { explain, list, plan, selfTest } from './commands/tell.ts';
import { kitVersion } from './engine/report.ts';
import { reporters } from './reporters/index.ts';

const help = `petstore-conformance ${kitVersion}: judges implementations of the Pet Store Service Interface 1.0.0

  petstore-conformance run [BASE_URL] [options]     no BASE_URL: the embedded reference server
  petstore-conformance replay REPORT ID [options]   sends one failure of a JSON report again
  petstore-conformance pact verify [BASE_URL] --pact FILE|FOLDER|URL   verifies what consumers recorded
  petstore-conformance pact lint FILE…              what pacts claim that the interface does not say
  petstore-conformance compare REPORT…              several JSON reports side by side
  petstore-conformance plan [options]               what a run would send, sending nothing
  petstore-conformance list                         every statement of the interface
  petstore-conformance explain ID                   one of them: how it is judged, what proves that
  petstore-conformance self-test [COMBINATIONS]     proves the kit on faults and variants

  --api-key-env NAME          variable with the API key (PETSTORE_API_KEY)
  --rate-limit-key-env NAME   variable with a key that may be exhausted (PETSTORE_RATE_LIMIT_KEY)
  --plan NAME                 plan of the API key: free, pro, business or enterprise
  --category-id N             a category that the target knows; repeatable
  --pet-id N                  an animal that the target has, for runs that create none; repeatable
  --header 'Name: value'      sent with every request; repeatable
  --max-requests N            300      --max-creates N   60      --read-only
  --concurrency N             1        --timeout MS      10000   --max-wait S   75
  --seed N                    draws the values of the run
  --only ID|SECTION           judge only these; repeatable
  --now DATE                  the day to take for today
  --waivers FILE              failures that are known and accepted until a day (YAML)
  --require-all               what is skipped or inconclusive ends with 3
  --reporter NAME[=FILE]      ${Object.keys(reporters).join(', ')}; repeatable
  --evidence all|cited        which exchanges the JSON report carries
  --leftovers FILE            lists the animals that the run leaves behind, whatever ends it
  --deadline S                1800, for the whole run
  --print-config              shows every option with its origin, and does nothing else

  of pact verify, beside the above:
  --pact FILE|FOLDER|URL      repeatable
  --broker-url URL            a Pact Broker (PACT_BROKER_BASE_URL); its token comes from PACT_BROKER_TOKEN
  --broker-token-env NAME     variable with the token; or PACT_BROKER_USERNAME and PACT_BROKER_PASSWORD
  --provider NAME             the name of the service at the broker (pet-store)
  --selector PART[,PART]      mainBranch, deployedOrReleased, branch=NAME, environment=NAME, consumer=NAME…; repeatable
  --pending --wip-since DATE  pacts that were never verified may fail; work in progress is verified too
  --publish --provider-version V --provider-branch B   writes the results to the broker

Every option may stand in petstore-conformance.config.yaml (max-requests: 60), found upwards from here, or in the
environment (PETSTORE_MAX_REQUESTS=60); the environment wins over the file, the command line over both.

Exit codes: 0 conforms, 1 does not conform, 2 usage or configuration, 3 could not judge, 4 our own error.
`;

type Command = (argv: readonly string[], interruption: AbortSignal) => Promise<number>;

const commands: Readonly<Record<string, Command>> = {
  run,
  replay,
  compare,
  pact,
  plan,
  list,
  explain,
  'self-test': selfTest,
};

async function main([command = '', ...rest]: readonly string[], interruption: AbortSignal): Promise<number> {
  if (command === '--help' || command === '-h' || rest.includes('--help')) {
    process.stdout.write(help);
    return 0;
  }
  if (command === '--version') {
    process.stdout.write(`${kitVersion}\n`);
    return 0;
  }
  const chosen = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (chosen !== undefined) return chosen(rest, interruption);
  const names = Object.keys(commands);
  throw new UsageError(
    `The command is ${names.slice(0, -1).join(', ')} or ${names.at(-1)}, not "${command}"; see petstore-conformance --help.`,
  );
}

const interruption = new AbortController();
process.once('SIGINT', () => interruption.abort());
process.once('SIGTERM', () => interruption.abort());
try {
  process.exitCode = await main(process.argv.slice(2), interruption.signal);
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.stderr.write(isUsage ? `${error.message}\n` : `The kit itself broke: ${(error as Error)?.stack ?? error}\n`);
  process.exitCode = isUsage ? 2 : 4;
}
