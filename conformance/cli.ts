#!/usr/bin/env node
/** The command: parses, calls, writes, sets the exit code. */

import { randomBytes, randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { createPetStore, listen } from '../reference-server/index.ts';
import { type RunArguments, readRunArguments, UsageError } from './arguments.ts';
import { kitVersion, type Report } from './report.ts';
import { reporters } from './reporters/index.ts';
import { inColour, reportTerminal } from './reporters/terminal.ts';
import { runConformance } from './run.ts';
import type { Clock } from './session.ts';
import type { Plan } from './settings.ts';
import { fetchTransport } from './transport.ts';

const help = `petstore-conformance ${kitVersion}: judges implementations of the Pet Store Service Interface 1.0.0

  petstore-conformance run [BASE_URL] [options]     no BASE_URL: the embedded reference server
  petstore-conformance plan [options]               what a run would send, sending nothing
  petstore-conformance list                         every statement of the interface
  petstore-conformance explain ID                   one of them: how it is judged, what proves that
  petstore-conformance self-test [COMBINATIONS]     proves the kit on faults and variants

  --api-key-env NAME          variable with the API key (PETSTORE_API_KEY)
  --rate-limit-key-env NAME   variable with a key that may be exhausted (PETSTORE_RATE_LIMIT_KEY)
  --plan NAME                 plan of the API key: free, pro, business or enterprise
  --category-id N             a category that the target knows; repeatable
  --header 'Name: value'      sent with every request; repeatable
  --max-requests N            300      --max-creates N   60      --read-only
  --concurrency N             1        --timeout MS      10000   --max-wait S   75
  --seed N                    draws the values of the run
  --only ID|SECTION           judge only these; repeatable
  --now DATE                  the day to take for today
  --require-all               what is skipped or inconclusive ends with 3
  --reporter NAME[=FILE]      ${Object.keys(reporters).join(', ')}; repeatable
  --evidence all|cited        which exchanges the JSON report carries
  --leftovers FILE            lists the animals that the run leaves behind, whatever ends it
  --deadline S                1800, for the whole run

Exit codes: 0 conforms, 1 does not conform, 2 usage or configuration, 3 could not judge, 4 our own error.
`;

const interruption = new AbortController();

/** The clock of a run on a real target; a wait ends when the run is stopped. */
function createRealClock(signal: AbortSignal): Clock {
  return {
    now: () => Date.now(),
    sleep: async (ms) => {
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    },
  };
}

/** A clock that jumps instead of waiting; the embedded server goes by it too. */
function createJumpingClock(): Clock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    sleep: (ms) => {
      ahead += ms;
      return Promise.resolve();
    },
  };
}

interface Target {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly rateLimitKey?: string;
  readonly plan?: Plan;
  /** Undefined where the real one is to be used. */
  readonly clock?: Clock;
  readonly close: () => Promise<void>;
}

/** The reference server on a free port, with a key of each kind that only this run knows. */
async function startEmbedded(): Promise<Target> {
  const apiKey = `embedded-${randomBytes(12).toString('hex')}`;
  const rateLimitKey = `embedded-${randomBytes(12).toString('hex')}`;
  const store = createPetStore({
    keys: [
      { key: apiKey, plan: 'business' },
      { key: rateLimitKey, plan: 'enterprise', perMinute: 8, perDay: 1_000 },
    ],
  });
  const clock = createJumpingClock();
  const server = await listen(store.handle, { port: 0, now: clock.now });
  return { baseUrl: `${server.url}/v1`, apiKey, rateLimitKey, plan: 'business', clock, close: () => server.close() };
}

function readKey(name: string): string | undefined {
  const key = process.env[name];
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(`The key in ${name} must be visible ASCII without spaces: check how the variable is set.`);
  }
  return key;
}

async function openTarget(args: RunArguments): Promise<Target> {
  if (args.baseUrl === undefined) return startEmbedded();
  const apiKey = readKey(args.apiKeyEnv);
  if (apiKey === undefined) {
    throw new UsageError(
      `The variable ${args.apiKeyEnv} holds no API key: set it, or name another with --api-key-env.`,
    );
  }
  const rateLimitKey = readKey(args.rateLimitKeyEnv);
  if (rateLimitKey === apiKey) {
    throw new UsageError(`${args.rateLimitKeyEnv} must hold another key than ${args.apiKeyEnv}: it will be exhausted.`);
  }
  const keys = { apiKey, ...(rateLimitKey === undefined ? {} : { rateLimitKey }) };
  return { baseUrl: args.baseUrl, ...keys, close: () => Promise.resolve() };
}

/** One line that is rewritten while the run goes on, where a person watches. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
}

function writeTo(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

function write(report: Report, args: RunArguments): void {
  if (args.leftovers !== undefined) {
    const leftovers = { target: report.target, startedAt: report.startedAt, created: report.created };
    writeTo(args.leftovers, `${JSON.stringify(leftovers, null, 2)}\n`);
  }
  for (const { name, file } of args.reporters) {
    if (file === undefined) {
      const inTerminal = name === 'terminal' && process.stdout.isTTY && process.env['NO_COLOR'] === undefined;
      process.stdout.write(inTerminal ? reportTerminal(report, inColour) : reporters[name](report));
      continue;
    }
    writeTo(file, reporters[name](report));
  }
}

async function run(argv: readonly string[]): Promise<number> {
  const args = readRunArguments(argv, { now: Date.now(), seed: randomInt(2 ** 31) });
  const target = await openTarget(args);
  const transport = fetchTransport(args.timeoutMs);
  const beganAt = performance.now();
  const deadline = AbortSignal.timeout(args.deadlineMs);
  const signal = AbortSignal.any([interruption.signal, deadline]);
  // The reason of a timed-out signal is not for a person.
  const stop = new AbortController();
  signal.addEventListener('abort', () =>
    stop.abort(
      deadline.aborted ? `The deadline of ${args.deadlineMs / 1000} s has passed.` : 'The run was interrupted.',
    ),
  );
  let requests = 0;
  let title = '';
  try {
    const judged = await runConformance({
      settings: {
        ...(target.plan === undefined ? {} : { plan: target.plan }),
        ...args.settings,
        baseUrl: target.baseUrl,
        hasRateLimitKey: target.rateLimitKey !== undefined,
      },
      keys: {
        api: target.apiKey,
        ...(target.rateLimitKey === undefined ? {} : { rateLimit: target.rateLimitKey }),
      },
      transport,
      clock: target.clock ?? createRealClock(stop.signal),
      runTag: randomBytes(3).toString('hex'),
      demands: { requiresAll: args.requiresAll, ...(args.only === undefined ? {} : { only: args.only }) },
      scope: args.scope,
      signal: stop.signal,
      onScenario: (scenario) => {
        title = scenario.title;
      },
      onExchange: () => {
        requests += 1;
        showProgress(`${requests}/${args.settings.maxRequests} ${title}`);
      },
      onWait: (ms, why) => {
        // The clock of the embedded server jumps.
        if (target.clock !== undefined) return;
        showProgress(`waiting ${Math.ceil(ms / 1000)} s: ${why}`);
        if (!process.stderr.isTTY) process.stderr.write(`Waiting ${Math.ceil(ms / 1000)} s: ${why}.\n`);
      },
    });
    showProgress('');
    // The clock of the embedded server jumps over waits; what is told is what the user waited.
    const report = { ...judged, durationMs: Math.round(performance.now() - beganAt) };
    write(report, args);
    return report.exitCode;
  } finally {
    transport.close();
    await target.close();
  }
}

/** Commands that send nothing. */
async function tell(command: 'plan' | 'list' | 'explain', argv: readonly string[]): Promise<number> {
  const { explainRequirement, listRequirements, planRun } = await import('./explain.ts');
  if (command === 'plan') {
    process.stdout.write(await planRun(readRunArguments(argv, { now: Date.now(), seed: 1 }).settings));
    return 0;
  }
  const [id, ...more] = argv;
  const takes = command === 'list' ? 0 : 1;
  if (argv.length > takes || more.length > 0)
    throw new UsageError(`${command} takes ${takes === 0 ? 'nothing' : 'one id'}.`);
  const text = command === 'list' ? listRequirements() : explainRequirement(id ?? '');
  if (text === undefined) {
    throw new UsageError(
      `explain takes the id of a requirement, not "${id ?? ''}"; petstore-conformance list shows them.`,
    );
  }
  process.stdout.write(text);
  return 0;
}

/** Prints the matrix of faults and variants; 4 when the kit does not judge as it must. */
async function selfTest([combinations = '1000', ...rest]: readonly string[]): Promise<number> {
  if (!/^\d{1,6}$/.test(combinations) || rest.length > 0) {
    throw new UsageError(
      `self-test takes one number of random combinations, not "${[combinations, ...rest].join(' ')}".`,
    );
  }
  const { isProven, runSelfTest, showSelfTest } = await import('./self-test.ts');
  const result = await runSelfTest(Number(combinations));
  process.stdout.write(showSelfTest(result));
  return isProven(result) ? 0 : 4;
}

async function main(argv: readonly string[]): Promise<number> {
  const [command, ...rest] = argv;
  if (command === '--help' || command === '-h' || rest.includes('--help')) {
    process.stdout.write(help);
    return 0;
  }
  if (command === '--version') {
    process.stdout.write(`${kitVersion}\n`);
    return 0;
  }
  if (command === 'run') return run(rest);
  if (command === 'self-test') return selfTest(rest);
  if (command === 'plan' || command === 'list' || command === 'explain') return tell(command, rest);
  throw new UsageError(
    `The command is run, plan, list, explain or self-test, not "${command ?? ''}"; see petstore-conformance --help.`,
  );
}

// A long run makes much garbage and keeps little: CI machines have little memory beside the service under test.
for (const flag of ['--optimize-for-size', '--semi-space-growth-factor=1']) setFlagsFromString(flag);
process.once('SIGINT', () => interruption.abort());
process.once('SIGTERM', () => interruption.abort());

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.stderr.write(isUsage ? `${error.message}\n` : `The kit itself broke: ${(error as Error)?.stack ?? error}\n`);
  process.exitCode = isUsage ? 2 : 4;
}
