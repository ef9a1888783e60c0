/** One report with all that a report can hold, and hostile text wherever a target, a pact or a user can put text. */

import { isRequirementId, type RequirementId, requirements as stated } from '../../../spec/requirements.ts';
import { countVerdicts } from '../../verdict/create-report.ts';
import { reason } from '../../verdict/reasons.ts';
import type {
  Report,
  ReportedCause,
  ReportedFailure,
  ReportedInteraction,
  ReportedRequirement,
  ReportedSettings,
  ReportedWait,
  TimelineRow,
} from '../../verdict/report.ts';
import { exchanges, hostile, startedAt } from './sample-exchanges.ts';

export { hostile };

type Waiver = NonNullable<ReportedRequirement['waiver']>;

function waiver(state: Waiver['state'], why: string, owner: string, expires = '2027-01-31'): Waiver {
  return { reason: why, owner, expires, state };
}

/** A failure whose curl line asks for the listing of its last exchange, unless it has one of its own. */
function failure(
  code: string,
  expected: string,
  received: string,
  cited: number[],
  part: Partial<ReportedFailure> = {},
): ReportedFailure {
  const target = exchanges.find(({ number }) => number === cited.at(-1))?.request.target;
  const curl = `curl -i 'http://127.0.0.1:8080/v1${target}' -H "Authorization: Bearer $PETSTORE_API_KEY"`;
  return { code, expected, received, exchanges: cited, curl, ...part };
}

function requirement(
  id: RequirementId,
  verdict: ReportedRequirement['verdict'],
  evidence: number,
  part: Partial<ReportedRequirement> = {},
): ReportedRequirement {
  const { section, level, text } = stated.find((one) => one.id === id)!;
  return { id, section, level, text, verdict, evidence, failures: [], ...part };
}

const requirements: readonly ReportedRequirement[] = [
  requirement('service-json', 'pass', 41),
  requirement('service-staging-paths', 'not-applicable', 0, {
    reason: 'A run judges one base address; run the kit against each.',
  }),
  requirement('pet-id-unique', 'pass', 1, { waiver: waiver('stale', 'mended in 2.0', 'pets team') }),
  requirement('pet-name-kept', 'fail', 5, {
    failures: [
      failure('name-changed', 'name "Rex abc123-1"', '"rex abc123-1"', [4], {
        pointer: '/0/name',
        input: { name: 'name', value: '"Rex abc123-1"' },
        sequence: [3, 4],
      }),
      failure('name-changed', 'name of no harm', hostile, [5, 6], {
        pointer: '/name',
        input: { name: 'name', value: hostile },
        curl: `curl -i -X POST 'http://127.0.0.1:8080/v1/pets' --data-raw '${hostile}'`,
      }),
      failure('name-missing', 'a name', 'none', [8]),
      failure('name-null', 'a name', 'null', [8]),
    ],
    recheck: 'fails-again',
  }),
  requirement('list-answer', 'fail', 6, {
    failures: [failure('wrong-status', 'status 200', '500', [9], { status: 500, sequence: [3, 4, 5, 6, 9] })],
    ways: [`wrong-status: with ${hostile}`, 'wrong-status: on 500'],
    waiver: { ...waiver('exceeded', 'until 2.1', 'pets team'), covers: ['wrong-status: on 500'] },
    recheck: 'flaky',
  }),
  requirement('list-limit', 'fail', 1, {
    failures: [failure('page-too-long', 'at most 1 animal', '601', [8], { sequence: [8] })],
    ways: ['page-too-long: on 200'],
    waiver: { ...waiver('waived', `known ${hostile}`, `team ${hostile}`), covers: ['page-too-long: on 200', hostile] },
    recheck: 'fails-again',
  }),
  requirement('list-limit-refused', 'warn', 1, {
    failures: [failure('limit-accepted', 'an Error', '500 without one', [9])],
    waiver: waiver('expired', 'not before 3.0', 'pets team', '2026-11-01'),
    recheck: 'not-asked-again',
  }),
  requirement('list-complete', 'inconclusive', 0, { reason: `the service answered ${hostile}` }),
  requirement('create-answer', 'error', 0, { reason: `a check threw: ${hostile}` }),
  requirement('auth-invalid-key', 'fail', 2, {
    ways: ['served-without-key: with a wrong key'],
    failures: [
      failure('served-without-key', 'status 401', '200', [7, 10], {
        status: 200,
        input: { name: 'credential', value: 'never-issued' },
        curl: 'curl -i \'http://127.0.0.1:8080/v1/pets\' -H "Authorization: Bearer not-the-key"',
      }),
    ],
  }),
  requirement('rate-exceeded', 'skipped', 0, {
    reason: 'set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted',
    waiver: waiver('unused', 'the gateway is new', 'edge team'),
  }),
  requirement('version-base-address', 'skipped', 0, { reason: 'the run looked at no base address' }),
];

/** Every failure of a requirement. */
function all(id: RequirementId, ...failures: readonly number[]): ReportedCause['requirements'][number] {
  return { id, failures };
}

const causes: readonly ReportedCause[] = [
  {
    requirements: [all('pet-name-kept', 0, 1)],
    where: {
      failing: 7,
      holding: 30,
      traits: [{ dimension: 'white-space', values: [hostile], others: [] }],
    },
  },
  { requirements: [all('pet-name-kept', 2, 3)], where: { failing: 2, holding: 39 } },
  { requirements: [all('list-answer', 0), all('auth-invalid-key', 0)] },
  { requirements: [all('list-limit', 0)], where: { failing: 1, holding: 0 } },
  {
    requirements: [all('list-limit-refused', 0)],
    where: {
      failing: 3,
      holding: 9,
      traits: [{ dimension: 'limit', values: ['0'], others: ['no integer'] }],
      exceptions: 1,
    },
  },
];

function interaction(
  verdict: ReportedInteraction['verdict'],
  consumer: string,
  description: string,
  exchanges: number[],
  part: Partial<ReportedInteraction> = {},
): ReportedInteraction {
  return { consumer, description, states: [], verdict, messages: [], exchanges, ...part };
}

type Gap = Report['gaps'][number];

function gap(id: Gap['id'], section: Gap['section'], question: string, ...observed: readonly string[]): Gap {
  return { id, section, question, observed };
}

const settings: ReportedSettings = {
  plan: 'free',
  only: requirements.map(({ id }) => id).filter(isRequirementId),
  maxRequests: 120,
  maxCreates: 20,
  isReadOnly: false,
  categoryIds: ['1', '9223372036854775807'],
  concurrency: 2,
  settleMs: 2_000,
  maxWaitMs: 75_000,
  timeoutMs: 10_000,
  isDisposable: true,
  nameTemplate: `Pet {n} ${hostile}`,
  today: startedAt,
  requiresAll: true,
  waivers: ['pet-id-unique', 'list-limit', 'list-limit-refused', 'rate-exceeded'],
  gatewayHeaders: ['x-tenant', hostile],
  hasRateLimitKey: false,
};

const waits: readonly ReportedWait[] = [
  { startedAt: '2026-11-21T10:00:00.605Z', durationMs: 2_000, why: 'what was created may not be listed yet' },
  { startedAt: '2026-11-21T10:00:02.605Z', durationMs: 9_400, why: 'no requests are left until the reset' },
];

/** 87 answers: a window that is used up, awaited and begun again. */
const timeline: readonly TimelineRow[] = Array.from({ length: 87 }, (_nothing, at): TimelineRow => {
  const isAfterReset = at >= 60;
  return {
    limit: 60,
    remaining: (isAfterReset ? 119 : 59) - at,
    answeredAt: new Date(Date.parse(startedAt) + 10 * at + ((at * 7) % 31) + (isAfterReset ? 11_400 : 0)).toISOString(),
    credential: (['valid', 'valid', 'missing', 'rate-limit'] as const)[at % 4]!,
  };
});

export const sampleReport: Report = {
  format: 'petstore-conformance-report',
  formatVersion: 1,
  kit: { name: 'petstore-conformance', version: '0.1.0' },
  node: 'v24.21.0',
  settings,
  interface: { name: 'Pet Store Service Interface', version: '1.0.0' },
  target: { baseUrl: 'http://127.0.0.1:8080/v1' },
  startedAt,
  durationMs: 12_345,
  seed: 42,
  verdict: 'does-not-conform',
  exitCode: 1,
  reason: reason('broker-failed', { problem: `is gone; ${hostile}` }),
  requests: 87,
  creates: 12,
  counts: countVerdicts(requirements),
  requirements,
  causes,
  interactions: [
    interaction('pass', 'adoption-site', 'a listing of sold animals', [4]),
    interaction('fail', `shop ${hostile}`, `a listing ${hostile}`, [3, 6], {
      states: ['an animal exists', hostile],
      messages: [hostile, 'expected status 200, received 500'],
    }),
    interaction('pending', 'shop', 'a new animal', [5], {
      states: ['the key is valid'],
      messages: ['expected a status, received none'],
    }),
    interaction('not-verifiable', 'shop', 'too many requests', [], {
      states: ['the limit is exceeded'],
      messages: ['it takes a key that may be exhausted'],
      isExcused: true,
    }),
  ],
  gaps: [
    gap('known-categories', '2', 'Is an animal of a category that the service may not know accepted?', 'accepted'),
    gap('name-limits', '2', 'Which names beyond plain short ones are accepted?', 'not-empty', 'other-length'),
    gap('store-orders', '1', 'Which paths, payloads and behaviour do store orders have?'),
  ],
  created: [
    { id: '7', name: 'Rex abc123-1' },
    { id: '-9223372036854775808', name: hostile },
  ],
  waits,
  timeline,
  exchanges,
};
