/**
 * The first signal and the deadline end a command within two seconds at whatever moment they come, and its reports are
 * written. What a command waits for never comes in these tests, so it ends for no other reason.
 */

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reporters } from '../../../reporters/index.ts';
import { stalling, startGateway } from '../../neighbours/gateway.ts';
import { startOtherServer } from '../../other-server.ts';
import { sampleReport } from '../../reporters/sample-report.ts';
import { jumpingTime, readReport, run, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
writeFileSync(at('saved.json'), reporters.json(sampleReport));
const archive = new URL('chromium.har', import.meta.url).pathname;
const pact = new URL('../../../../pacts/adoption-site-pet-store.json', import.meta.url).pathname;

const { baseUrl: to, key, server } = await startOtherServer({});
const env = { PETSTORE_API_KEY: key };

const [allowedTicks, tickMs] = [100, 20];

/**
 * The result of a command that has been asked to end. It has two seconds, counted in ticks of this process: a busy machine,
 * which makes the command late, makes the ticks late as well.
 */
async function endsSoon<Outcome>(result: Promise<Outcome>, what: string): Promise<Outcome> {
  let isOver = false;
  const ended = result.finally(() => {
    isOver = true;
  });
  const overdue = async (): Promise<never> => {
    for (let ticks = 0; ticks < allowedTicks && !isOver; ticks += 1) await sleep(tickMs);
    if (!isOver) assert.unreachable(`${what}: it goes on two seconds after it was asked to end`);
    return new Promise(() => {});
  };
  return Promise.race([ended, overdue()]);
}

/** Aborts after so many turns of the event loop. */
function afterTurns(turns: number): AbortSignal {
  const interruption = new AbortController();
  const turn = (left: number): void => {
    if (left === 0) interruption.abort();
    else setImmediate(turn, left - 1);
  };
  turn(turns);
  return interruption.signal;
}

const script = `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
for (let sent = 1; sent < Number(process.argv[2]); sent += 1)
  await (await fetch(base + '/pets', { headers: { authorization: 'Bearer ' + key } })).text();
await fetch(process.argv[3]);`;
writeFileSync(at('asks.mjs'), script);

/** Commands that wait for an answer of an address that stalls at its nth request. */
const waiting: Readonly<Record<string, (front: string, nth: number) => readonly string[]>> = {
  run: (front) => ['run', front, '--max-requests', '300', '--timeout', '600000'],
  'pact verify': (front) => ['pact', 'verify', front, '--pact', pact, '--timeout', '600000'],
  // A client that asks the stalling address last never ends.
  client: (front, nth) => ['client', '--', process.execPath, at('asks.mjs'), String(nth), `${front}/pets`],
};

// Both abort the same signal, so the deadline is tried at fewer moments.
for (const [ending, code, moments] of [
  ['SIGINT', 'interrupted', [1, 2, 5]],
  ['the deadline', 'deadline', [1]],
] as const) {
  for (const [what, words] of Object.entries(waiting)) {
    test(`${ending} ends ${what} at ${moments.length} moments, with its report`, async () => {
      for (const nth of moments) {
        const [interruption, deadline] = [new AbortController(), new AbortController()];
        const stalled = Promise.withResolvers<void>();
        const end = (): void => {
          (ending === 'SIGINT' ? interruption : deadline).abort();
          stalled.resolve();
        };
        const front = await startGateway(stalling(what === 'client' ? 1 : nth, end), Date.now, to);
        const all = words(front.baseUrl, nth);
        const names = what.split(' ').length;
        const options = ['--deadline', '7', '--reporter', `json=${at('waiting.json')}`];
        const host = { interruption: interruption.signal, time: jumpingTime(deadline.signal) };
        const result = run([...all.slice(0, names), ...options, ...all.slice(names)], env, host);
        await Promise.race([stalled.promise, result]);
        const outcome = await endsSoon(result, `${what} at request ${nth}, ended by ${ending}`);
        await front.close();
        assert.is(outcome.code, 3, `${nth}: ${outcome.stderr}`);
        assert.is(readReport(at('waiting.json')).reason?.code, code, String(nth));
      }
    });
  }
}

test('SIGINT ends the relay of observe while a client waits for an answer, with its report', async () => {
  const interruption = new AbortController();
  const front = await startGateway(
    stalling(3, () => interruption.abort()),
    Date.now,
    to,
  );
  const shown = Promise.withResolvers<string>();
  const onStderr = (text: string): void => {
    const address = /Passing (\S+) on to/.exec(text)?.[1];
    if (address !== undefined) shown.resolve(address);
  };
  const words = ['observe', front.baseUrl, '--port', '0', '--reporter', `json=${at('watch.json')}`];
  const result = run(words, {}, { interruption: interruption.signal, onStderr });
  const ask = async () => fetch(`${await shown.promise}/pets`, { headers: { authorization: `Bearer ${key}` } });
  for (let sent = 1; sent < 3; sent += 1) await (await ask()).text();
  const last = ask().catch(() => 'broken off');
  await Promise.race([last, new Promise((resolve) => interruption.signal.addEventListener('abort', resolve))]);
  const { code, stderr } = await endsSoon(result, 'observe');
  await last;
  assert.ok(code === 0 || code === 3, `${code} ${stderr}`);
  assert.is(readReport(at('watch.json')).requests, 2);
  await front.close();
});

/** Commands that wait for nobody, with the reports that they owe. */
const computing: readonly (readonly [words: string, file?: string])[] = [
  [`report ${at('saved.json')} --reporter html=${at('page.html')}`, 'page.html'],
  [`compare ${at('saved.json')} ${at('saved.json')} --reporter markdown=${at('compare.md')}`, 'compare.md'],
  [`observe ${archive} --reporter json=${at('observe.json')}`, 'observe.json'],
  [`pact lint ${pact}`],
  ['explain pet-id'],
  ['run --dry-run --max-requests 60'],
  ['self-test'],
];

for (const [words, file] of computing) {
  test(`SIGINT ends ${words.split(' ')[0]} whenever it comes`, async () => {
    for (const turns of [0, 2, 9]) {
      if (file !== undefined) rmSync(at(file), { force: true });
      const result = run(words.split(' '), {}, { interruption: afterTurns(turns) });
      const { code, stderr } = await endsSoon(result, words);
      assert.ok((words === 'self-test' ? [3] : [0, 1, 3]).includes(code ?? -1), `${code}: ${stderr}`);
      if (file !== undefined) assert.ok(existsSync(at(file)), String(turns));
    }
  });
}

/** Sends a signal as soon as somebody listens for it, which is before anything else happens. */
const atOnce = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    "process.on('newListener', (name) => { if (name === 'SIGINT') setImmediate(() => process.kill(process.pid, 'SIGINT')); });",
  )}`,
};

for (const words of [['run'], ['observe', to], ['client', '--', process.execPath, '-v'], ['self-test']]) {
  test(`a process of ${words[0]} ends with 3 on a signal that comes first, with its report`, async () => {
    const file = at(`first-${words[0]}.json`);
    const [command = '', ...rest] = words;
    const options = command === 'self-test' ? [] : ['--reporter', `json=${file}`];
    const { code, stderr } = await start([command, ...options, ...rest], { ...env, ...atOnce }).result;
    assert.equal([code, existsSync(file)], [3, options.length > 0], stderr);
  });
}

test.after(() => {
  server.closeAllConnections();
  server.close();
});

test.run();
