/** The judges of a client's requests, on records made by hand. */

import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type ClientRequirementId, clientRequirements } from '../../../spec/client-requirements.ts';
import { defined } from '../../../spec/defined.ts';
import { operationOf, pageLimit, pageLimitInWords } from '../../../spec/operations.ts';
import { brokenByClients } from '../../clients/refused-requests.ts';
import { judgeSent } from '../../clients/waits.ts';
import type { CredentialKind, Exchange } from '../../http/exchange.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import { exchangeOf } from '../run/hand-made.ts';

interface Sent {
  readonly target?: string;
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly kind?: CredentialKind;
  /** When the request was sent and answered, milliseconds from the start. */
  readonly at?: number;
  readonly status?: number;
  readonly answered?: Readonly<Record<string, string>>;
  readonly page?: string;
}

const json = { 'content-type': 'application/json' };
const noon = Date.UTC(2026, 10, 21, 12);

function recorded(sent: Sent, index: number): Exchange {
  const { target = '/pets', body, kind = 'valid', at = index, status = 200 } = sent;
  const { headers = body === undefined ? {} : json } = sent;
  const method = sent.method ?? (body === undefined ? 'GET' : 'POST');
  return exchangeOf(index + 1, {
    operation: operationOf(method, target.split('?')[0]!),
    credential: { id: kind, kind, title: kind, curl: { words: '' } },
    request: defined({ method, target, headers, body }),
    response: { status, headers: sent.answered ?? {}, body: sent.page ?? '[]' },
    startedAt: noon + at,
    endedAt: noon + at,
  });
}

/** What failures say, each with its code. */
const said = new Set<string>();

/** The failure codes of a requirement; `held` if it holds at least once and never fails. */
function judge(requirement: ClientRequirementId, sent: readonly Sent[]): string {
  const findings = judgeSent(sent.map(recorded)).filter((one) => one.requirement === requirement);
  const failures = findings.flatMap(({ failure }) => failure ?? []);
  for (const failure of failures) said.add(`${failure.code}: ${sentenceOf(failure)}`);
  const codes = failures.map(({ code }) => code);
  return codes.length > 0 || findings.length === 0 ? codes.join(' ') : 'held';
}

const pet = '{"name":"Rex","categoryId":1}';
const typed = (type: string): readonly Sent[] => [{ body: pet, headers: { 'content-type': type } }];
const big = '[{"id":9007199254740993}]';
const largest = '[{"id":9223372036854775807}]';
const leadsTo = (address: string): Sent => ({ body: pet, answered: { location: address } });
const links = { answered: { link: '<?after=2>; rel="next", <http://a/v1/pets?x=1>' } };

const refusal = { status: 429, answered: { 'retry-after': '2' } };
const otherRefusal = { status: 429, answered: { 'retry-after': '1' }, target: '/pets?limit=1', at: 1 };
const until = { status: 429, answered: { 'retry-after': 'Sat, 21 Nov 2026 12:00:02 GMT' } };
const refusedAt = (...all: readonly number[]): readonly Sent[] => all.map((at) => ({ ...refusal, at }));
const askingFor = (at: number, seconds: string): Sent => ({ at, status: 429, answered: { 'retry-after': seconds } });

// Waits that grow only because Retry-After does are no backoff.
const obeying = [askingFor(0, '1'), askingFor(1_000, '2'), askingFor(3_000, '4'), askingFor(7_000, '1')];

/** Requirement; a target, a body, or requests; the codes that the requirement has after them. */
const cases: readonly (readonly [id: ClientRequirementId, sent: string | readonly Sent[], codes: string])[] = [
  ['client-required-fields', pet, 'held'],
  ['client-required-fields', '[]', 'no-object'],
  ['client-required-fields', '{"name":"Rex"}', 'field-missing'],
  ['client-required-fields', [{ body: 'name=Rex', headers: { 'content-type': 'text/plain' } }], ''],
  ['client-required-fields', '{"name":1,"categoryId":1}', 'held'],
  ['client-values-in-range', pet, 'held'],
  ['client-values-in-range', '{"name":"Rex","categoryId":9223372036854775808}', 'categoryId-outside'],
  ['client-values-in-range', '{"name":1,"categoryId":1}', 'name-outside'],
  ['client-values-in-range', '{"name":"Rex","categoryId":1,"status":"x"}', 'status-outside'],
  ['client-values-in-range', '{"name":"Rex"}', ''],
  ['client-values-in-range', typed('text/plain'), ''],
  ['client-sends-json', pet, 'held'],
  ['client-sends-json', typed('Application/JSON; charset=utf-8'), 'held'],
  ['client-sends-json', typed('application/jsonp'), 'other-media-type'],
  ['client-sends-json', [{ body: pet, headers: {} }], 'other-media-type'],
  ['client-sends-json', typed('xapplication/json'), 'other-media-type'],
  ['client-shown-only', '/pets?limit=1&status=sold', 'held'],
  ['client-shown-only', '/pets?api_key=[key]', 'held'],
  ['client-shown-only', '/pets/1?fields=name', 'other-parameter'],
  ['client-shown-only', '/pets?a&limit=1&b', 'other-parameter'],
  ['client-shown-only', '../health', 'other-operation'],
  ['client-shown-only', [links, { target: '/pets?after=2' }, { target: '/pets?x=1' }], 'held'],
  ['client-shown-only', [{ target: '/pets?x=1' }, links], 'other-parameter'],
  ['client-shown-only', [leadsTo('/v1/pets/7/passport'), { target: '/pets/7/passport' }], 'held'],
  ['client-shown-only', [leadsTo('/v1/pets/7/passport'), { target: '/pets/8/passport' }], 'other-operation'],
  ['client-shown-only', [leadsTo('/v1/pets'), { method: 'DELETE', target: '/pets' }], 'other-operation'],
  ['client-limit-in-range', '/pets', ''],
  ['client-limit-in-range', `/pets?limit=${pageLimit.least}`, 'held'],
  ['client-limit-in-range', `/pets?limit=${pageLimit.most}`, 'held'],
  ['client-limit-in-range', '/pets?limit=0', 'limit-outside'],
  ['client-limit-in-range', `/pets?limit=${pageLimit.most + 1}`, 'limit-outside'],
  ['client-status-known', '/pets?status=sold', 'held'],
  ['client-status-known', '/pets?status=Sold', 'status-unknown'],
  ['client-status-known', '/pets?status=sold&status=lost', 'status-unknown'],
  ['client-id-int64', '/pets/-9223372036854775808', 'held'],
  ['client-id-int64', '/pets/9223372036854775808', 'no-int64'],
  ['client-id-int64', '/pets/1e3?x', 'no-int64'],
  ['client-id-exact', [{ page: big }, { target: '/pets/9007199254740993' }], 'held'],
  ['client-id-exact', [{ page: big }, { target: '/pets/9007199254740992' }], 'rounded'],
  ['client-id-exact', [{ page: largest }, { target: '/pets/9223372036854776000' }], 'rounded'],
  ['client-id-exact', [{ page: largest }, { target: '/pets/9223372036854775808' }], 'rounded'],
  ['client-id-exact', [{ target: '/pets/9007199254740992' }, { page: big }], ''],
  ['client-key-in-header', '/pets', 'held'],
  ['client-key-in-header', '/pets?api_key=[key]', 'key-elsewhere'],
  ['client-key-in-header', '{"key":"[key]"}', 'key-elsewhere'],
  ['client-key-in-header', [{ headers: { cookie: 'a=[key]' }, target: '/pets?x=[key]' }], 'key-elsewhere'],
  ['client-key-in-header', [{ kind: 'misplaced' }], 'key-elsewhere'],
  ['client-key-in-header', [{ kind: 'invalid' }], ''],
  ['client-key-in-header', [{ kind: 'missing' }], 'no-key'],
  ['client-key-in-header', [{ kind: 'missing', target: '../health' }], ''],
  ['client-key-in-header', [{ kind: 'missing' }, {}], 'held'],
  ['client-key-in-header', [{ kind: 'missing' }, { target: '/pets/1' }], 'no-key'],
  ['client-key-in-header', [{ kind: 'missing' }, { kind: 'invalid' }], 'no-key'],
  ['client-goes-on', [refusal, { at: 2_001 }], 'held'],
  ['client-goes-on', [refusal, { at: 2_001, target: '/pets?limit=1' }], 'held'],
  ['client-goes-on', [refusal, { at: 2_001, target: '/pets/1' }], ''],
  ['client-goes-on', [{ at: 1 }, { ...refusal, at: 2 }], ''],
  ['client-waits', [refusal], ''],
  ['client-waits', [refusal, { at: 2_001 }], 'held'],
  ['client-waits', [refusal, { at: 1_900 }], 'too-soon'],
  // A timer may fire a little early.
  ['client-waits', [refusal, { at: 1_970 }], 'held'],
  ['client-waits', [refusal, { at: 1_969 }], 'too-soon'],
  ['client-waits', [refusal, { at: 5 }], 'too-soon'],
  // Another request may have been under way.
  ['client-waits', [refusal, { at: 399, target: '/pets?limit=1' }], ''],
  ['client-waits', [refusal, { at: 400, target: '/pets?limit=1' }], 'too-soon'],
  // Of two requests that were refused side by side, each waits for its own refusal.
  ['client-waits', [refusal, otherRefusal, { at: 1_100, target: '/pets?limit=1' }], 'held'],
  ['client-waits', [refusal, otherRefusal, { at: 800, target: '/pets?limit=1' }], 'too-soon'],
  ['client-waits', [until, { at: 1_900 }], 'too-soon'],
  ['client-waits', [until, { at: 2_000 }], 'held'],
  ['client-no-hammering', [refusal, ...[1, 2, 3, 4].map((at) => ({ at }))], 'held'],
  ['client-no-hammering', [refusal, ...[1, 2, 3, 4, 5].map((at) => ({ at }))], 'hammering'],
  ['client-backs-off', refusedAt(0, 1_000, 2_000), ''],
  ['client-backs-off', refusedAt(0, 1_000, 2_000, 3_000), 'no-backoff'],
  ['client-backs-off', refusedAt(0, 1_042, 2_000, 3_134), 'no-backoff'],
  ['client-backs-off', refusedAt(0, 1_149, 2_375, 3_796), 'held'],
  ['client-backs-off', [...refusedAt(0, 1_000, 2_000), { at: 3_000 }], 'no-backoff'],
  ['client-backs-off', [...refusedAt(0, 1_000), { at: 2_000 }, ...refusedAt(3_000, 4_000), { at: 5_000 }], ''],
  ['client-backs-off', obeying, 'no-backoff'],
  ['client-deprecated', '/pets', 'held'],
  ['client-deprecated', '/pets/1', 'deprecated-operation'],
  ['client-deprecated', [leadsTo('/v1/pets/1'), { target: '/pets/1' }], 'held'],
  ['client-deprecated', [leadsTo('/v1/pets/1'), { target: '/pets/2' }], 'deprecated-operation'],
];

// Faulty clients show the others.
for (const { id } of clientRequirements.filter((one) => !one.id.startsWith('any-'))) {
  test(`${id} is judged by requests and answers`, () => {
    const own = cases.filter(([one]) => one === id);
    assert.ok(own.length > 0);
    for (const [, sent, codes] of own) {
      const part = /^[{[]/.test(String(sent)) ? 'body' : 'target';
      const all = typeof sent === 'string' ? [{ [part]: sent }] : sent;
      assert.is(judge(id, all), codes, JSON.stringify(sent));
    }
  });
}

test('a failure says what was expected, and what was received', () => {
  const sentences = readFileSync(new URL('sentences.txt', import.meta.url), 'utf8').trimEnd();
  const ofLimits = `limit-outside: expected one limit ${pageLimitInWords}, received "0"`;
  for (const sentence of [...sentences.split('\n'), ofLimits]) assert.ok(said.has(sentence), sentence);
});

/** The requirements that the requests of clients break, each with the number of the exchange that shows it. */
function brokenBy(
  ...sent: readonly (readonly [Sent, client?: string | undefined, isAlone?: true])[]
): readonly string[] {
  const traffic = sent.map(([one, client, isAlone], at) => defined({ exchange: recorded(one, at), client, isAlone }));
  return brokenByClients(traffic).map(({ requirement, exchanges }) => `${requirement} ${exchanges.at(-1)!.number}`);
}

test('in recorded traffic each client is judged for itself, once a requirement, and not for what was refused', () => {
  assert.equal(brokenBy([refusal, 'one'], [{}, 'other']), []);
  for (const status of [200, 400]) assert.equal(brokenBy([refusal, 'one'], [{ status }, 'one']), ['client-waits 2']);
  assert.equal(brokenBy([{ target: '/pets/1', status: 404 }]), ['client-deprecated 1']);
  const [first, second] = [{ target: '/pets?limit=0' }, { target: `/pets?limit=${pageLimit.most + 1}` }];
  assert.equal(brokenBy([first], [second], [{ ...first, status: 400 }]), ['client-limit-in-range 1']);
  // Those whose key is not shown may be of several clients.
  assert.equal(brokenBy([refusal, undefined, true], [{}, undefined, true]), []);
  assert.equal(brokenBy([first, undefined, true], [second, undefined, true]), ['client-limit-in-range 1']);
  const asks = { method: 'OPTIONS', headers: { 'access-control-request-method': 'GET' } };
  assert.equal(brokenBy([asks], [{}]), []);
  assert.equal(brokenBy([{ ...asks, headers: {} }], [{}]), ['client-shown-only 1']);
});

test.run();
