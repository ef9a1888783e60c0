/** Variants: servers that make other legal choices. No run may ever fail one. */

import {
  createPetStore,
  gapChoices,
  type Handle,
  type NewPet,
  type PetStatus,
  type StoreRequest,
} from '../../reference-server/index.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { isJsonObject, readJson, writeJson } from '../json.ts';
import { seededRandom } from '../session.ts';
import {
  apiKey,
  changeAnswer,
  changeJson,
  headerOf,
  limitKey,
  readCall,
  type Wrap,
  withBody,
  withHeader,
  withKey,
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

/** Takes no body that is larger than 2 KiB. */
const smallBodies: Wrap = (handle) => (request, now) => {
  const { isAuthorized } = readCall(request, now);
  if (!isAuthorized || request.body.length <= 4_096) return handle(request, now);
  const answer = handle({ ...request, body: new Uint8Array() }, now);
  return { ...answer, status: 413, body: '{"code":"too_large","message":"Too large.","status":413}' };
};

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
  { id: 'small-bodies', wrap: smallBodies },
  { id: 'no-controls', wrap: noControls },
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
