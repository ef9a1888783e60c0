/** A lasting state is reached once a run, and again if an answer may have come too soon. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RunStopped } from '../../conformance/run/pace.ts';
import type { Session } from '../../conformance/run/session.ts';
import { reason } from '../../conformance/verdict/reasons.ts';
import { createEnteredStates } from '../verify/entered-states.ts';
import { startGateway } from '../verify/gateway.ts';
import { NotVerifiable } from '../verify/reached.ts';
import { type Answer, stubSession } from './stub-session.ts';

const animal = { name: 'an animal exists', params: {} };
const created = (id: number): Answer => ({ status: 201, body: `{"id":${id},"name":"Rex","categoryId":1}` });
const ids = [created(1), created(2), created(3), created(4)];

function interaction(...states: readonly { name: string; params: object }[]) {
  return {
    description: 'it',
    states: states as never,
    obstacle: undefined,
    isWithoutKey: false,
    request: {},
    response: {},
    text: '{}',
  };
}

test('a lasting animal is created once, and cited by every interaction that needs it', async () => {
  const { planned, session } = stubSession(ids);
  const { enter } = createEnteredStates(session);
  const first = await enter(animal, []);
  assert.equal([first.values['id'], first.exchanges], [1, [1]]);
  assert.equal(await enter({ ...animal, params: {} }, []), first);
  assert.is((await enter({ ...animal, params: { status: 'sold' } }, [])).values['id'], 2);
  assert.is(planned.length, 2);
});

test('an interaction that names one state twice gets two animals', async () => {
  const { session } = stubSession(ids);
  const { enter } = createEnteredStates(session);
  assert.is((await enter(animal, [])).values['id'], 1);
  assert.is((await enter(animal, [animal])).values['id'], 2);
  assert.is((await enter(animal, [animal])).values['id'], 2);
  assert.is((await enter(animal, [{ name: 'the API key is invalid', params: {} }])).values['id'], 1);
});

test('an unknown id is searched for once; a name is drawn each time', async () => {
  const { planned, session } = stubSession([{ status: 404 }]);
  const { enter } = createEnteredStates(session);
  const unknown = { name: 'no animal has this id', params: {} };
  assert.is(await enter(unknown, []), await enter(unknown, []));
  assert.is(planned.length, 1);
  const free = { name: 'an animal can be created', params: {} };
  assert.is.not(await enter(free, []), await enter(free, []));
});

test('a state that was not reached is tried again for the next interaction', async () => {
  const { planned, session } = stubSession([{ status: 400 }, { status: 400 }, created(3)]);
  const { enter } = createEnteredStates(session);
  const error = await enter(animal, []).catch((reason: unknown) => reason);
  assert.instance(error, NotVerifiable);
  assert.is((await enter(animal, [])).values['id'], 3);
  assert.is(planned.length, 3);
});

/** A session on a fake clock, with the waits so far. */
function onClock(answers: readonly Answer[]) {
  const waits: number[] = [];
  const stub = stubSession(answers, { settleMs: 2_000, maxWaitMs: 75_000 });
  const session = {
    ...stub.session,
    clock: { now: () => 1_500 },
    send: async (request: never) => {
      const exchange = await stub.session.send(request);
      const settled = { ...exchange, endedAt: 1_000 };
      (stub.session.exchanges as (typeof exchange)[])[exchange.number - 1] = settled;
      return settled;
    },
    wait: (ms: number) => Promise.resolve(void waits.push(ms)),
  };
  return { planned: stub.planned, session: session as unknown as Session, waits };
}

async function enter(statesUrl: string, state: string): Promise<unknown> {
  const body = JSON.stringify({ action: 'setup', state, params: {} });
  return (await fetch(statesUrl, { method: 'POST', body })).json();
}

test('renewing reaches the states of interactions ahead, each once, and waits for animals to appear', async () => {
  const { planned, session, waits } = onClock(ids);
  const gateway = await startGateway(session);
  assert.is(((await enter(gateway.statesUrl, 'an animal exists')) as { id: number }).id, 1);
  assert.equal(gateway.take()[0]?.exchanges, [1]);
  await gateway.renew([interaction(animal), interaction(animal, animal), interaction()]);
  assert.is(planned.length, 3);
  assert.equal(waits, [1_500]);
  const { id } = (await enter(gateway.statesUrl, 'an animal exists')) as { id: number };
  const [attempt] = gateway.take();
  await gateway.close();
  assert.equal([id, attempt?.exchanges, planned.length], [2, [2], 3]);
});

test('an obstacle ahead blocks the interaction that needs the state, and a stopped run ends', async () => {
  const { session } = onClock(ids);
  const gateway = await startGateway(session);
  await gateway.renew([interaction({ name: 'the moon is full', params: {} })]);
  assert.is(gateway.stopped(), undefined);
  let sent = 0;
  const stop = () => {
    sent += 1;
    return Promise.reject(new RunStopped(reason('interrupted', {})));
  };
  const stopped = { ...session, send: stop } as Session;
  const other = await startGateway(stopped);
  await other.renew([interaction(animal), interaction(animal)]);
  assert.equal([other.stopped()?.message, sent], ['The run was interrupted.', 1]);
  const broken = await startGateway({ ...session, send: () => Promise.reject(new TypeError('ours')) } as Session);
  const error = await broken.renew([interaction(animal)]).catch((reason: unknown) => reason);
  await Promise.all([gateway, other, broken].map(({ close }) => close()));
  assert.instance(error, TypeError);
});

test.run();
