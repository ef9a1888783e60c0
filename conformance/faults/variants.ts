/** Variants: servers that make other legal choices. No run may ever fail one. */

import {
  createPetStore,
  gapChoices,
  type Handle,
  type NewPet,
  type PetStatus,
  type StoreRequest,
  type StoreResponse,
} from '../../reference-server/index.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { isInt64, isJsonObject, type JsonValue, readJson, writeJson } from '../engine/json.ts';
import { seededRandom } from '../engine/session.ts';
import { TransportError } from '../engine/transport.ts';
import {
  apiKey,
  changeAnimals,
  changeAnswer,
  changeJson,
  changeRequest,
  errorAnswer,
  headerOf,
  limitKey,
  mapField,
  readCall,
  type Wrap,
  withBody,
  withHeader,
  withKey,
  withTarget,
} from './fault.ts';
import type { InProcessOptions } from './in-process.ts';

export interface Variant extends InProcessOptions {
  readonly id: string;
  readonly gaps?: Partial<GapChoices>;
  /** Animals that were there before the run. */
  readonly animals?: readonly NewPet[];
  readonly wrap?: Wrap;
  /** Categories that a user of the kit would name, where only known ones are accepted. */
  readonly categoryIds?: readonly bigint[];
  /** Requests per minute of the API key; that of Business when undefined. */
  readonly perMinute?: number;
  /** Set where the limits shown are not those of the Business plan. */
  readonly showsOtherLimits?: true;
}

const statuses: readonly (PetStatus | undefined)[] = ['available', 'pending', 'sold', undefined];

/** A catalogue that others have filled. */
export function manyAnimals(count: number): readonly NewPet[] {
  return Array.from({ length: count }, (_nothing, at) => {
    const status = statuses[at % 4];
    return { name: `old-${at}`, categoryId: BigInt((at % 10) + 1), ...(status === undefined ? {} : { status }) };
  });
}

/** Another client that adds an animal before every third listing. */
const busy: Wrap = (handle) => {
  let requests = 0;
  return (request, now) => {
    requests += 1;
    const { operation } = readCall(request, now);
    if (operation === 'listPets' && requests % 3 === 0) {
      const status = statuses[requests % 4];
      const pet = { name: `other-${requests}`, categoryId: 1n, ...(status === undefined ? {} : { status }) };
      const theirs = withKey(withBody({ ...request, method: 'POST', target: '/v1/pets' }, writeJson(pet)), limitKey);
      handle({ ...theirs, headers: [...theirs.headers, ['content-type', 'application/json']] }, now);
    }
    return handle(request, now);
  };
};

/** Another client that uses the same key: remaining falls by more than one. */
const sharedKey: Wrap = (handle) => (request, now) => {
  if (readCall(request, now).isAuthorized)
    handle({ ...request, method: 'GET', target: '/v1/pets?limit=1', body: new Uint8Array() }, now);
  return handle(request, now);
};

function isApiKey(request: StoreRequest): boolean {
  return headerOf(request, 'authorization') === `Bearer ${apiKey}`;
}

/** A bucket that fills by one request every `1/rate` of a minute, instead of a window. */
function bucket(size: number): Wrap {
  return (handle) => {
    let tokens = size;
    let at = 0;
    return (request, now) => {
      tokens = Math.min(size, tokens + ((now - at) * size) / 60_000);
      at = now;
      const answer = handle(request, now);
      if (!isApiKey(request)) return answer;
      tokens = Math.max(0, tokens - 1);
      const reset = Math.ceil((now + ((size - tokens) * 60_000) / size) / 1000);
      const limited = withHeader(answer, 'X-RateLimit-Limit', String(size));
      return withHeader(
        withHeader(limited, 'X-RateLimit-Remaining', String(Math.floor(tokens))),
        'X-RateLimit-Reset',
        String(reset),
      );
    };
  };
}

/** Reset is a minute from each answer on. */
const resetFromNow: Wrap = changeAnswer((answer, { now }) =>
  withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(now / 1000) + 60)),
);

/** Only what succeeds is counted. */
const countsSuccessOnly: Wrap = (handle) => {
  let failed = 0;
  return (request, now) => {
    const answer = handle(request, now);
    if (!isApiKey(request) || answer.status === 429) return answer;
    if (answer.status >= 400) failed += 1;
    const remaining = Number(answer.headers['X-RateLimit-Remaining']) + failed;
    const limit = Number(answer.headers['X-RateLimit-Limit']);
    return withHeader(answer, 'X-RateLimit-Remaining', String(Math.min(limit, remaining)));
  };
};

const lowerCaseHeaders: Wrap = (handle) => (request, now) => {
  const answer = handle(request, now);
  const headers = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...answer, headers: { ...Object.fromEntries(headers), 'content-type': 'application/json; charset=utf-8' } };
};

const prettyJson: Wrap = (handle) => (request, now) => {
  const answer = handle(request, now);
  return { ...answer, body: answer.body.replaceAll('":', '" : ').replaceAll(',"', ',\n  "') };
};

/** Escapes everything that JSON allows to escape. */
const escapedJson: Wrap = (handle) => (request, now) => {
  const answer = handle(request, now);
  const body = answer.body.replace(/[^\x00-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return { ...answer, body: body.replaceAll('/', '\\/') };
};

const reversedFields: Wrap = changeJson((json) => {
  const reverse = (value: unknown): never => value as never;
  const turn = (value: typeof json): typeof json =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).reverse())
      : Array.isArray(value)
        ? value.map(turn)
        : reverse(value);
  return turn(json);
});

/** Refuses an unknown path with a page of its own, as a router before the service would. */
const routerPage: Wrap = (handle) => (request, now) => {
  const isNumber = /^\/v1\/pets(\/-?\d+)?(\?|$)/.test(request.target);
  const answer = handle(request, now);
  if (isNumber || answer.status === 401) return answer;
  return { status: 404, headers: { ...answer.headers, 'Content-Type': 'text/html' }, body: '<h1>Not Found</h1>' };
};

/** Answers malformed paths before the service does, without its headers. */
const bareGateway: Wrap = (handle) => (request, now) => {
  const isMalformed = /%(00|E0%A4%A)?$/.test(request.target.split('?')[0] ?? '');
  return isMalformed ? { status: 400, headers: {}, body: 'Bad Request' } : handle(request, now);
};

/** The 201 repeats what was sent; only reads tell the status that was given to an animal without one. */
const echoesCreation: Wrap = changeJson((json, { operation, request }, { status }) => {
  const sent = new TextDecoder().decode(request.body);
  if (operation !== 'createPet' || status !== 201 || !isJsonObject(json) || sent.includes('"status"')) return undefined;
  const { status: _status, ...rest } = json;
  return rest;
});

/** Refuses more than 60 requests a minute from an address without a valid key. */
const refusesAddresses: Wrap = (handle) => {
  let count = 0;
  let minute = 0;
  return (request, now) => {
    const answer = handle(request, now);
    if (answer.status !== 401) return answer;
    const at = Math.floor(now / 60_000);
    count = at === minute ? count + 1 : 1;
    minute = at;
    const told = withHeader(answer, 'X-RateLimit-Remaining', String(Math.max(0, 60 - count)));
    return count <= 60
      ? told
      : { ...withHeader(told, 'Retry-After', String(60 - (Math.floor(now / 1000) % 60))), status: 429 };
  };
};

/** Takes no body that is larger than so many bytes. */
function smallBodies(most: number): Wrap {
  return (handle) => (request, now) => {
    const { isAuthorized } = readCall(request, now);
    if (!isAuthorized || request.body.length <= most) return handle(request, now);
    const answer = handle({ ...request, body: new Uint8Array() }, now);
    return { ...answer, status: 413, body: '{"code":"too_large","message":"Too large.","status":413}' };
  };
}

/** Loses the connection instead of the third 201, whose animal is plain. */
const losesAnAnswer: Wrap = (handle) => {
  let created = 0;
  return changeAnswer((answer) => {
    if (answer.status !== 201) return undefined;
    created += 1;
    if (created === 3) throw new TransportError('broken', 'the connection broke off');
    return undefined;
  })(handle);
};

/** Stores long names so slowly that no client waits for the answer. */
const stallsOnLongNames: Wrap = changeAnswer((answer, { request }) => {
  if (answer.status === 201 && request.body.length > 4_000) throw new TransportError('timeout', 'no answer in time');
  return undefined;
});

/** Ids that tell a time in their upper bits: far from zero, and far from each other. */
const snowflakeIds: Wrap = (handle) => {
  const offset = 2n ** 60n + 5n;
  const shown = changeAnimals(mapField('id', (id) => (typeof id === 'bigint' ? offset + (id << 40n) : id)));
  const asked = changeRequest((request, { operation }) => {
    const segment = request.target.slice('/v1/pets/'.length);
    if (operation !== 'getPet' || !/^\d+$/.test(segment)) return request;
    const id = BigInt(segment) - offset;
    const isOne = id > 0n && BigInt.asUintN(40, id) === 0n;
    return withTarget(request, `/v1/pets/${isOne ? id >> 40n : 0n}`);
  });
  return asked(shown(handle));
};

function isAllowedLimit(limit: string | null): boolean {
  return limit === null || /^([1-9]\d?|100)$/.test(limit);
}

/** Others have animals whose ids are the ends and turns of integers; full pages show others. */
const othersAtTheEnds: Wrap = changeAnswer((answer, { operation, request }) => {
  const id = /^\/v1\/pets\/(0|-1|9007199254740993|-?92233720368547758\d\d)$/.exec(request.target)?.[1];
  if (operation !== 'getPet' || answer.status !== 404 || id === undefined || !isInt64(BigInt(id))) return undefined;
  return { ...answer, status: 200, body: writeJson({ id: BigInt(id), name: 'Rex', categoryId: 1n }) };
});

/** Other clients remove their twelve animals one by one, by an operation that is not shown. */
const othersVanish: Wrap = (handle) => {
  let requests = 0;
  const isGone = (id: JsonValue | undefined): boolean =>
    typeof id === 'bigint' && id <= BigInt(Math.min(12, Math.floor(requests / 10)));
  const whole = changeRequest((request, { operation, query }) => {
    if (operation === 'listPets' && isAllowedLimit(query.get('limit'))) query.set('limit', '100');
    return operation === 'listPets' ? withTarget(request, `/v1/pets?${query}`) : request;
  });
  return (request, now) => {
    requests += 1;
    const { operation, query } = readCall(request, now);
    const id = /^\/v1\/pets\/(\d{1,2})$/.exec(request.target)?.[1];
    const isRead = operation === 'getPet' && id !== undefined && isGone(BigInt(id));
    const unlisted = changeJson((json, _call, { status }) =>
      status === 200 && Array.isArray(json)
        ? json.filter((entry) => isJsonObject(entry) && !isGone(entry['id'])).slice(0, Number(query.get('limit') ?? 20))
        : undefined,
    );
    return unlisted(whole(handle))(isRead ? withTarget(request, '/v1/pets/-1') : request, now);
  };
};

/** Errors carry a field that is nested more deeply than a careful reader goes. */
const nestsDeeply: Wrap = changeAnswer((answer) =>
  answer.status === 404 || answer.status === 400
    ? { ...answer, body: answer.body.replace(/}$/, `,"trace":${'['.repeat(20_000)}${']'.repeat(20_000)}}`) }
    : undefined,
);

/** Has no more than the three operations. */
const notImplemented: Wrap = changeAnswer((answer, { operation, isAuthorized }) =>
  operation === 'other' && isAuthorized ? errorAnswer(501, answer) : undefined,
);

/** Answers a limit that is not allowed as if nothing had been asked. */
const dropsStrangeQueries: Wrap = changeRequest((request, { operation, query }) =>
  operation === 'listPets' && !isAllowedLimit(query.get('limit')) ? withTarget(request, '/v1/pets') : request,
);

function isLimitKey(request: StoreRequest): boolean {
  return headerOf(request, 'authorization') === `Bearer ${limitKey}`;
}

/** Five requests are left of the day, of which the headers say nothing. */
const spentDay: Wrap = (handle) => {
  let count = 0;
  return (request, now) => {
    const answer = handle(request, now);
    if (!isLimitKey(request)) return answer;
    count += 1;
    return count <= 5 ? answer : withHeader(errorAnswer(429, answer), 'Retry-After', '36000');
  };
};

/** Others have used up each new minute of the rate-limit key before it is asked with. */
const heavyUse: Wrap = (handle) => {
  let minute: number | undefined;
  return (request, now) => {
    const at = Math.floor(now / 60_000);
    const isLater = isLimitKey(request) && minute !== undefined && at > minute;
    for (let others = 0; isLater && others < 8; others += 1) handle(request, now);
    const answer = handle(request, now);
    if (isLimitKey(request) && answer.status === 429) minute ??= at;
    return answer;
  };
};

function withDate(answer: StoreResponse, time: number): StoreResponse {
  return withHeader(answer, 'Date', new Date(time).toUTCString());
}

/** A window that slides over what the same client sent before the run, with a reset that is always a minute ahead. */
const usedBefore: Wrap = (handle) => {
  let hasBegun = false;
  const told = changeAnswer((answer, { now }) =>
    withHeader(answer, 'X-RateLimit-Reset', String(Math.round(now / 1000) + 60)),
  );
  return (request, now) => {
    const earlier = withKey({ ...request, method: 'GET', target: '/v1/pets?limit=1', body: new Uint8Array() });
    for (let ago = 59_900; ago > 0 && !hasBegun; ago -= 100) handle(earlier, now - ago);
    hasBegun = true;
    return told(handle)(request, now);
  };
};

/** Says when to come back in another form of dates. */
function retryAfter(write: (date: Date) => string): Wrap {
  return changeAnswer((answer, { now }) => {
    const seconds = Number(answer.headers['Retry-After']);
    const date = new Date(now + seconds * 1_000);
    return answer.status === 429 ? withHeader(answer, 'Retry-After', write(date)) : undefined;
  });
}

function rfc850(date: Date): string {
  const [, day = '', month = '', year = '', time = ''] = date.toUTCString().split(/,? /);
  const weekday = date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
}

function asctime(date: Date): string {
  const [weekday, day = '', month, year, time] = date.toUTCString().split(/,? /);
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
}

/** Refuses control characters in names, as many do, and takes all else. */
const noControls: Wrap = (handle) => (request, now) => {
  const reading = readJson(new TextDecoder().decode(request.body));
  const name = 'value' in reading && isJsonObject(reading.value) ? reading.value['name'] : undefined;
  const hasControls = typeof name === 'string' && /[\x00-\x1f]/.test(name);
  return handle(hasControls ? withBody(request, '{}') : request, now);
};

/** Knows only categories up to 2^31. */
const smallCategories: Wrap = (handle) => (request, now) => {
  const reading = readJson(new TextDecoder().decode(request.body));
  const category = 'value' in reading && isJsonObject(reading.value) ? reading.value['categoryId'] : undefined;
  const isLarge = typeof category === 'bigint' && (category >= 2n ** 31n || category < 1n);
  return handle(isLarge ? withBody(request, '{}') : request, now);
};

/** Takes application/json without parameters only. */
const refusesEncodings: Wrap = changeAnswer((answer, { operation, request, isAuthorized }) =>
  operation === 'createPet' && isAuthorized && /;/.test(headerOf(request, 'content-type') ?? '')
    ? errorAnswer(415, answer)
    : undefined,
);

/** Keeps no half of a character, as every encoding of text does. */
const replacesHalves: Wrap = changeRequest((request) =>
  withBody(request, new TextDecoder().decode(request.body).replaceAll('\\ud83e', '\ufffd')),
);

/** Refuses parameters that are given twice. */
const refusesRepeated: Wrap = changeAnswer((answer, { operation, query, isAuthorized }) =>
  operation === 'listPets' && isAuthorized && new Set(query.keys()).size < query.size
    ? errorAnswer(400, answer)
    : undefined,
);

/** Takes the last of parameters that are given twice. */
const takesTheLast: Wrap = changeRequest((request, { operation, query }) =>
  operation === 'listPets' && query.size > 0
    ? withTarget(request, `/v1/pets?${new URLSearchParams(Object.fromEntries(query))}`)
    : request,
);
/** Answers targets with a control before the service does, without its headers. */
const gatewayForQueries: Wrap = (handle) => (request, now) =>
  /%00/.test(request.target) ? { status: 400, headers: {}, body: 'Bad Request' } : handle(request, now);

const byGap: readonly Variant[] = Object.entries(gapChoices).flatMap(([gap, answers]) =>
  answers.map((answer) => ({ id: `${gap}=${answer}`, gaps: { [gap]: answer } as Partial<GapChoices> })),
);

const byCircumstance: readonly Variant[] = [
  { id: 'ten-animals', animals: manyAnimals(10) },
  { id: 'thirty-animals', animals: manyAnimals(30) },
  { id: 'ninety-five-animals', animals: manyAnimals(95) },
  { id: 'thousand-animals', animals: manyAnimals(1_000) },
  { id: 'thousand-animals-newest-first', animals: manyAnimals(1_000), gaps: { 'list-order': 'newest-first' } },
  { id: 'thousand-animals-shuffled', animals: manyAnimals(1_000), gaps: { 'list-order': 'shuffled' } },
  {
    id: 'thousand-animals-with-large-ids-newest-first',
    animals: manyAnimals(1_000),
    gaps: { 'list-order': 'newest-first', 'id-form': 'large' },
  },
  {
    id: 'thousand-animals-with-large-ids-shuffled',
    animals: manyAnimals(1_000),
    gaps: { 'list-order': 'shuffled', 'id-form': 'large' },
  },
  { id: 'echoes-creation', wrap: echoesCreation },
  { id: 'refuses-addresses', wrap: refusesAddresses },
  { id: 'bare-gateway', wrap: bareGateway },
  { id: 'busy', wrap: busy },
  { id: 'busy-near-the-default-page', wrap: busy, animals: manyAnimals(12) },
  { id: 'busy-near-the-largest-page', wrap: busy, animals: manyAnimals(85) },
  { id: 'busy-and-shuffled', wrap: busy, animals: manyAnimals(40), gaps: { 'list-order': 'shuffled' } },
  { id: 'shared-key', wrap: sharedKey },
  { id: 'slow', latencyMs: 900 },
  { id: 'very-slow', latencyMs: 4_000 },
  { id: 'clock-ahead', skewMs: 3_600_000 },
  { id: 'clock-behind', skewMs: -7_200_000 },
  { id: 'free-plan-numbers', perMinute: 60 },
  { id: 'free-plan-numbers-slow', perMinute: 60, latencyMs: 700 },
  { id: 'free-plan-numbers-sliding', perMinute: 60, latencyMs: 300, gaps: { 'rate-limit-window': 'sliding' } },
  { id: 'free-plan-numbers-of-the-day', perMinute: 60, gaps: { 'rate-limit-window': 'day' } },
  { id: 'bucket', wrap: bucket(1_000), showsOtherLimits: true },
  { id: 'bucket-slow', wrap: bucket(1_000), latencyMs: 200, showsOtherLimits: true },
  { id: 'bucket-slower', wrap: bucket(300), latencyMs: 450, showsOtherLimits: true },
  { id: 'bucket-tiny-latency', wrap: bucket(1_000), latencyMs: 40, showsOtherLimits: true },
  { id: 'reset-from-now', wrap: resetFromNow, latencyMs: 120 },
  { id: 'counts-success-only', wrap: countsSuccessOnly },
  { id: 'lower-case-headers', wrap: lowerCaseHeaders },
  { id: 'pretty-json', wrap: prettyJson },
  { id: 'escaped-json', wrap: escapedJson },
  { id: 'reversed-fields', wrap: reversedFields },
  { id: 'router-page', wrap: routerPage },
  { id: 'small-bodies', wrap: smallBodies(4_096) },
  { id: 'very-small-bodies', wrap: smallBodies(256) },
  { id: 'unique-names-and-a-lost-answer', wrap: losesAnAnswer, gaps: { 'duplicate-names': 'refused-400' } },
  { id: 'long-names-take-too-long', wrap: stallsOnLongNames },
  { id: 'ids-far-apart', wrap: snowflakeIds },
  {
    id: 'ids-of-others-at-the-ends',
    wrap: othersAtTheEnds,
    animals: manyAnimals(1_000),
    gaps: { 'list-order': 'newest-first' },
  },
  { id: 'animals-of-others-vanish', wrap: othersVanish, animals: manyAnimals(12) },
  { id: 'deeply-nested-fields', wrap: nestsDeeply },
  { id: 'unknown-paths-not-implemented', wrap: notImplemented },
  { id: 'strange-limit-drops-the-filter', wrap: dropsStrangeQueries },
  { id: 'day-spent-behind-headers-of-the-minute', wrap: spentDay },
  { id: 'limit-key-in-heavy-use', wrap: heavyUse },
  { id: 'date-of-a-gateway', wrap: changeAnswer((answer, { now }) => withDate(answer, now + 3_600_000)) },
  {
    id: 'date-of-the-answer',
    wrap: changeAnswer((answer, { now }) => withDate(answer, now + 8_000)),
    latencyMs: 8_000,
  },
  { id: 'no-date', hasNoDate: true },
  {
    id: 'no-date-and-dates-to-retry',
    hasNoDate: true,
    skewMs: -60_000,
    gaps: { 'retry-after-form': 'http-date' },
  },
  {
    id: 'key-used-before-sliding',
    wrap: usedBefore,
    latencyMs: 200,
    gaps: { 'rate-limit-window': 'sliding' },
  },
  { id: 'retry-after-of-rfc-850', wrap: retryAfter(rfc850) },
  { id: 'retry-after-of-asctime', wrap: retryAfter(asctime) },
  { id: 'no-controls', wrap: noControls },
  { id: 'no-encodings', wrap: refusesEncodings },
  { id: 'no-halves-of-characters', wrap: replacesHalves },
  { id: 'no-parameters-twice', wrap: refusesRepeated },
  { id: 'last-of-parameters-given-twice', wrap: takesTheLast },
  { id: 'gateway-for-queries', wrap: gatewayForQueries },
  { id: 'small-categories', wrap: smallCategories },
  { id: 'small-categories-and-no-controls', wrap: (handle) => noControls(smallCategories(handle)) },
];

/** Every answer of every gap, and every circumstance. */
export const variants: readonly Variant[] = [...byGap, ...byCircumstance];

/** The server of a variant; `seed` draws what it draws. */
export function handleOf(variant: Variant, seed = 1): Handle {
  const store = createPetStore({
    keys: [
      { key: apiKey, plan: 'business', ...(variant.perMinute === undefined ? {} : { perMinute: variant.perMinute }) },
      { key: limitKey, plan: 'enterprise', perMinute: 8, perDay: 1_000 },
    ],
    random: seededRandom(seed),
    ...(variant.gaps === undefined ? {} : { gaps: variant.gaps }),
    ...(variant.animals === undefined ? {} : { animals: variant.animals }),
  });
  return (variant.wrap ?? ((handle: Handle) => handle))(store.handle);
}
