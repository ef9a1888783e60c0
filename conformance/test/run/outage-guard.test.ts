/** How an outage is waited for, without a target: the waits, and the requests that probe it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../http/exchange.ts';
import { createOutageGuard } from '../../run/outage-guard.ts';
import {
  emptyCreation,
  listing,
  type PlannedRequest,
  type Prepared,
  unknownAnimal,
} from '../../run/planned-request.ts';
import { type Reason, reasonInWords } from '../../verdict/reasons.ts';
import { exchangeOf } from './hand-made.ts';

const prepared = (planned: PlannedRequest): Prepared => ({ planned }) as Prepared;
const served = { status: 200, headers: {}, body: '[]' };

/** A guard after some exchanges; `answer` gives the status of each further request, 0 for a broken connection. */
function guarding(before: readonly Exchange[], answer: (planned: PlannedRequest) => number) {
  const exchanges = [...before];
  const [waits, reasons, sent]: [number[], string[], PlannedRequest[]] = [[], [], []];
  const pace = {
    wait: (ms: number, why: string) => {
      waits.push(ms);
      reasons.push(why);
      return Promise.resolve();
    },
    stop: (why: Reason): never => {
      throw new Error(reasonInWords(why));
    },
  };
  const probes = [listing, emptyCreation, unknownAnimal].map(prepared);
  const guard = createOutageGuard({ exchanges, maxWaitMs: 75_000, pace, probes });
  const send = ({ planned }: Prepared): Promise<Exchange> => {
    sent.push(planned);
    const status = answer(planned);
    const { response: _response, ...plain } = exchangeOf(exchanges.length + 1, { operation: planned.operation });
    const broken = { ...plain, failure: { code: 'broken', message: 'ECONNRESET' } };
    const exchange = status === 0 ? broken : { ...plain, response: { ...served, status } };
    exchanges.push(exchange);
    return Promise.resolve(exchange);
  };
  const first = exchangeOf(99, { response: { ...served, status: 503 } });
  return { waits, reasons, sent, meet: () => guard.repeat(prepared(listing), first, send) };
}

test('after two outages that were over at the first repeat, the next is tried at once', async () => {
  const { waits, meet } = guarding([], () => 200);
  for (let count = 0; count < 3; count += 1) assert.is((await meet()).response?.status, 200);
  assert.equal(waits, [1_000, 1_000, 50]);
});

test('after an outage that outlasts its first repeat, the waits are long again', async () => {
  let failing = 0;
  const { waits, meet } = guarding([], () => {
    failing -= 1;
    return failing >= 0 ? 503 : 200;
  });
  await meet();
  await meet();
  failing = 1;
  await meet();
  await meet();
  assert.equal(waits, [1_000, 1_000, 50, 250, 1_000]);
});

test('before the first answer nothing is posted, and an outage is waited for fifteen seconds at most', async () => {
  const { sent, waits, reasons, meet } = guarding([], () => 0);
  assert.is((await meet()).failure?.code, 'broken');
  assert.equal([...new Set(sent.map(({ operation }) => operation))], ['listPets', 'getPet']);
  assert.equal(waits, [1_000, 2_000, 4_000, 8_000]);
  assert.is(reasons[0], 'the target has not answered yet, since a gateway answers 503');
  const broken = 'the target has not answered yet, since it breaks the connection';
  assert.is(reasons[1], `${broken} (is the address right, http or https included?)`);
});

test('a target that has answered before is probed by every other operation, and a lasting outage ends the run', async () => {
  const { sent, reasons, meet } = guarding([exchangeOf(1)], () => 503);
  const error = await meet().catch(({ message }: Error) => message);
  assert.match(String(error), /^The target is out of service: for at least \d+ s a gateway answers 503\.$/);
  assert.equal(new Set(sent.map(({ operation }) => operation)), new Set(['listPets', 'getPet', 'createPet']));
  assert.equal(new Set(reasons), new Set(['the target is out of service, since a gateway answers 503']));
});

test.run();
