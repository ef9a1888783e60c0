/** One report with all that a report can hold, and hostile text wherever a target, a pact or a user can put text. */

import { isRequirementId } from '../../../spec/requirements.ts';
import { countVerdicts } from '../../verdict/counts.ts';
import { reason } from '../../verdict/reasons.ts';
import type { Report, ReportedRequirement, ReportedSettings, ReportedWait, TimelineRow } from '../../verdict/report.ts';
import { exchanges, hostile, startedAt } from './sample-exchanges.ts';

export { hostile };

type Requirement = Omit<ReportedRequirement, 'failures'> & Partial<Pick<ReportedRequirement, 'failures'>>;

const requirements: readonly Requirement[] = [
  {
    id: 'service-json',
    section: '1',
    level: 'required',
    text: 'Every payload is well-formed JSON, sent as application/json.',
    verdict: 'pass',
    evidence: 41,
    examples: [3, 4, 5, 9, 10],
  },
  {
    id: 'service-staging-paths',
    section: '1',
    level: 'required',
    text: 'Staging has a base address of its own, with the same paths.',
    verdict: 'not-applicable',
    evidence: 0,
    reason: 'A run judges one base address; run the kit against each.',
  },
  {
    id: 'pet-id-unique',
    section: '2',
    level: 'required',
    text: 'The service assigns ids, and no two animals share one.',
    verdict: 'pass',
    evidence: 1,
    waiver: { reason: 'mended in 2.0', owner: 'pets team', expires: '2027-01-31', state: 'stale' },
  },
  {
    id: 'pet-name-kept',
    section: '2',
    level: 'required',
    text: 'An accepted name is returned code point for code point, at once and on later reads.',
    verdict: 'fail',
    evidence: 5,
    reason: '4 more failures of the same kinds',
    failures: [
      {
        code: 'name-changed',
        expected: 'name "Rex abc123-1"',
        received: '"rex abc123-1"',
        pointer: '/0/name',
        input: { name: 'name', value: '"Rex abc123-1"' },
        exchanges: [4],
        curl: 'curl -i \'http://127.0.0.1:8080/v1/pets?limit=100\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
        sequence: [3, 4],
      },
      {
        code: 'name-changed',
        expected: 'name of no harm',
        received: hostile,
        pointer: '/name',
        input: { name: 'name', value: hostile },
        exchanges: [5, 6],
        curl: `curl -i -X POST 'http://127.0.0.1:8080/v1/pets' --data-raw '${hostile}'`,
      },
      {
        code: 'name-missing',
        expected: 'a name',
        received: 'none',
        exchanges: [8],
        curl: 'curl -i \'http://127.0.0.1:8080/v1/pets?limit=1\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
      },
      {
        code: 'name-null',
        expected: 'a name',
        received: 'null',
        exchanges: [8],
        curl: 'curl -i \'http://127.0.0.1:8080/v1/pets?limit=1\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
      },
    ],
    recheck: 'fails-again',
  },
  {
    id: 'list-answer',
    section: '4.1',
    level: 'required',
    text: 'A listing with a valid key and allowed parameters answers 200 with a JSON array of animals.',
    verdict: 'fail',
    evidence: 6,
    failures: [
      {
        code: 'wrong-status',
        expected: 'status 200',
        received: '500',
        status: 500,
        exchanges: [9],
        curl: 'curl -i \'http://127.0.0.1:8080/v1/pets?limit=101\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
        sequence: [3, 4, 5, 6, 9],
      },
    ],
    recheck: 'flaky',
    shrinking: 'stopped',
  },
  {
    id: 'list-limit',
    section: '4.1',
    level: 'required',
    text: 'A page holds no more animals than limit asks for, and never more than 100.',
    verdict: 'fail',
    evidence: 1,
    failures: [
      {
        code: 'page-too-long',
        expected: 'at most 1 animal',
        received: '601',
        exchanges: [8],
        curl: 'curl -i \'http://127.0.0.1:8080/v1/pets?limit=1\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
        sequence: [8],
      },
    ],
    waiver: { reason: `known ${hostile}`, owner: `team ${hostile}`, expires: '2027-01-31', state: 'waived' },
    recheck: 'fails-again',
    shrinking: 'finished',
  },
  {
    id: 'list-limit-refused',
    section: '4.1',
    level: 'advised',
    text: 'A limit outside 1 to 100, or none that is an integer, is refused with an Error.',
    verdict: 'warn',
    evidence: 1,
    failures: [
      {
        code: 'limit-accepted',
        expected: 'an Error',
        received: '500 without one',
        exchanges: [9],
        curl: 'curl -i \'http://127.0.0.1:8080/v1/pets?limit=101\' -H "Authorization: Bearer $PETSTORE_API_KEY"',
      },
    ],
    waiver: { reason: 'not before 3.0', owner: 'pets team', expires: '2026-11-01', state: 'expired' },
    recheck: 'not-asked-again',
  },
  {
    id: 'list-complete',
    section: '4.1',
    level: 'required',
    text: 'A page with room left holds every animal that matches, those just created included.',
    verdict: 'inconclusive',
    evidence: 0,
    reason: `the service answered ${hostile}`,
  },
  {
    id: 'create-answer',
    section: '4.2',
    level: 'required',
    text: 'A valid body answers 201 with the created animal; one that the service cannot accept answers 400.',
    verdict: 'error',
    evidence: 0,
    reason: `a check threw: ${hostile}`,
  },
  {
    id: 'auth-invalid-key',
    section: '5',
    level: 'required',
    text: 'A request with a key that is not valid answers 401 with an Error.',
    verdict: 'fail',
    evidence: 2,
    failures: [
      {
        code: 'served-without-key',
        expected: 'status 401',
        received: '200',
        status: 200,
        input: { name: 'credential', value: 'never-issued' },
        exchanges: [7, 10],
        curl: 'curl -i \'http://127.0.0.1:8080/v1/pets\' -H "Authorization: Bearer not-the-key"',
      },
    ],
  },
  {
    id: 'rate-exceeded',
    section: '8',
    level: 'required',
    text: 'A request that exceeds the rate limit answers 429, and none before.',
    verdict: 'skipped',
    evidence: 0,
    reason: 'set PETSTORE_RATE_LIMIT_KEY to a key that may be exhausted',
    waiver: { reason: 'the gateway is new', owner: 'edge team', expires: '2027-01-31', state: 'unused' },
  },
  {
    id: 'version-base-address',
    section: '9',
    level: 'advised',
    text: 'The base address ends in the version segment v1.',
    verdict: 'skipped',
    evidence: 0,
    reason: 'the run looked at no base address',
  },
];

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

/** All 87 exchanges: one without an answer, and a window that is used up, awaited and begun again. */
const timeline: readonly TimelineRow[] = Array.from({ length: 87 }, (_nothing, at): TimelineRow => {
  const number = at + 1;
  const held = exchanges.find((one) => one.number === number);
  const status = held === undefined ? [200, 200, 201, 404, 400, 401][at % 6] : held.response?.status;
  const isAfterReset = number > 60;
  return {
    number,
    check: held?.check ?? ['list-filter', 'create-valid', 'get-known'][at % 3]!,
    operation: held?.operation ?? (['listPets', 'createPet', 'getPet', 'other'] as const)[at % 4]!,
    ...(status === undefined ? {} : { status }),
    startedAt: new Date(Date.parse(startedAt) + 10 * number + (isAfterReset ? 11_400 : 0)).toISOString(),
    durationMs: held?.durationMs ?? (number * 7) % 31,
    credential: (['valid', 'valid', 'valid', 'missing', 'invalid', 'rate-limit'] as const)[at % 6]!,
    ...(status === undefined || status === 500
      ? {}
      : {
          limit: 60,
          remaining: isAfterReset ? 120 - number : 60 - number,
          reset: isAfterReset ? 1795255320 : 1795255260,
        }),
  };
});

export const sampleReport: Report = {
  format: 'petstore-conformance-report',
  formatVersion: 1,
  kit: {
    name: 'petstore-conformance',
    version: '0.1.0',
    commit: '0123456789abcdef0123456789abcdef01234567',
    selfTest: {
      faults: 780,
      found: 780,
      ordinary: 600,
      within: [
        { requests: 60, found: 580 },
        { requests: 300, found: 600 },
      ],
      variants: 140,
      falseFailures: 0,
    },
  },
  node: 'v24.21.0',
  settings,
  interface: { name: 'Pet Store Service Interface', version: '1.0.0' },
  target: { baseUrl: 'http://127.0.0.1:8080/v1' },
  startedAt,
  durationMs: 12_345,
  seed: 42,
  verdict: 'does-not-conform',
  exitCode: 1,
  reason: reason('client-remarks', { remarks: `The waiver of list-limit-refused expired; ${hostile}` }),
  requests: 87,
  unanswered: 1,
  creates: 12,
  counts: countVerdicts(requirements),
  requirements: requirements.map((requirement) => ({ failures: [], ...requirement })),
  interactions: [
    {
      consumer: 'adoption-site',
      description: 'a listing of sold animals',
      states: [],
      verdict: 'pass',
      messages: [],
      exchanges: [4],
    },
    {
      consumer: `shop ${hostile}`,
      description: `a listing ${hostile}`,
      states: ['an animal exists', hostile],
      verdict: 'fail',
      messages: [hostile, 'expected status 200, received 500'],
      exchanges: [3, 6],
    },
    {
      consumer: 'shop',
      description: 'a new animal',
      states: ['the key is valid'],
      verdict: 'pending',
      messages: ['expected a status, received none'],
      exchanges: [5],
    },
    {
      consumer: 'shop',
      description: 'too many requests',
      states: ['the limit is exceeded'],
      verdict: 'not-verifiable',
      messages: ['it takes a key that may be exhausted'],
      exchanges: [],
      isExcused: true,
    },
  ],
  gaps: [
    {
      id: 'known-categories',
      section: '2',
      question: 'Is an animal of a category that the service may not know accepted?',
      observed: ['accepted'],
    },
    {
      id: 'name-limits',
      section: '2',
      question: 'Which names beyond plain short ones are accepted?',
      observed: ['not-empty', 'other-length'],
    },
    {
      id: 'store-orders',
      section: '1',
      question: 'Which paths, payloads and behaviour do store orders have?',
      observed: [],
    },
  ],
  created: [
    { id: '7', name: 'Rex abc123-1' },
    { id: '-9223372036854775808', name: hostile },
  ],
  waits,
  timeline,
  exchanges,
};
