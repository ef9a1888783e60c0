/** What the requests of a client are judged by, on records made by hand. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import { meaningOf } from '../../../spec/failure-codes.ts';
import { clientChecks } from '../../clients/checks/index.ts';
import type { ClientRun } from '../../clients/client-run.ts';
import { referenceVariant, type ServiceVariant } from '../../clients/service-variant.ts';
import { variations } from '../../clients/variations/index.ts';
import type { CredentialKind, Exchange } from '../../http/exchange.ts';

interface Sent {
  readonly target?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly kind?: CredentialKind;
  /** When it was sent and answered, milliseconds from the start. */
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

interface Told {
  readonly world?: ServiceVariant;
  readonly elsewhere?: readonly Sent[];
}

/** The codes of the failures of a requirement; `held` where it holds somewhere and fails nowhere. */
function judge(requirement: ClientRequirementId, sent: readonly Sent[], told: Told = {}): readonly string[] {
  const { world = referenceVariant, elsewhere = [] } = told;
  const visit: ClientRun = {
    variant: world,
    baseUrl: 'http://127.0.0.1:1/v1',
    isPassed: true,
    ending: 'exit code 0',
    durationMs: 1,
    exchanges: sent.map(recorded),
    elsewhere: elsewhere.map(recorded),
  };
  const findings = clientChecks
    .filter(({ verifies }) => verifies.includes(requirement))
    .flatMap((check) => [...check.judge(visit)]);
  const codes = findings.flatMap(({ failure }) => failure?.code ?? []);
  return codes.length > 0 || findings.length === 0 ? codes : ['held'];
}

const json = { 'content-type': 'application/json' };
const pet = '{"name":"Rex","categoryId":1}';
const refusal = { status: 429, answered: { 'retry-after': '2' } };

type Case = readonly [text: ClientRequirementId, sent: readonly Sent[], codes: readonly string[]];

const cases: readonly Case[] = [
  ['client-required-fields', [{ body: pet }], ['held']],
  ['client-required-fields', [{ body: '' }], ['no-object']],
  ['client-required-fields', [{ body: '[]' }], ['no-object']],
  ['client-required-fields', [{ body: '{"name":"Rex"}' }], ['field-missing']],
  ['client-required-fields', [{}], []],
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
  ['client-id-exact', [{ page: '{"id":9223372036854775807}' }, { target: '/pets/9223372036854776000' }], ['rounded']],
  ['client-id-exact', [{ page: '{"id":1234567890123456789}' }, { target: '/pets/1.2345678901234568e%2B18' }], []],
  ['client-id-exact', [{ page: '[{"id":7}]' }, { target: '/pets/8' }], []],
  ['client-id-exact', [{ target: '/pets/9007199254740992' }, { page: '[{"id":9007199254740993}]' }], []],
  ['client-key-in-header', [{}], ['held']],
  ['client-key-in-header', [{ kind: 'missing' }, { kind: 'invalid' }], []],
  ['client-key-in-header', [{ target: '/pets?key=[key]' }], ['key-elsewhere']],
  ['client-key-in-header', [{ headers: { cookie: 'a=[key]' } }], ['key-elsewhere']],
  ['client-key-in-header', [{ body: '{"key":"[key]"}' }], ['key-elsewhere']],
  ['client-key-in-header', [{ kind: 'misplaced' }], ['key-elsewhere']],
  ['client-waits', [refusal, { at: 2_001 }], ['held']],
  ['client-waits', [refusal, { at: 1_975 }], ['held']],
  ['client-waits', [refusal, { at: 1_900 }], ['too-soon']],
  ['client-waits', [refusal, { at: 5 }], ['too-soon']],
  ['client-waits', [refusal, { at: 200, target: '/pets?limit=1' }], []],
  ['client-waits', [refusal, { at: 260, target: '/pets?limit=1' }], ['too-soon']],
  ['client-waits', [refusal, { at: 5 }, { at: 6 }], ['too-soon']],
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
  ['client-backs-off', [0, 1_000, 2_000, 3_360].map((at) => ({ ...refusal, at })), ['held']],
  [
    'client-backs-off',
    [0, 1_000, 2_000].map((at) => ({ ...refusal, at })).concat([{ ...refusal, status: 200, at: 3_000 }]),
    ['no-backoff'],
  ],
];

for (const [requirement, sent, codes] of cases) {
  const shown = sent.map(({ target = '/pets', body = '', at = '' }) => `${at} ${target} ${body}`.trim()).join(', ');
  test(`${requirement} comes to ${codes.join(' and ') || 'nothing'} after ${shown.slice(0, 120)}`, () => {
    assert.equal(judge(requirement, sent), codes);
  });
}

const nothingLeft = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(noon / 1000 + 2) };

test('every code of a failure is explained', () => {
  for (const code of cases.flatMap(([, , codes]) => codes)) if (code !== 'held') assert.ok(meaningOf(code), code);
});

test('what remains counts for a client with a key, until the reset', () => {
  assert.equal(judge('client-remaining', [{ answered: nothingLeft }, { at: 1_900 }]), ['remaining-ignored']);
  assert.equal(judge('client-remaining', [{ answered: nothingLeft }, { at: 1_990 }]), ['held']);
  assert.equal(judge('client-remaining', [{ answered: nothingLeft, kind: 'missing' }, { at: 5 }]), []);
  assert.equal(judge('client-remaining', [{ answered: nothingLeft, status: 429 }, { at: 5 }]), []);
  assert.equal(judge('client-remaining', [{ answered: { ...nothingLeft, 'x-ratelimit-remaining': '1' } }, {}]), []);
});

test('a key at another host is told; who was led there and did not go kept it', () => {
  const leading: ServiceVariant = {
    id: 'x',
    variations: variations.filter(({ leadsElsewhere }) => leadsElsewhere).slice(0, 1),
  };
  const link = { link: '<http://127.0.0.1:9/v1/pets>; rel="next"' };
  const requirement = 'client-key-to-base-address';
  assert.equal(judge(requirement, [{ answered: link }], { world: leading }), ['held']);
  assert.equal(judge(requirement, [{}], { world: leading }), []);
  assert.equal(judge(requirement, [{ answered: link }], { world: leading, elsewhere: [{}] }), ['key-to-another-host']);
  assert.equal(judge(requirement, [{ answered: link }], { world: leading, elsewhere: [{ kind: 'missing' }] }), [
    'held',
  ]);
  assert.equal(judge(requirement, [{ answered: link }]), []);
});

test('getPet is told with the days that are left, but not in a world of another day', () => {
  assert.equal(judge('client-deprecated', [{}]), ['held']);
  assert.equal(judge('client-deprecated', [{ target: '/pets/1' }]), ['deprecated-operation']);
  const later: ServiceVariant = {
    id: 'x',
    variations: variations.filter(({ startsAt }) => startsAt !== undefined).slice(0, 1),
  };
  assert.equal(judge('client-deprecated', [{ target: '/pets/1' }], { world: later }), []);
  const [finding] = [
    ...clientChecks
      .find(({ verifies }) => verifies.includes('client-deprecated'))!
      .judge({ variant: referenceVariant, exchanges: [recorded({ target: '/pets/1' }, 0)], elsewhere: [] } as never),
  ];
  assert.match(
    finding?.failure?.message ?? '',
    /received GET \/pets\/\{petId\}: 1475 days are left until 5 December 2030$/,
  );
});

test.run();
