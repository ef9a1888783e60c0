/** The checks of a client's requests, on records made by hand. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import { judgeSent } from '../../clients/waits.ts';
import type { CredentialKind, Exchange } from '../../http/exchange.ts';
import { sentenceOf } from '../../verdict/failure.ts';

interface Sent {
  readonly target?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly kind?: CredentialKind;
  /** When the request was sent and answered, milliseconds from the start. */
  readonly at?: number;
  readonly status?: number;
  readonly answered?: Readonly<Record<string, string>>;
  readonly page?: string;
}

const noon = Date.UTC(2026, 10, 21, 12);

function operationOf({ target = '/pets', body }: Sent): Exchange['operation'] {
  if (/^\/pets(\?|$)/.test(target)) return body === undefined ? 'listPets' : 'createPet';
  return /^\/pets\/[^/]+$/.test(target) ? 'getPet' : 'other';
}

function recorded(sent: Sent, index: number): Exchange {
  const {
    target = '/pets',
    body,
    headers = {},
    kind = 'valid',
    at = index,
    status = 200,
    answered = {},
    page = '[]',
  } = sent;
  return {
    number: index + 1,
    check: 'reference',
    operation: operationOf(sent),
    credential: { id: kind, kind, title: kind, curl: { words: '' } },
    request: { method: body === undefined ? 'GET' : 'POST', target, headers, ...(body === undefined ? {} : { body }) },
    response: { status, headers: answered, body: page },
    startedAt: noon + at,
    endedAt: noon + at,
    sent: 2 * index,
    answered: 2 * index + 1,
  };
}

/** The failure codes of a requirement; `held` if it holds at least once and never fails. */
function judge(requirement: ClientRequirementId, sent: readonly Sent[]): readonly string[] {
  const findings = judgeSent(sent.map(recorded)).filter((one) => one.requirement === requirement);
  const codes = findings.flatMap(({ failure }) => failure?.code ?? []);
  return codes.length > 0 || findings.length === 0 ? codes : ['held'];
}

const json = { 'content-type': 'application/json' };
const pet = '{"name":"Rex","categoryId":1}';
const refusal = { status: 429, answered: { 'retry-after': '2' } };
const refusalOfOther = { status: 429, answered: { 'retry-after': '1' }, target: '/pets?limit=1' };

type Case = readonly [requirement: ClientRequirementId, sent: readonly Sent[], codes: readonly string[]];

const cases: readonly Case[] = [
  ['client-required-fields', [{ body: pet }], ['held']],
  ['client-required-fields', [{ body: '' }], ['no-object']],
  ['client-required-fields', [{ body: '[]' }], ['no-object']],
  ['client-required-fields', [{ body: '{"name":"Rex"}' }], ['field-missing']],
  ['client-required-fields', [{}], []],
  ['client-required-fields', [{ body: 'name=Rex', headers: json }], ['no-object']],
  ['client-required-fields', [{ body: 'name=Rex', headers: { 'content-type': 'text/plain' } }], []],
  ['client-required-fields', [{ body: '{}', headers: { 'content-type': 'text/plain' } }], ['field-missing']],
  ['client-values-in-range', [{ body: pet }], ['held']],
  ['client-values-in-range', [{ body: '{"name":"Rex","categoryId":9223372036854775808}' }], ['categoryId-outside']],
  ['client-values-in-range', [{ body: '{"name":1,"categoryId":1,"status":"x"}' }], ['name-outside', 'status-outside']],
  ['client-values-in-range', [{ body: '{"name":"\\ud800","categoryId":1}' }], ['name-outside']],
  ['client-values-in-range', [{ body: '{"name":"a","name":"b","categoryId":1}' }], ['field-twice']],
  ['client-sends-json', [{ body: pet, headers: json }], ['held']],
  ['client-sends-json', [{ body: pet, headers: { 'content-type': 'Application/JSON; charset=utf-8' } }], ['held']],
  ['client-sends-json', [{ body: pet, headers: { 'content-type': 'application/jsonp' } }], ['other-media-type']],
  ['client-sends-json', [{ body: pet }], ['other-media-type']],
  ['client-shown-only', [{}, { target: '/pets?limit=1&status=sold' }, { target: '/pets/1' }], ['held']],
  ['client-shown-only', [{ target: '/pets?after=2' }], ['other-parameter']],
  ['client-shown-only', [{ target: '/pets?api_key=[key]' }], ['held']],
  ['client-key-in-header', [{ kind: 'missing' }], ['no-key']],
  ['client-key-in-header', [{ kind: 'missing', target: '../health' }], []],
  ['client-key-in-header', [{ kind: 'missing' }, {}], ['held']],
  ['client-key-in-header', [{ kind: 'missing' }, { target: '/pets/1' }], ['no-key']],
  ['client-key-in-header', [{ kind: 'invalid' }], []],
  ['client-key-in-header', [{ target: '/pets?api_key=[key]' }], ['key-elsewhere']],
  ['client-shown-only', [{ target: '/pets/1?fields=name' }], ['other-parameter']],
  [
    'client-shown-only',
    [
      { target: '/pets', body: pet },
      { target: '/pets?dry=1', body: pet },
    ],
    ['other-parameter'],
  ],
  ['client-shown-only', [{ target: '/pets/1/owner' }], ['other-operation']],
  ['client-shown-only', [{ target: '../health' }], ['other-operation']],
  [
    'client-shown-only',
    [{ answered: { link: '</v1/pets?after=2>; rel="next"' } }, { target: '/pets?after=2' }],
    ['held'],
  ],
  [
    'client-shown-only',
    [
      { answered: { link: '<?after=2>; rel="next", <http://a/v1/pets?x=1>' } },
      { target: '/pets?after=2' },
      { target: '/pets?x=1' },
    ],
    ['held'],
  ],
  [
    'client-shown-only',
    [{ body: pet, answered: { location: '/v1/pets/7/passport' } }, { target: '/pets/7/passport' }],
    ['held'],
  ],
  [
    'client-shown-only',
    [{ body: pet, answered: { location: '/v1/pets/7/passport' } }, { target: '/pets/8/passport' }],
    ['other-operation'],
  ],
  ['client-shown-only', [{ target: '/pets?x=1' }, { answered: { location: '/v1/pets?x=1' } }], ['other-parameter']],
  ['client-limit-in-range', [{}], []],
  ['client-limit-in-range', [{ target: '/pets?limit=1' }, { target: '/pets?limit=100' }], ['held']],
  ['client-limit-in-range', [{ target: '/pets?limit=0' }], ['limit-outside']],
  ['client-limit-in-range', [{ target: '/pets?limit=101' }], ['limit-outside']],
  ['client-limit-in-range', [{ target: '/pets?limit=5&limit=5' }], ['limit-outside']],
  ['client-limit-in-range', [{ target: '/pets?limit=' }], ['limit-outside']],
  ['client-status-known', [{ target: '/pets?status=sold' }], ['held']],
  ['client-status-known', [{ target: '/pets?status=Sold' }], ['status-unknown']],
  ['client-status-known', [{ target: '/pets?status=sold&status=pending' }], ['status-unknown']],
  ['client-id-int64', [{ target: '/pets/-9223372036854775808' }], ['held']],
  ['client-id-int64', [{ target: '/pets/9223372036854775808' }], ['no-int64']],
  ['client-id-int64', [{ target: '/pets/1e3' }], ['no-int64']],
  ['client-id-exact', [{ page: '[{"id":9007199254740993}]' }, { target: '/pets/9007199254740993' }], ['held']],
  ['client-id-exact', [{ page: '[{"id":9007199254740993}]' }, { target: '/pets/9007199254740992' }], ['rounded']],
  ['client-id-exact', [{ page: '[{"id":9223372036854775807}]' }, { target: '/pets/9223372036854776000' }], ['rounded']],
  ['client-id-int64', [{ page: '[{"id":9223372036854775807}]' }, { target: '/pets/9223372036854776000' }], []],
  ['client-id-exact', [{ page: '[{"id":1234567890123456789}]' }, { target: '/pets/1.2345678901234568e%2B18' }], []],
  ['client-id-exact', [{ page: '[{"id":7}]' }, { target: '/pets/8' }], []],
  ['client-id-exact', [{ target: '/pets/9007199254740992' }, { page: '[{"id":9007199254740993}]' }], []],
  ['client-key-in-header', [{}], ['held']],
  ['client-key-in-header', [{ kind: 'missing' }, { kind: 'invalid' }], ['no-key']],
  ['client-key-in-header', [{ target: '/pets?key=[key]' }], ['key-elsewhere']],
  ['client-key-in-header', [{ headers: { cookie: 'a=[key]' } }], ['key-elsewhere']],
  ['client-key-in-header', [{ body: '{"key":"[key]"}' }], ['key-elsewhere']],
  ['client-key-in-header', [{ kind: 'misplaced' }], ['key-elsewhere']],
  ['client-waits', [refusal, { at: 2_001 }], ['held']],
  ['client-waits', [refusal, { at: 1_975 }], ['held']],
  ['client-waits', [refusal, { at: 1_900 }], ['too-soon']],
  ['client-waits', [refusal, { at: 5 }], ['too-soon']],
  ['client-waits', [refusal, { at: 399, target: '/pets?limit=1' }], []],
  ['client-waits', [refusal, { at: 400, target: '/pets?limit=1' }], ['too-soon']],
  // Of two requests that were refused side by side, each waits for its own refusal.
  ['client-waits', [refusal, { ...refusalOfOther, at: 1 }, { at: 1_100, target: '/pets?limit=1' }], ['held']],
  ['client-waits', [refusal, { ...refusalOfOther, at: 1 }, { at: 800, target: '/pets?limit=1' }], ['too-soon']],
  [
    'client-waits',
    [{ ...refusal, answered: { 'retry-after': 'Sat, 21 Nov 2026 12:00:02 GMT' } }, { at: 1_900 }],
    ['too-soon'],
  ],
  [
    'client-waits',
    [{ ...refusal, answered: { 'retry-after': 'Sat, 21 Nov 2026 12:00:02 GMT' } }, { at: 2_000 }],
    ['held'],
  ],
  ['client-waits', [refusal], []],
  ['client-no-hammering', [refusal, ...[1, 2, 3, 4].map((at) => ({ at }))], ['held']],
  ['client-no-hammering', [refusal, ...[1, 2, 3, 4, 5].map((at) => ({ at }))], ['hammering']],
  ['client-backs-off', [0, 1_000, 2_000].map((at) => ({ ...refusal, at })), []],
  ['client-backs-off', [0, 1_000, 2_000, 3_000].map((at) => ({ ...refusal, at })), ['no-backoff']],
  ['client-backs-off', [0, 1_000, 2_000, 3_015].map((at) => ({ ...refusal, at })), ['no-backoff']],
  ['client-backs-off', [0, 1_149, 2_375, 3_796].map((at) => ({ ...refusal, at })), ['held']],
  [
    'client-backs-off',
    [0, 1_000, 2_000].map((at) => ({ ...refusal, at })).concat([{ ...refusal, status: 200, at: 3_000 }]),
    ['no-backoff'],
  ],
];

for (const [requirement, sent, codes] of cases) {
  const shown = sent.map(({ target = '/pets', body = '', at = '' }) => `${at} ${target} ${body}`.trim()).join(', ');
  test(`${requirement} has ${codes.join(' and ') || 'no finding'} after ${shown.slice(0, 120)}`, () => {
    assert.equal(judge(requirement, sent), codes);
  });
}

test('getPet is reported with the days that are left, but not in a service of another day', () => {
  assert.equal(judge('client-deprecated', [{}]), ['held']);
  assert.equal(judge('client-deprecated', [{ target: '/pets/1' }]), ['deprecated-operation']);
  const creation = { target: '/pets', method: 'POST', answered: { location: '/v1/pets/1' } } as const;
  assert.equal(judge('client-deprecated', [creation, { target: '/pets/1' }]), ['held']);
  assert.equal(judge('client-deprecated', [creation, { target: '/pets/2' }]), ['deprecated-operation']);
  const finding = judgeSent([recorded({ target: '/pets/1' }, 0)]).find(
    ({ requirement }) => requirement === 'client-deprecated',
  );
  assert.match(
    sentenceOf(finding!.failure!),
    /received GET \/pets\/\{petId\}: 1475 days are left until 5 December 2030$/,
  );
});

test('waits that grow only because Retry-After does are no backoff', () => {
  const asking = (at: number, seconds: string) => ({ at, status: 429, answered: { 'retry-after': seconds } });
  const row = [asking(0, '1'), asking(1_000, '2'), asking(3_000, '4'), asking(7_000, '1')];
  assert.equal(judge('client-backs-off', row), ['no-backoff']);
});

test.run();
