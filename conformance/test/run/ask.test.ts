/** How an outage is waited for, without a target: the waits, and the requests that show whether anything is served. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import { createAsk } from '../../run/ask.ts';
import { type PlannedRequest, type Prepared, plainListing, prepare, unknownAnimal } from '../../run/planned-request.ts';
import { type Reason, reasonInWords } from '../../verdict/reasons.ts';
import { exchangeOf } from './hand-made.ts';

const settings = trialSettings(60);
const keys = { api: 'Asked-Key-4711' };
const prepared = (planned: PlannedRequest) => prepare(planned, keys, settings);

type Failed = 'broken' | 'timeout' | 'unreachable' | 'malformed';

/** Asks after some exchanges; `answer` gives the status of each request by its place, or the code of its failure. */
function asking(
  before: readonly Exchange[],
  answer: (at: number, operation: string) => number | Failed,
  retryAfter = '2',
) {
  const html = { 'content-type': 'text/html', 'retry-after': retryAfter };
  const exchanges = [...before];
  const waits: number[] = [];
  const reasons: string[] = [];
  const sent: string[] = [];
  let now = exchangeOf(0).startedAt;
  const pace = {
    send: async ({ operation }: Prepared, _check: string, repeats?: number) => {
      sent.push(operation);
      const status = answer(sent.length, operation);
      const startedAt = now;
      if (status === 'timeout') now += 10_000;
      const times = { startedAt, endedAt: now, ...(repeats !== undefined && { repeats }) };
      const { response: _response, ...plain } = exchangeOf(exchanges.length + 1, { operation, ...times });
      const served = status === 200 ? { headers: {}, body: '[]' } : { headers: html, body: '<html>' };
      const exchange: Exchange =
        typeof status === 'string'
          ? { ...plain, failure: { code: status, message: 'none' } }
          : { ...plain, response: { status, ...served } };
      exchanges.push(exchange);
      return exchange;
    },
    wait: (ms: number, why: string) => {
      waits.push(ms);
      reasons.push(why);
      now += ms;
      return Promise.resolve();
    },
    stop: (why: Reason): never => {
      throw new Error(reasonInWords(why));
    },
  };
  const ask = createAsk(exchanges, pace, { listing: prepared(plainListing), reading: prepared(unknownAnimal) });
  const askFor = (planned = plainListing): Promise<Exchange> => ask(prepared(planned), 'some-check');
  return { waits, reasons, sent, exchanges, ask: askFor };
}

const problemOf = (asked: Promise<unknown>): Promise<string> => asked.then(String, ({ message }: Error) => message);

test('before the first answer an outage is waited for sixteen seconds at most', async () => {
  const { sent, waits, reasons, ask } = asking([], () => 'broken');
  assert.is((await ask()).failure?.code, 'broken');
  assert.equal([...new Set(sent)], ['listPets', 'getPet']);
  assert.match(unknownAnimal.target, /^\/pets\/\d{19}$/);
  assert.equal(waits, [100, 1_000, 2_000, 4_000, 8_000]);
  assert.is(reasons[0], 'the target has not answered yet, since it breaks the connection');
});

test('a request that is not answered in time is repeated, and nothing else is while none was ever answered', async () => {
  const once = asking([exchangeOf(1)], (at) => (at === 1 ? 'timeout' : 200));
  assert.equal([(await once.ask()).response?.status, once.sent.length], [200, 2]);
  const never = asking([], () => 'timeout');
  assert.equal([(await never.ask()).failure?.code, never.sent], ['timeout', ['listPets', 'listPets']]);
  const silentSoon = asking([], (at) => (at === 1 ? 'broken' : 'timeout'));
  assert.equal([(await silentSoon.ask()).failure?.code, silentSoon.sent.length], ['timeout', 2]);
});

test('a request that is never answered in time while others are is not repeated a second time, and six more end the run', async () => {
  const { sent, reasons, ask } = asking([exchangeOf(1)], (_at, operation) =>
    operation === 'listPets' ? 'timeout' : 200,
  );
  assert.is((await ask()).failure?.code, 'timeout');
  assert.equal(sent, ['listPets', 'listPets', 'listPets', 'getPet', 'listPets']);
  assert.is(reasons[0], 'the target is out of service, since it gives no answer in time (--timeout allows more)');
  for (let count = 1; count < 6; count += 1) await ask();
  assert.is(sent.length, 10);
  assert.match(await problemOf(ask()), /^The target left 7 requests without an answer in/);
});

test('a lasting outage of everything ends the run after a minute', async () => {
  const { waits, ask } = asking([exchangeOf(1)], () => 503);
  const said = await problemOf(ask());
  assert.is(said, 'The target is out of service: for at least 58 s a gateway answers 503.');
  assert.equal(waits, [2_000, 2_000, 2_000, 4_000, 8_000, 8_000, 8_000, 8_000, 8_000, 8_000]);
  // The first connection broke off when the service ended, and none was opened since.
  const gone = asking([exchangeOf(1)], (at) => (at === 1 ? 'broken' : 'unreachable'));
  assert.match(await problemOf(gone.ask()), /: for at least \d+ s it cannot be reached\.$/);
});

test('a request that fails while another operation is served is repeated as Retry-After says, and given up after seven seconds', async () => {
  const { waits, exchanges, ask } = asking([exchangeOf(1)], (_at, operation) => (operation === 'listPets' ? 503 : 200));
  assert.is((await ask()).response?.status, 503);
  assert.equal([waits, exchanges.at(-1)?.repeats], [[2_000, 2_000, 2_000, 4_000], 2]);
  // The outage of an operation that lasts is waited for once, and ends no run where answers come in time.
  for (let count = 1; count < 9; count += 1) await ask();
  assert.is(waits.length, 4);
});

test('a lasting outage of one operation is none of another, and a listing is the control of a read', async () => {
  let failingReads = 0;
  const { sent, ask } = asking([exchangeOf(1)], (_at, operation) => {
    if (operation === 'listPets') return 503;
    failingReads -= 1;
    return failingReads >= 0 ? 503 : 200;
  });
  await ask();
  const before = sent.length;
  failingReads = 1;
  assert.is((await ask(unknownAnimal)).response?.status, 200);
  assert.equal(sent.slice(before), ['getPet', 'getPet']);
  const reads = asking([exchangeOf(1)], (_at, operation) => (operation === 'getPet' ? 503 : 200));
  assert.is((await reads.ask(unknownAnimal)).response?.status, 503);
  assert.equal([...new Set(reads.sent)], ['getPet', 'listPets']);
});

test('a refusal is repeated until the request is served, after an outage as well', async () => {
  for (const statuses of [
    [429, 429, 200],
    [503, 429, 200],
    [429, 503, 200],
  ]) {
    const { exchanges, ask } = asking([exchangeOf(1)], (at) => statuses[at - 1]!);
    assert.is((await ask()).response?.status, 200);
    assert.equal(
      exchanges.slice(1).map(({ repeats }) => repeats),
      [undefined, 2, 2],
    );
  }
});

test('during an outage only the request that met it first is repeated', async () => {
  const { sent, waits, ask } = asking([exchangeOf(1)], (at) => (at <= 3 ? 503 : 200));
  const statuses = await Promise.all([ask(), ask(unknownAnimal)].map(async (one) => (await one).response?.status));
  assert.equal(
    [statuses, waits],
    [
      [200, 200],
      [2_000, 2_000, 2_000],
    ],
  );
  assert.equal(sent, ['listPets', 'getPet', 'listPets', 'listPets', 'getPet']);
});

test('a request that comes during an outage is sent after it', async () => {
  const { sent, ask } = asking([exchangeOf(1)], (at) => (at === 1 ? 503 : 200));
  const first = ask();
  // The first answer has come, and its wait has begun.
  await Promise.resolve();
  await Promise.all([first, ask(unknownAnimal)]);
  assert.equal(sent, ['listPets', 'listPets', 'getPet']);
});

test('an address where nothing ever answered is not waited for', async () => {
  for (const code of ['unreachable', 'malformed'] as const) {
    const absent = asking([], () => code);
    assert.equal([(await absent.ask()).failure?.code, absent.waits], [code, []]);
    const present = asking([exchangeOf(1)], (at) => (at === 1 ? code : 200));
    assert.equal([(await present.ask()).response?.status, present.waits], [200, [100]]);
  }
});

test('the Retry-After of a gateway is waited for 30 s at most', async () => {
  const { waits, ask } = asking([exchangeOf(1)], (at) => (at === 1 ? 503 : 200), '600');
  assert.is((await ask()).response?.status, 200);
  assert.equal(waits, [30_000]);
});

test.run();
