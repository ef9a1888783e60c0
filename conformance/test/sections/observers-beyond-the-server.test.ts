/** Each answer that the reference server cannot give is observed on a server that gives it. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import type { AnswerId, GapChoices, OpenGapId, ReferenceAnswers } from '../../../spec/gaps.ts';
import { isInt64, isJsonObject, type JsonValue } from '../../http/json.ts';
import { isPetStatus } from '../../http/read-request.ts';
import { runInProcess, trialSettings } from '../../proof/trial.ts';
import { refusesChunked } from '../../services/creations.ts';
import { snowflakeIds } from '../../services/forms.ts';
import { handleOf } from '../../services/index.ts';
import { bucketOf, countsSuccessOnly, limitedBy, sharedWindow } from '../../services/limiters.ts';
import { changeQuery, fromWholeCatalogue } from '../../services/page-changes.ts';
import { noControls } from '../../services/refusals.ts';
import type { Service } from '../../services/service.ts';
import { isListingOrRead, lagging, limitBeforeFilter } from '../../services/visibility.ts';
import {
  type Call,
  changeAnimals,
  changeAnswer,
  changeErrors,
  errorAnswer,
  keysOfTrials,
  limitKey,
  mapField,
  requestHeader,
  sentJson,
  type Wrap,
  withHeader,
} from '../../services/wraps.ts';

/** `alsoShows`: a second answer of the same server to the same gap. */
type Server = Omit<Service, 'id' | 'observes'> & { readonly alsoShows?: string };

/** Answers requests that match with an Error of another status. */
function refuse(status: number, matches: (call: Call, status: number) => boolean): Wrap {
  return changeAnswer((answer, call) =>
    call.isAuthorized && matches(call, answer.status) ? errorAnswer(status, answer) : undefined,
  );
}

/** Whether a body is a valid animal, so that its refusal is one that the interface leaves open. */
function isPet(json: JsonValue | undefined): boolean {
  if (!isJsonObject(json) || typeof json['name'] !== 'string' || !json['name'].isWellFormed()) return false;
  return isInt64(json['categoryId']) && (json['status'] === undefined || isPetStatus(json['status']));
}

const creation =
  (status: number): Wrap =>
  (handle) =>
    refuse(status, (call, answered) => call.operation === 'createPet' && answered === 400 && isPet(sentJson(call)))(
      handle,
      keysOfTrials,
    );
const listing = (status: number): Wrap =>
  refuse(status, ({ operation }, answered) => operation === 'listPets' && answered === 400);
const read = (status: number): Wrap =>
  refuse(status, ({ operation }, answered) => operation === 'getPet' && answered === 400);
const otherOperation = (status: number): Wrap => refuse(status, ({ operation }) => operation === 'other');

/** Servers that refuse with these statuses instead of 400; 418 stands for any other status. */
function withStatuses<Gap extends OpenGapId, Status extends number>(
  gap: Gap,
  wrapFor: (status: number) => Wrap,
  ...statuses: readonly Status[]
): Readonly<Record<`refused-${Status}` | 'refused-otherwise', Server>> {
  const gaps = { [gap]: 'refused-400' } as Partial<GapChoices>;
  const named = statuses.map((status) => [`refused-${status}`, { gaps, wrap: wrapFor(status) }]);
  return Object.fromEntries([...named, ['refused-otherwise', { gaps, wrap: wrapFor(418) }]]);
}

/** Answers matching listings with an empty page. */
function emptyPage(matches: (query: URLSearchParams) => boolean): Wrap {
  return changeAnswer((answer, { operation, query, isAuthorized }) =>
    operation === 'listPets' && isAuthorized && matches(query) ? { ...answer, status: 200, body: '[]' } : undefined,
  );
}

const hasLimit =
  (matches: (limit: number) => boolean) =>
  (query: URLSearchParams): boolean =>
    query.has('limit') && matches(Number(query.get('limit')));
const isOutside = hasLimit((limit) => limit < 1 || limit > 100);
const isBelow = hasLimit((limit) => limit < 1);
const isNoNumber = hasLimit(Number.isNaN);

function largestPage(matches: (query: URLSearchParams) => boolean): Wrap {
  return changeQuery((query) => matches(query) && query.set('limit', '100'));
}

/** Sorts pages by a key. */
function sortedBy(keyOf: (entry: JsonValue) => JsonValue): Wrap {
  return fromWholeCatalogue((page, query) =>
    page
      .toSorted((one, other) => ((keyOf(one) ?? '') < (keyOf(other) ?? '') ? -1 : 1))
      .slice(0, Number(query.get('limit') ?? 20)),
  );
}
const field =
  (name: string) =>
  (entry: JsonValue): JsonValue =>
    isJsonObject(entry) ? (entry[name] ?? null) : null;

function codes(change: (code: string) => string, only?: number): Wrap {
  return changeErrors(
    mapField('code', (code) => change(String(code))),
    only,
  );
}

const camel = (code: string): string => code.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase());

function onStatus(status: number, headers: Readonly<Record<string, string>>, body?: string): Wrap {
  return changeAnswer((answer) => {
    if (answer.status !== status) return undefined;
    const changed = Object.entries(headers).reduce((all, [name, value]) => withHeader(all, name, value), answer);
    return body === undefined ? changed : { ...changed, body };
  });
}

/** Answers getPet without the headers of the reference server, with others. */
function onReads(headers: Readonly<Record<string, string>>): Server {
  const wrap = changeAnswer((answer, { operation }) =>
    operation === 'getPet' ? { ...answer, headers: { ...answer.headers, ...headers } } : undefined,
  );
  return { gaps: { 'deprecation-headers': 'none' }, wrap };
}

/** Shows each key only the animals that were created with it. */
const animalsPerKey: Wrap = (handle) => {
  const theirs = createPetStore({ keys: [{ key: limitKey, plan: 'enterprise', perMinute: 8, perDay: 1_000 }] });
  return (request, now) =>
    requestHeader(request, 'authorization') === `Bearer ${limitKey}`
      ? theirs.handle(request, now)
      : handle(request, now);
};

const removed = Date.UTC(2030, 11, 5, 12);
const onKnown = (status: number): Server => ({
  startsAt: removed,
  gaps: { 'after-removal': 'continues' },
  wrap: changeAnswer((answer, { operation }) =>
    operation === 'getPet' && answer.status === 200 ? errorAnswer(status, answer) : undefined,
  ),
});

/** A server for each answer that the reference server cannot give; a ban takes a longer probe (observers.test). */
const servers: {
  readonly [Id in Exclude<OpenGapId, 'ban'>]?: {
    readonly [Answer in Exclude<AnswerId<Id>, ReferenceAnswers[Id]>]: Server;
  };
} = {
  'known-categories': withStatuses('known-categories', creation, 404, 409, 422),
  'name-limits': {
    'some-characters': { wrap: noControls },
    'refused-409': { gaps: { 'name-limits': 'at-most-100' }, wrap: creation(409) },
    'refused-422': { gaps: { 'name-limits': 'at-most-100' }, wrap: creation(422) },
    'refused-otherwise': { gaps: { 'name-limits': 'at-most-100' }, wrap: creation(418) },
  },
  'duplicate-names': withStatuses('duplicate-names', creation, 409, 422),
  'id-form': { rising: { wrap: snowflakeIds } },
  'extra-response-fields': {
    'in-animals': { wrap: changeAnimals((animal) => ({ ...animal, owner: null })) },
    'in-errors': { wrap: changeErrors((error) => ({ ...error, details: [] })) },
  },
  'limit-out-of-range': {
    ...withStatuses('limit-out-of-range', listing, 404),
    'empty-page': { wrap: emptyPage(isOutside) },
    'largest-page': {
      gaps: { 'limit-out-of-range': 'clamped' },
      wrap: largestPage(isBelow),
      alsoShows: 'clamped',
    },
  },
  'limit-not-integer': {
    ...withStatuses('limit-not-integer', listing, 404),
    'empty-page': { wrap: emptyPage(isNoNumber) },
    'largest-page': { wrap: largestPage(isNoNumber) },
  },
  'status-filter-unknown': withStatuses('status-filter-unknown', listing, 404),
  'unknown-query-parameters': {
    ...withStatuses('unknown-query-parameters', listing, 422),
    'empty-page': { wrap: emptyPage((query) => query.has('colour')) },
  },
  'list-order': {
    'by-id': { gaps: { 'id-form': 'random' }, wrap: sortedBy(field('id')) },
    'by-name': { wrap: sortedBy(field('name')) },
    another: { wrap: sortedBy(field('categoryId')) },
  },
  'short-pages': { 'limit-before-filter': { wrap: limitBeforeFilter } },
  visibility: { later: { wrap: lagging(300, isListingOrRead) } },
  'later-pages': { 'other-header': { wrap: onStatus(200, { 'X-Next-Cursor': 'abc' }) } },
  'extra-body-fields': withStatuses('extra-body-fields', creation, 422),
  'client-sent-id': withStatuses('client-sent-id', creation, 409, 422),
  'integer-written-as-decimal': withStatuses('integer-written-as-decimal', creation, 422),
  'other-media-type': withStatuses('other-media-type', creation, 422),
  'chunked-bodies': {
    'refused-400': { wrap: refusesChunked(400) },
    'refused-413': { wrap: refusesChunked(413) },
    'refused-otherwise': { wrap: refusesChunked(422) },
  },
  'location-header': { 'another-address': { wrap: onStatus(201, { Location: '/v1/pets' }) } },
  'pet-id-not-int64': withStatuses('pet-id-not-int64', read, 422),
  'other-operations': {
    'refused-501': { wrap: otherOperation(501) },
    'refused-otherwise': { wrap: otherOperation(403) },
    answered: { wrap: otherOperation(204) },
  },
  'key-scope': { 'per-key': { wrap: animalsPerKey } },
  'bearer-case': {
    'refused-otherwise': {
      gaps: { 'bearer-case': 'refused-401' },
      wrap: changeAnswer((answer, { request }) =>
        requestHeader(request, 'authorization')?.startsWith('bearer ') ? errorAnswer(403, answer) : undefined,
      ),
    },
  },
  'error-codes': {
    'camel-case': { wrap: codes(camel) },
    'kebab-case': { wrap: codes((code) => code.replaceAll('_', '-')) },
    words: { wrap: codes((code) => code.replaceAll('_', ' ')) },
    mixed: { wrap: codes((code) => `pets.${code}`, 404) },
  },
  'too-many-requests-body': {
    'other-json': { wrap: onStatus(429, {}, '{"detail":"slow down"}') },
    html: { wrap: onStatus(429, { 'Content-Type': 'text/html' }, '<h1>Too many requests</h1>') },
  },
  'rate-limit-window': {
    'at-most-a-minute': {},
    moving: { wrap: limitedBy((size) => bucketOf(size, 'when-full')) },
    'other-length': {
      wrap: changeAnswer((answer, { now }) =>
        withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(now / 600_000) * 600)),
      ),
    },
  },
  'rate-limit-without-key': {
    another: { wrap: onStatus(401, { 'X-RateLimit-Limit': '120' }) },
  },
  'limit-scope': { shared: { wrap: limitedBy((size) => sharedWindow(size, 0, 0), 'both') } },
  'refused-requests': { 'not-counted': { wrap: countsSuccessOnly } },
  'after-removal': { redirected: onKnown(308), 'refused-otherwise': onKnown(405) },
  'deprecation-headers': {
    deprecation: onReads({ Deprecation: '@1796083200' }),
    'sunset-only': onReads({ Sunset: 'Thu, 05 Dec 2030 00:00:00 GMT' }),
    'other-header': onReads({ Warning: '299 - "to be removed"' }),
  },
};

for (const [gap, answers] of Object.entries(servers)) {
  for (const [answer, server] of Object.entries<Server>(answers)) {
    test(`${gap}: ${answer} is observed`, async () => {
      const variant = { id: answer, ...server };
      const settings = trialSettings(300, server.startsAt === undefined ? {} : { today: server.startsAt });
      const report = await runInProcess(handleOf(variant), settings, variant);
      const expected = server.alsoShows === undefined ? [answer] : [answer, server.alsoShows];
      const observed = report.gaps.find(({ id }) => id === gap)?.observed.toSorted();
      assert.equal(observed, expected.sort());
    });
  }
}

async function observe(gap: OpenGapId, wrap: Wrap): Promise<string | null | undefined> {
  const report = await runInProcess(handleOf({ id: gap, wrap }), trialSettings(300));
  return report.gaps.find(({ id }) => id === gap)?.observed.join(', ');
}

test('a limit below its range and one beyond it may be answered differently', async () => {
  const gap = 'limit-out-of-range';
  const clamped = changeQuery((query) => isBelow(query) && query.set('limit', '1'));
  assert.is(await observe(gap, clamped), 'clamped, refused-400');
  const ignored = changeQuery((query) => isBelow(query) && query.delete('limit'));
  assert.equal((await observe(gap, ignored))?.split(', ').toSorted(), ['ignored', 'refused-400']);
});

test('a page of a small catalogue does not show whether a limit was clamped or ignored', async () => {
  const few = { id: 'few', gaps: { 'limit-out-of-range': 'clamped', 'limit-not-integer': 'ignored' } } as const;
  const report = await runInProcess(handleOf(few), trialSettings(300, { maxCreates: 15 }));
  const observed = new Map(report.gaps.map(({ id, observed: answer }) => [id, answer.join(', ')]));
  // A page of one animal shows that a limit below 1 is clamped.
  assert.is(observed.get('limit-out-of-range'), 'clamped');
  assert.is(observed.get('limit-not-integer'), '');
});

test('a refusal without an Error is observed as another refusal', async () => {
  const inWords: Wrap = changeAnswer((answer) =>
    answer.status === 400 || answer.status === 404 ? { ...answer, body: '"No."' } : undefined,
  );
  for (const gap of ['limit-out-of-range', 'status-filter-unknown', 'pet-id-not-int64'] as const) {
    assert.is(await observe(gap, inWords), 'refused-otherwise', gap);
  }
});

test.run();
