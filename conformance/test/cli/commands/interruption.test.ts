/**
 * The first signal and the deadline end a command within two seconds at whatever moment they come, and its reports are
 * written. What a command waits for never comes in these tests, so it ends for no other reason.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { stalling, startGateway } from '../../neighbours/gateway.ts';
import { startOtherServer } from '../../other-server.ts';
import { jumpingTime, readReport, run, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const pact = new URL('../../../../pacts/adoption-site-pet-store.json', import.meta.url).pathname;

const { baseUrl: to, key, server } = await startOtherServer({});
const env = { PETSTORE_API_KEY: key };

/**
 * The result of a command that has been asked to end. It has two seconds, counted in a hundred ticks of this process: a busy
 * machine, which makes the command late, makes the ticks late as well.
 */
async function endsSoon<Outcome>(result: Promise<Outcome>, what: string): Promise<Outcome> {
  let isOver = false;
  const ended = result.finally(() => {
    isOver = true;
  });
  const overdue = async (): Promise<never> => {
    for (let ticks = 0; ticks < 100 && !isOver; ticks += 1) await sleep(20);
    if (!isOver) assert.unreachable(`${what}: it goes on two seconds after it was asked to end`);
    return new Promise(() => {});
  };
  return Promise.race([ended, overdue()]);
}

const script = `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key } = process.env;
await (await fetch(base + '/pets', { headers: { authorization: 'Bearer ' + key } })).text();
await fetch(process.argv[2]);`;
writeFileSync(at('asks.mjs'), script);

/** Commands that wait for an answer of an address that stalls at its nth request. */
const waiting: readonly (readonly [command: string, nth: number, words: (front: string) => readonly string[]])[] = [
  ['run', 5, (front) => [front, '--max-requests', '300', '--timeout', '600000']],
  ['pact verify', 2, (front) => [front, '--pact', pact, '--timeout', '600000']],
  // A client that asks the stalling address last never ends.
  ['client', 1, (front) => ['--', process.execPath, at('asks.mjs'), `${front}/pets`]],
];

for (const [ending, code] of Object.entries({ SIGINT: 'interrupted', 'the deadline': 'deadline' })) {
  for (const [command, nth, words] of waiting) {
    test(`${ending} ends ${command} at request ${nth}, with its report`, async () => {
      const [interruption, deadline] = [new AbortController(), new AbortController()];
      const stalled = Promise.withResolvers<void>();
      const end = (): void => {
        (ending === 'SIGINT' ? interruption : deadline).abort();
        stalled.resolve();
      };
      const front = await startGateway(stalling(nth, end), to);
      const options = ['--deadline', '7', '--reporter', `json=${at('waiting.json')}`];
      const host = { interruption: interruption.signal, time: jumpingTime(deadline.signal) };
      const result = run([...command.split(' '), ...options, ...words(front)], env, host);
      await Promise.race([stalled.promise, result]);
      const outcome = await endsSoon(result, command);
      assert.is(outcome.code, 3, outcome.stderr);
      const { reason, interactions } = readReport(at('waiting.json'));
      assert.is(reason?.code, code);
      if (command === 'pact verify') assert.match(interactions!.at(-1)!.messages.join(), /interrupted|deadline/);
    });
  }
}

test('SIGINT ends at once a command that writes no report', async () => {
  for (const words of [['pact', 'lint', pact], ['self-test']]) {
    const interruption = new AbortController();
    const result = run(words, {}, { interruption: interruption.signal });
    setImmediate(() => interruption.abort());
    const { code, stderr } = await endsSoon(result, words.join(' '));
    assert.equal([code, stderr], [3, 'Interrupted.\n'], words.join(' '));
  }
});

/** Sends a signal as soon as somebody listens for it, which is before anything else happens. */
const atOnce = {
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    "process.on('newListener', (name) => { if (name === 'SIGINT') setImmediate(() => process.kill(process.pid, 'SIGINT')); });",
  )}`,
};

test('a process ends with 3 on a signal that comes first, with its report', async () => {
  const { code, stderr } = await start(['run', '--reporter', `json=${at('first.json')}`], atOnce).result;
  assert.equal([code, readReport(at('first.json')).reason?.code], [3, 'interrupted'], stderr);
});

test('a terminal that is closed in mid-run still leaves a report that says what is left behind', async () => {
  const { child, result } = start(['run', to, '--reporter', `json=${at('hup.json')}`], env);
  let asked = 0;
  server.on('request', () => {
    asked += 1;
    if (asked === 8) child.kill('SIGHUP');
  });
  const { code } = await result;
  const report = readReport(at('hup.json'));
  assert.equal([code, report.reason?.code, report.created.length > 0], [3, 'interrupted', true]);
});

test.run();
