/** Every command that a page shows is run as a reader would, against a service that is started for it. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBroker } from '../../../pacts/test/broker.ts';
import { type Command, commands, root } from './blocks.ts';
import { openSandbox, rateLimitKey, type Sandbox } from './sandbox.ts';

/** How the commands are run that do not end by themselves with 0: the first row whose pattern fits. */
const rows: readonly { readonly pattern: RegExp; readonly left?: string; readonly ends?: number | 'when asked' }[] = [
  { pattern: /^npm ci && npm test$/, left: 'it is what runs this test' },
  { pattern: /^npm pack$/, left: 'published.package.ts packs, and installs the tarball' },
  { pattern: /^npm run mock$/, left: 'it takes port 4010; prism.test.ts starts the same mock on a free one' },
  { pattern: /^pact-broker /, left: 'npm has no client of the Pact Broker; the tests of pact verify do the same' },
  { pattern: /^petstore-server --list/, ends: 0 },
  { pattern: /^petstore-server/, ends: 'when asked' },
  { pattern: / observe http/, ends: 'when asked' },
];

/** The command with the address and the key of a service that is there, on free ports, and with the requests of a minute. */
function adapt(text: string, { target }: Sandbox): string {
  return text
    .replaceAll(/https:\/\/staging\.example\.com\/v1|http:\/\/localhost:8080\/v1/g, target.url)
    .replace(" --start 'npm start'", '')
    .replaceAll(/\b(PETSTORE_API_KEY)=…/g, `$1=${target.key}`)
    .replaceAll('PETSTORE_RATE_LIMIT_KEY=…', `PETSTORE_RATE_LIMIT_KEY=${rateLimitKey}`)
    .replace(/^(petstore-conformance run http\S+)(?!.*--max-requests)/, '$1 --max-requests 60')
    .replace(/^PETSTORE_BASE_URL/, 'PETSTORE_MAX_REQUESTS=60 $&')
    .replace(/^petstore-server/, '$& --port 0')
    .replaceAll(/ --(port|control) \d+/g, ' --$1 0')
    .replace(/ client -- /, ' client --differs-in list-order -- ');
}

/** No command of a page takes this long, milliseconds. */
const longest = 60_000;

/** Starts a command, collects what it prints, and calls `listen` once with the address where it says that it listens. */
function start({ text, exports }: Command, sandbox: Sandbox, more: object, listen: (url: string) => void) {
  const lines = ['set -e', ...exports, text].map((line) => adapt(line, sandbox));
  const child: ChildProcess = spawn('bash', ['-c', lines.join('\n')], {
    cwd: sandbox.folder,
    env: { ...sandbox.environment, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // With all that it has started.
  const end = (): void => {
    if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM');
  };
  const timer = setTimeout(end, longest);
  let [output, isListening] = ['', false];
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
      const url = /http:\/\/127\.0\.0\.1:\d+\/v1(?=[\s,:])/.exec(output)?.[0];
      if (url === undefined || isListening) return;
      isListening = true;
      listen(url);
    });
  }
  const ended = once(child, 'close').then(([code]) => {
    clearTimeout(timer);
    return { code: code as number | null, output };
  });
  return { end, ended };
}

const token = 'a-token-of-the-broker';
const recorded = JSON.parse(readFileSync(join(root, 'pacts/adoption-site-pet-store.json'), 'utf8')) as {
  interactions: object[];
};

/** The variables of a command that takes its pacts from a broker, which holds one. */
async function variablesOf({ text }: Command, { target }: Sandbox) {
  if (!text.includes('--provider-version')) return {};
  const broker = await startBroker(token, [recorded]);
  return { PACT_BROKER_BASE_URL: broker.url, PACT_BROKER_TOKEN: token, BASE_URL: target.url };
}

type Ending = NonNullable<(typeof rows)[number]['ends']>;

/** Runs a command, and checks that it ends as it should and writes the files that it names. */
async function checkCommand(command: Command, ends: Ending, sandbox: Sandbox): Promise<void> {
  const variables = await variablesOf(command, sandbox);
  const asked: Promise<number>[] = [];
  const { end, ended } = start(command, sandbox, variables, (url) => {
    const headers = { authorization: `Bearer ${sandbox.target.key}` };
    if (ends !== 'when asked') return;
    asked.push(fetch(`${url}/pets`, { headers }).then(({ status }) => status));
    void Promise.all(asked).then(end, end);
  });
  const { code, output } = await ended;
  if (ends === 'when asked') assert.equal(await Promise.all(asked), [200], output);
  else assert.is(code, ends, output);
  for (const [, file = ''] of command.text.matchAll(/--reporter \w+=(\S+)/g)) {
    assert.ok(statSync(join(sandbox.folder, file)).size > 0, file);
  }
}

for (const command of commands) {
  const { left, ends = 0 } = rows.find(({ pattern }) => pattern.test(command.text)) ?? {};
  if (left !== undefined) continue;
  test(`${command.page}, line ${command.line}: ${command.text}`, async () => {
    const sandbox = await openSandbox();
    // An open service would keep the process of a test that failed.
    await checkCommand(command, ends, sandbox).finally(sandbox.close);
  });
}

test('every row of the table is about a command of a page', () => {
  const unused = rows.filter(({ pattern }) => !commands.some(({ text }) => pattern.test(text)));
  assert.equal(unused, []);
  assert.ok(commands.length >= 25, String(commands.length));
});

test.run();
