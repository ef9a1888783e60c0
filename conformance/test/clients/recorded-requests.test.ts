/** Clients whose requests are recorded, not run. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { defined } from '../../../spec/defined.ts';
import { brokenByClients } from '../../clients/recorded-requests.ts';
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

/** The requirements that requests break, each with the number of the exchange that shows it. */
function broken(...sent: readonly (readonly [exchange: Exchange, client?: string])[]) {
  const traffic = sent.map(([one, client]) => defined({ exchange: one, client }));
  return brokenByClients(traffic).map(({ requirement, exchange: { number } }) => `${requirement} ${number}`);
}

test('the waits of one client are not those of another', () => {
  const refused = exchange(1, '/pets', { status: 429, headers: { 'retry-after': '5' } });
  assert.equal(broken([refused, 'one'], [exchange(2, '/pets'), 'other']), []);
  assert.equal(broken([refused, 'one'], [exchange(2, '/pets'), 'one']), ['client-waits 2']);
});

test('a broken requirement is named once with its last exchange, and a refused request not at all', () => {
  const refused = exchange(3, '/pets?status=all', { status: 400 });
  assert.equal(broken([exchange(1, '/pets?limit=0')], [exchange(2, '/pets?limit=101')], [refused]), [
    'client-limit-in-range 1',
  ]);
});

test('a preflight of a browser is no request of the client', () => {
  const asked = { ...exchange(1, '/pets', { status: 204, body: '' }), operation: 'other' as const };
  const options = (headers: Exchange['request']['headers']) =>
    broken([{ ...asked, request: { method: 'OPTIONS', target: '/pets', headers } }], [exchange(2, '/pets')]);
  assert.equal(options({ 'access-control-request-method': 'GET' }), []);
  assert.equal(options({}), ['client-shown-only 1']);
});

test('a client is judged by its latest 2,000 exchanges', () => {
  const later = Array.from({ length: 2_000 }, (_nothing, at) => [exchange(at + 2, '/pets')] as const);
  assert.equal(broken([exchange(1, '/pets?limit=0')], ...later), []);
});

test.run();
