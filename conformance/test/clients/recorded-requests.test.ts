/** Clients whose requests are recorded, not run. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { watchClients } from '../../clients/recorded-requests.ts';
import type { Exchange } from '../../http/exchange.ts';

function exchange(number: number, target: string, response: Partial<Exchange['response']> = {}): Exchange {
  const at = number * 10;
  return {
    number,
    check: 'traffic',
    operation: 'listPets',
    credential: { id: 'api-key', kind: 'valid', title: 'the API key', curl: { words: '' } },
    request: { method: 'GET', target, headers: {} },
    response: { status: 200, headers: {}, body: '[]', ...response },
    startedAt: at,
    endedAt: at,
    sent: 2 * number,
    answered: 2 * number + 1,
  };
}

test('the waits of one client are not those of another', () => {
  const refused = { status: 429, headers: { 'retry-after': '5' } };
  for (const [client, expected] of [
    ['other', []],
    ['same', ['client-waits']],
  ] as const) {
    const watched = watchClients();
    watched.add(exchange(1, '/pets', refused), 'same');
    watched.add(exchange(2, '/pets'), client);
    assert.equal(
      watched.conclude().map(({ requirement }) => requirement),
      expected,
    );
  }
});

test('a broken requirement is named once with its last exchange, and a refused request not at all', () => {
  const watched = watchClients();
  watched.add(exchange(1, '/pets?limit=0'), undefined);
  watched.add(exchange(2, '/pets?limit=101'), undefined);
  watched.add(exchange(3, '/pets?status=all', { status: 400 }), undefined);
  assert.equal(
    watched.conclude().map(({ requirement, exchange: { number } }) => [requirement, number]),
    [['client-limit-in-range', 1]],
  );
});

test('a preflight of a browser is no request of the client', () => {
  const asked = exchange(1, '/pets', { status: 204, body: '' });
  for (const [headers, expected] of [
    [{ 'access-control-request-method': 'GET' }, []],
    [{}, ['client-shown-only']],
  ] as const) {
    const watched = watchClients();
    watched.add({ ...asked, operation: 'other', request: { method: 'OPTIONS', target: '/pets', headers } }, undefined);
    watched.add(exchange(2, '/pets'), undefined);
    assert.equal(
      watched.conclude().map(({ requirement }) => requirement),
      expected,
    );
  }
});

test('only the latest exchanges are kept', () => {
  const watched = watchClients();
  watched.add(exchange(1, '/pets?limit=0'), undefined);
  for (let number = 2; number <= 2_001; number += 1) watched.add(exchange(number, '/pets'), undefined);
  assert.equal(watched.conclude(), []);
});

test('long bodies of later exchanges push earlier ones out', () => {
  const watched = watchClients();
  const body = 'x'.repeat(9 * 1024 * 1024);
  watched.add(exchange(1, '/pets?limit=0'), undefined);
  watched.add(exchange(2, '/pets', { body }), undefined);
  assert.is(watched.conclude().length, 1);
  watched.add(exchange(3, '/pets', { body }), undefined);
  assert.equal(watched.conclude(), []);
  watched.add(exchange(4, '/pets?limit=0'), undefined);
  assert.is(watched.conclude().length, 1);
});

test.run();
