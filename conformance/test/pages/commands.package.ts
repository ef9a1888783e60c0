/** Every command that a page shows is run as a reader would, against a service that is started for it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBroker } from '../../../pacts/test/broker.ts';
import { type Command, commands, root } from './blocks.ts';
import { closeSandboxes, keyOfFailing, openSandbox, type Sandbox, urlOfFailing } from './sandbox.ts';

/** What no machine of a developer can run, and what holds it instead. */
const notRun: readonly (readonly [pattern: RegExp, reason: string])[] = [
  [/^npm ci && npm test$/, 'it is what runs this test'],
  [/^pact-broker /, 'npm has no client of the Pact Broker; what it does is done by the tests of pact verify'],
  [/^npm run mock$/, 'it takes port 4010; prism.test.ts starts the same mock on a free one'],
];

/** What ends otherwise than with 0, and why. */
const otherCodes: readonly (readonly [pattern: RegExp, code: number])[] = [
  // The page says so: the failure of the report is still there.
  [/^petstore-conformance run .*--last-failed/, 1],
  // The little that passes in a test shows no verdict.
  [/^petstore-conformance observe https:/, 3],
];

/** What goes on until it is ended. */
function isServer(text: string): boolean {
  return /^(npm start|petstore-server)/.test(text) && !text.includes('--list-faults');
}

/** The command with the address and the key of a service that is there, and on a free port. */
function adapt(text: string, { target }: Sandbox): string {
  return text
    .replaceAll('https://staging.example.com/v1', text.includes(' replay ') ? urlOfFailing : target.url)
    .replaceAll(/\b(PETSTORE_API_KEY)=…/g, `$1=${target.key}`)
    .replaceAll('PETSTORE_RATE_LIMIT_KEY=…', 'PETSTORE_RATE_LIMIT_KEY=other-key-of-a-reader')
    .replace(/\brun … /, `run ${target.url} --max-requests 60 `)
    .replace(/^(petstore-conformance run http\S+)(?!.*--max-requests)/, '$1 --max-requests 60')
    .replace(/^PETSTORE_BASE_URL/, 'PETSTORE_MAX_REQUESTS=60 $&')
    .replaceAll(/ --(port|control-port) \d+/g, ' --$1 0')
    .replace(' --host 0.0.0.0', ' --host 127.0.0.1')
    .replace(/^npm start$/, 'npm start -- --port 0')
    .replace(/^((?:npm start --|petstore-server)(?!.*--port))/, '$1 --port 0')
    .replace(/--idle \d+/, '--idle 1')
    .replace(/--runs \d+/, '--runs 3');
}

/** No command of a page takes this long, milliseconds. */
const longest = 60_000;

function start({ text, exports }: Command, sandbox: Sandbox, more: Readonly<Record<string, string | undefined>> = {}) {
  // The array of zsh in which functions are looked for.
  const lines = ['set -e', 'fpath=(none "$HOME/zsh")', ...exports, text].map((line) => adapt(line, sandbox));
  const child = spawn('bash', ['-c', lines.join('\n')], {
    cwd: sandbox.folder,
    env: { ...sandbox.environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const timer = setTimeout(() => end(child), longest);
  child.once('close', () => clearTimeout(timer));
  return child;
}

/** Ends it with all that it has started. */
function end({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGTERM');
}

type Started = ReturnType<typeof start>;

/** What it prints, as it comes; resolves with its code when it has ended. */
function follow(child: Started, listen: (output: string) => void = () => undefined) {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
      listen(output);
    });
  }
  return once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
}

/** Asks once where it says that it listens, and tells the status of the answer; then it may be ended. */
async function askListening(
  child: Started,
  key: string,
): Promise<{ readonly status: number; readonly ended: ReturnType<typeof follow> }> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const ended = follow(child, (output) => {
    const url = /http:\/\/127\.0\.0\.1:\d+\/v1(?=[\s,])/.exec(output)?.[0];
    if (url !== undefined) resolve(url);
  });
  ended.then(({ output }) => reject(new Error(output)));
  const answer = await fetch(`${await promise}/pets`, { headers: { authorization: `Bearer ${key}` } });
  await answer.body?.cancel();
  return { status: answer.status, ended };
}

/** The files that a command says it writes. */
function filesOf(text: string): readonly string[] {
  const named = [...text.matchAll(/(?:=|> |--leftovers )((?!-)[\w./-]+\.(?:json|xml|md|yaml))/g)];
  return named.map(([, file = '']) => file);
}

const token = 'a-token-of-the-broker';
const recorded = JSON.parse(readFileSync(join(root, 'pacts/adoption-site-pet-store.json'), 'utf8')) as object;

/** What a command needs of others: the key of the service in its report, or a broker that holds a pact. */
async function surround({ text }: Command, { target }: Sandbox) {
  if (text.includes(' replay ')) return { variables: { PETSTORE_API_KEY: keyOfFailing }, close: () => undefined };
  if (!text.includes('--broker-url')) return { variables: {}, close: () => undefined };
  const broker = await startBroker(token);
  await broker.publish(recorded, { version: '1', branch: 'main' });
  return {
    variables: { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: token, BASE_URL: target.url },
    close: broker.close,
  };
}

async function runToEnd(command: Command, sandbox: Sandbox): Promise<void> {
  const { variables, close } = await surround(command, sandbox);
  const child = start(command, sandbox, variables);
  const isAsked = command.text.includes(' watch ');
  const { code, output } = await (isAsked ? (await askListening(child, sandbox.target.key)).ended : follow(child));
  close();
  const wanted = otherCodes.find(([pattern]) => pattern.test(command.text))?.[1] ?? 0;
  assert.is(code, wanted, output);
  for (const file of filesOf(command.text)) assert.ok(statSync(join(sandbox.folder, file)).size > 0, file);
}

async function runServer(command: Command, sandbox: Sandbox): Promise<void> {
  const child = start(command, sandbox);
  const { status, ended } = await askListening(child, sandbox.target.key).finally(() => end(child));
  await ended;
  // One of them simulates a network that answers 503 now and then.
  assert.ok([200, 401, 503].includes(status), String(status));
}

for (const command of commands) {
  const reason = notRun.find(([pattern]) => pattern.test(command.text))?.[1];
  if (reason !== undefined) continue;
  test(`${command.page}, line ${command.line}: ${command.text}`, async () => {
    const sandbox = await openSandbox();
    try {
      await (isServer(command.text) ? runServer : runToEnd)(command, sandbox);
    } finally {
      await sandbox.close();
    }
  });
}

test('what is not run is in a page', () => {
  for (const [pattern, reason] of notRun)
    assert.ok(
      commands.some(({ text }) => pattern.test(text)),
      reason,
    );
  for (const [pattern] of otherCodes)
    assert.ok(
      commands.some(({ text }) => pattern.test(text)),
      String(pattern),
    );
  assert.ok(commands.length >= 30, String(commands.length));
});

test.after(closeSandboxes);

test.run();
