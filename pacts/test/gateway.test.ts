/** The gateway between Pact's verifier and a target. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BudgetSpent } from '../../conformance/run/budget.ts';
import { RunStopped } from '../../conformance/run/pace.ts';
import type { Session } from '../../conformance/run/session.ts';
import { reason } from '../../conformance/verdict/reasons.ts';
import { type Gateway, startGateway } from '../verify/gateway.ts';
import { stubSession } from './stub-session.ts';

async function through<Result>(session: Session, use: (gateway: Gateway) => Promise<Result>): Promise<Result> {
  const gateway = await startGateway(session);
  try {
    return await use(gateway);
  } finally {
    await gateway.close();
  }
}

async function enter(gateway: Gateway, state: string, params: object = {}, action = 'setup'): Promise<unknown> {
  const answer = await fetch(gateway.statesUrl, { method: 'POST', body: JSON.stringify({ action, state, params }) });
  return answer.json();
}

function create(gateway: Gateway): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${gateway.url}/pets`, { method: 'POST', headers, body: '{"name":"Rex","categoryId":5}' });
}

test('only the two secret paths are served', async () => {
  const { planned, session } = stubSession();
  await through(session, async (gateway) => {
    const { origin, pathname } = new URL(gateway.url);
    for (const path of ['/', '/pets', `${pathname}x/pets`, pathname, `${new URL(gateway.statesUrl).pathname}/x`]) {
      assert.is((await fetch(origin + path)).status, 404, path);
    }
    assert.is.not(pathname, new URL(gateway.statesUrl).pathname);
    assert.match(pathname, /^\/[0-9a-f]{32}$/);
    assert.equal(gateway.take(), []);
  });
  assert.equal(planned, []);
});

test('the planned request is sent, and the answer returns without headers about the connection', async () => {
  const headers = {
    'content-type': 'application/json',
    'x-ratelimit-limit': '60',
    connection: 'close',
    'keep-alive': 'timeout=5',
    'transfer-encoding': 'chunked',
    'content-length': '999',
    'content-encoding': 'gzip',
    'set-cookie': 'a=b',
    'x-odd': 'one\u2028two',
  };
  const { planned, session } = stubSession([{ status: 201, headers, body: '{"id":1}' }]);
  const attempts = await through(session, async (gateway) => {
    const answer = await fetch(`${gateway.url}/v1/pets?limit=1`, { headers: { 'x-request-id': '7', cookie: 'a=b' } });
    assert.is(answer.status, 201);
    assert.is(await answer.text(), '{"id":1}');
    assert.is(answer.headers.get('x-ratelimit-limit'), '60');
    for (const name of ['set-cookie', 'content-encoding', 'x-odd']) assert.is(answer.headers.get(name), null, name);
    return gateway.take();
  });
  assert.is(planned.length, 1);
  assert.is(planned[0]?.target, '/pets?limit=1');
  assert.is(planned[0]?.headers?.['x-request-id'], '7');
  assert.is(planned[0]?.headers?.['cookie'], undefined);
  assert.equal([attempts.length, attempts[0]?.isSent, attempts[0]?.exchanges], [1, true, [1]]);
});

test('a redirect returns without its Location', async () => {
  const { session } = stubSession([
    { status: 307, headers: { location: '/elsewhere', 'content-type': 'application/json' } },
  ]);
  await through(session, async (gateway) => {
    const answer = await fetch(`${gateway.url}/pets`, { redirect: 'manual' });
    assert.is(answer.status, 307);
    assert.is(answer.headers.get('location'), null);
    assert.is(answer.headers.get('content-type'), 'application/json');
  });
});

test('an answer that is not a redirect keeps its Location', async () => {
  const { session } = stubSession([{ status: 201, headers: { location: '/pets/1' } }]);
  await through(session, async (gateway) => {
    assert.is((await fetch(`${gateway.url}/pets`)).headers.get('location'), '/pets/1');
  });
});

test('a state returns its values, and its teardown begins the next interaction', async () => {
  const { planned, session } = stubSession([{ status: 201, body: '{"id":7,"name":"Rex","categoryId":1}' }]);
  await through(session, async (gateway) => {
    assert.equal(await enter(gateway, 'an animal can be created'), { name: 'cf-abc123-00', categoryId: 1 });
    assert.equal(await enter(gateway, 'the API key is missing'), { name: 'cf-abc123-00', categoryId: 1 });
    assert.equal(await enter(gateway, 'an animal can be created', null as never), {
      name: 'cf-abc123-00',
      categoryId: 1,
    });
    await fetch(`${gateway.url}/pets`);
    assert.equal(await enter(gateway, 'an animal can be created', {}, 'teardown'), {});
    await fetch(`${gateway.url}/pets`);
    assert.is(gateway.take().length, 2);
    assert.equal(gateway.take(), []);
  });
  assert.equal(
    planned.map(({ credential }) => credential?.shown.kind),
    ['missing', 'valid'],
  );
});

test('a state that cannot be reached blocks its interaction, whose request is not sent', async () => {
  const { planned, session } = stubSession();
  const [attempt] = await through(session, async (gateway) => {
    assert.equal(await enter(gateway, 'the moon is full'), {});
    assert.is((await fetch(`${gateway.url}/pets`)).status, 503);
    return gateway.take();
  });
  assert.match(attempt?.blockedBy ?? '', /no operation reaches the state "the moon is full"/);
  assert.is(attempt?.isUserChoice, false);
  assert.is(attempt?.isSent, false);
  assert.equal(planned, []);
});

test("a user's choice is distinguished from an unreachable state", async () => {
  const { session } = stubSession([], { isReadOnly: true });
  const [state, creation] = await through(session, async (gateway) => {
    await enter(gateway, 'an animal exists');
    await enter(gateway, 'an animal exists', {}, 'teardown');
    assert.is((await create(gateway)).status, 503);
    return gateway.take();
  });
  assert.equal([state?.blockedBy, state?.isUserChoice], ['the state needs an animal, and the run is read-only', true]);
  assert.equal([creation?.blockedBy, creation?.isUserChoice], ['the run is read-only', true]);
});

test('an interaction that expects 401 is sent without a key or with an invalid one', async () => {
  const { planned, session } = stubSession();
  const expected = (status: number) => ({
    description: '',
    states: [],
    obstacle: undefined,
    isWithoutKey: false,
    request: {},
    response: { status },
    text: '{}',
  });
  await through(session, async (gateway) => {
    gateway.expect([expected(401), expected(401), expected(200)]);
    for (const headers of [{}, { authorization: 'Bearer x' }, {}] as Record<string, string>[]) {
      await fetch(`${gateway.url}/pets`, { headers });
      await enter(gateway, '', {}, 'teardown');
    }
    gateway.take();
    await fetch(`${gateway.url}/pets`);
  });
  assert.equal(
    planned.map(({ credential }) => credential?.shown.kind),
    ['missing', 'invalid', 'valid', 'valid'],
  );
});

test('a request that contains the key of the run outside its credential is not sent', async () => {
  const { planned, session } = stubSession();
  await through(session, async (gateway) => {
    for (const [path, init] of [
      ['/pets?note=key-of-the-run', {}],
      ['/pets', { headers: { 'x-request-id': 'key-of-the-run' } }],
      ['/pets', { method: 'POST', body: '{"name":"key-of-the-run"}' }],
      ['/pets', { method: 'POST', body: '{}', headers: { 'content-type': 'text/key-of-the-run' } }],
    ] as [string, RequestInit][]) {
      assert.is((await fetch(gateway.url + path, init)).status, 503, path);
      await enter(gateway, '', {}, 'teardown');
    }
    assert.equal(
      new Set(gateway.take().map(({ blockedBy: hindrance }) => hindrance)),
      new Set(['its request contains a key of the run, so it is not sent']),
    );
  });
  assert.equal(planned, []);
});

test('a second request of one interaction is not sent', async () => {
  const { planned, session } = stubSession();
  const [attempt] = await through(session, async (gateway) => {
    await fetch(`${gateway.url}/pets`);
    assert.is((await fetch(`${gateway.url}/pets`)).status, 503);
    return gateway.take();
  });
  assert.is(planned.length, 1);
  assert.is(attempt?.blockedBy, 'its request was sent more than once');
});

test('a request of more than a megabyte and an answer that the verifier cannot read are not failures', async () => {
  const { planned, session } = stubSession([{ body: `"]]"${'['.repeat(128)}` }]);
  const [large, deep] = await through(session, async (gateway) => {
    const body = 'x'.repeat(1024 * 1024 + 1);
    await fetch(`${gateway.url}/pets`, { method: 'POST', body }).catch(() => undefined);
    await enter(gateway, '', {}, 'teardown');
    assert.is((await fetch(`${gateway.url}/pets`)).status, 503);
    return gateway.take();
  });
  assert.is(large?.blockedBy, 'its request has more than 1048576 bytes');
  assert.is(deep?.blockedBy, "its answer is nested too deeply for Pact's verifier");
  assert.is(planned.length, 1);
});

test('an answer with the deepest nesting that the verifier reads is returned', async () => {
  const body = `${'['.repeat(127)}"[\\"["${']'.repeat(127)}`;
  const { session } = stubSession([{ body }]);
  await through(session, async (gateway) => {
    assert.is(await (await fetch(`${gateway.url}/pets`)).text(), body);
  });
});

test('a refused creation is excused only if its category may be unknown', async () => {
  const excuseWith = (settings: object) => {
    const { session } = stubSession([{ status: 400, body: '{}' }], settings);
    return through(session, async (gateway) => {
      await create(gateway);
      return gateway.take()[0]?.excuse;
    });
  };
  assert.match((await excuseWith({})) ?? '', /the category may not be known, see --category-id/);
  assert.is(await excuseWith({ categoryIds: [5n] }), undefined);
});

test('a refusal of the key of the run is excused, and one of another key is not', async () => {
  const excuseIn = (...states: readonly string[]) => {
    const { session } = stubSession([{ status: 401, body: '{}' }]);
    return through(session, async (gateway) => {
      for (const state of states) await enter(gateway, state);
      await fetch(`${gateway.url}/pets`);
      return gateway.take()[0]?.excuse;
    });
  };
  assert.match((await excuseIn()) ?? '', /^the key of the run was answered with 401: /);
  assert.is(await excuseIn('the API key is invalid'), undefined);
  assert.is(await excuseIn('the API key is missing'), undefined);
});

test('a stopped run blocks every later interaction', async () => {
  const { session } = stubSession();
  const stopping = { ...session, send: () => Promise.reject(new RunStopped(reason('interrupted', {}))) } as Session;
  await through(stopping, async (gateway) => {
    assert.is(gateway.stopped(), undefined);
    assert.is((await fetch(`${gateway.url}/pets`)).status, 503);
    assert.is(gateway.stopped()?.message, 'The run was interrupted.');
    await enter(gateway, '', {}, 'teardown');
    await fetch(`${gateway.url}/pets`);
    assert.equal(
      gateway.take().map(({ blockedBy: hindrance, isSent: isAsked }) => [hindrance, isAsked]),
      [
        ['The run was interrupted.', true],
        ['The run was interrupted.', false],
      ],
    );
  });
});

test('a spent budget blocks the interaction, and the message says what to raise', async () => {
  const { session } = stubSession([], {}, { send: () => Promise.reject(new BudgetSpent('requests', 9)) });
  await through(session, async (gateway) => {
    await fetch(`${gateway.url}/pets`);
    assert.is(gateway.take()[0]?.blockedBy, 'the budget of 9 requests is spent; raise --max-requests');
    assert.is(gateway.stopped(), undefined);
    await enter(gateway, 'an animal exists');
    await fetch(`${gateway.url}/pets`);
    const [attempt] = gateway.take();
    assert.equal(
      [attempt?.blockedBy, attempt?.isSent],
      ['the budget of 9 requests is spent; raise --max-requests', false],
    );
  });
});

test('a target that gives no answer fails the interaction', async () => {
  const unanswered = { number: 1, failure: { code: 'timeout', message: 'no complete response within 5 ms' } };
  const { session } = stubSession([], {}, { send: () => Promise.resolve(unanswered) });
  await through(session, async (gateway) => {
    assert.is((await fetch(`${gateway.url}/pets`)).status, 503);
    const [attempt] = gateway.take();
    assert.equal([attempt?.failure, attempt?.blockedBy], ['no complete response within 5 ms', undefined]);
  });
});

test('a creation without a valid key is sent in a read-only run', async () => {
  const { planned, session } = stubSession([{ status: 401, body: '{}' }], { isReadOnly: true });
  await through(session, async (gateway) => {
    await enter(gateway, 'the API key is missing');
    assert.is((await create(gateway)).status, 401);
  });
  assert.is(planned.length, 1);
});

test('an internal error fails its interaction, and the run goes on', async () => {
  const { session } = stubSession();
  const broken = { ...session, send: () => Promise.reject(new TypeError('ours')) } as Session;
  await through(broken, async (gateway) => {
    assert.is((await fetch(`${gateway.url}/pets`)).status, 500);
    assert.is(gateway.take()[0]?.failure, 'TypeError: ours');
    assert.is((await fetch(gateway.statesUrl, { method: 'POST', body: 'no JSON' })).status, 500);
  });
});

test.run();
