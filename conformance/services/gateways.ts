/** What may stand before any service: caches, gateways and networks that fail now and then, and such as refuse. */

import type { StoreRequest, StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import { largeBudget } from '../world/settings.ts';
import { type Service, servicesOf } from './service.ts';
import { type Call, changeAnswer, hasKey, layers, readCall, requestHeader, type Wrap, withHeader } from './wraps.ts';

interface CacheOptions {
  /** Set where a stale copy is still answered, while a new one is fetched behind it (stale-while-revalidate). */
  readonly hasGrace?: true;
  /** Set where answers say how old they are, and for how long they are fresh. */
  readonly showsAge?: true;
  /** Set where a copy has the headers of the first answer, those of §8 included; else the gateway sets them anew. */
  readonly keepsHeaders?: true;
}

/** A cache that answers GET requests of the interface, of which it keeps those that were served. */
function cache(ttlMs: number, { hasGrace, showsAge, keepsHeaders }: CacheOptions = {}): Wrap {
  return (handle, keys) => {
    const copies = new Map<string, { readonly answer: StoreResponse; readonly storedAt: number }>();
    return changeAnswer((fresh, { operation, request, now }) => {
      if (!['listPets', 'getPet'].includes(operation) || ![200, 404].includes(fresh.status)) return undefined;
      const key = `${request.target} ${requestHeader(request, 'authorization')}`;
      const copy = copies.get(key);
      const isFresh = copy !== undefined && now - copy.storedAt < ttlMs;
      const answered = { answer: withHeader(fresh, 'Date', new Date(now).toUTCString()), storedAt: now };
      if (!isFresh && fresh.status === 200) copies.set(key, answered);
      const { answer: served, storedAt } = copy !== undefined && (isFresh || hasGrace) ? copy : answered;
      const answer = keepsHeaders ? served : { ...fresh, status: served.status, body: served.body };
      const typed = withHeader(answer, 'Content-Type', served.headers['Content-Type']);
      if (!showsAge) return typed;
      const aged = withHeader(typed, 'Age', String(Math.floor((now - storedAt) / 1_000)));
      return withHeader(aged, 'Cache-Control', `max-age=${ttlMs / 1_000}`);
    })(handle, keys);
  };
}

const later = { visibility: 'later' } as const;
const caches = servicesOf(
  {
    '2-s': [cache(2_000), later],
    '10-s': [cache(10_000), later],
    '30-s': [cache(30_000), later],
    '2-s-with-age': [cache(2_000, { showsAge: true, hasGrace: true }), later],
    '30-s-with-age': [cache(30_000, { showsAge: true }), later],
    '10-s-with-grace': [cache(10_000, { hasGrace: true }), later],
    '5-s-with-its-headers': [cache(5_000, { keepsHeaders: true }), later],
  },
  'cache-of-',
);

/** The answer of a gateway that does not reach the service; undefined where the connection breaks instead. */
type GatewayAnswer = StoreResponse | undefined;

const page = (status: number): StoreResponse => ({
  status,
  headers: { 'Content-Type': 'text/html', Server: 'nginx' },
  body: `<html><head><title>${status}</title></head><body><center>nginx</center></body></html>`,
});
const busy: GatewayAnswer = {
  status: 503,
  headers: { 'Content-Type': 'text/plain', 'Retry-After': '3' },
  body: 'no healthy upstream',
};
const json: GatewayAnswer = {
  status: 504,
  headers: { 'Content-Type': 'application/json' },
  body: '{"message":"Endpoint request timed out"}',
};
const broken: GatewayAnswer = undefined;

/** The facts that decide about an outage: the milliseconds and the requests since the first one, and the creations. */
interface Moment {
  readonly elapsedMs: number;
  readonly count: number;
  readonly creations: number;
}
type IsDown = (moment: Moment) => boolean;

const between =
  (fromMs: number, toMs = Number.POSITIVE_INFINITY): IsDown =>
  ({ elapsedMs }) =>
    elapsedMs >= fromMs && elapsedMs < toMs;
const everyNth =
  (n: number): IsDown =>
  ({ count }) =>
    count % n === 0;
/** Down for a second in every seven, from the first second on. */
const oneSecondInSeven: IsDown = ({ elapsedMs }) => elapsedMs % 7_000 < 1_000;

/**
 * A gateway that is down at times, or for so long from the first such moment on. With `reaches`, the service carries the
 * request out, and its answer is lost.
 */
function failing(answer: GatewayAnswer, isDown: IsDown, lastsMs = 0, reaches: 'nothing' | 'service' = 'nothing'): Wrap {
  return (handle, keys) => {
    let [first, since]: (number | undefined)[] = [];
    let [count, creations] = [0, 0];
    return (request, now) => {
      first ??= now;
      count += 1;
      creations += readCall(request, now, keys).operation === 'createPet' ? 1 : 0;
      const isBeginning = isDown({ elapsedMs: now - first, count, creations });
      if (isBeginning) since ??= now;
      const lasts = since !== undefined && now < since + lastsMs;
      if (lastsMs > 0 ? !lasts : !isBeginning) return handle(request, now);
      if (reaches === 'service') handle(request, now);
      if (answer === undefined) throw new BrokenConnection();
      return answer;
    };
  };
}

const lasting = { exitCode: 3, reason: /out of service/ } as const;
const outages = servicesOf(
  {
    'one-second-in-seven': [failing(page(502), oneSecondInSeven)],
    'one-second-in-seven-broken': [failing(broken, oneSecondInSeven)],
    'ten-seconds-once-with-retry-after': [failing(busy, between(300, 10_300))],
    'ten-seconds-at-the-start': [failing(page(502), between(0, 10_000))],
    'ten-seconds-during-creations-that-are-stored': [
      failing(json, ({ creations }) => creations >= 3, 10_000, 'service'),
    ],
    'every-fourth': [failing(page(502), everyNth(4))],
    'every-fourth-broken': [failing(broken, everyNth(4))],
    'every-ninth-of-cloudflare': [failing(page(521), everyNth(9))],
    'every-seventh-with-eight-at-a-time': [failing(broken, everyNth(7)), {}, { settings: { concurrency: 8 } }],
    // A firewall bans the client.
    'ban-of-twenty-seconds': [failing(page(403), ({ count }) => count >= 30, 20_000)],
    'that-lasts': [failing(page(502), between(100)), {}, lasting],
    'that-lasts-from-the-start': [failing(page(502), between(0)), {}, lasting],
  },
  'outage-',
);

/** Refuses what it takes for an attack or for too large, with a page and headers of its own. */
const refusing =
  (status: number, matches: (request: StoreRequest) => boolean): Wrap =>
  (handle) =>
  (request, now) =>
    matches(request) ? page(status) : handle(request, now);

/** Refuses more than so many requests within a time, and says nothing but that. */
const limiting =
  (most: number, lengthMs: number, matches: (call: Call) => boolean): Wrap =>
  (handle, keys) => {
    let [window, count] = [0, 0];
    return (request, now) => {
      if (!matches(readCall(request, now, keys))) return handle(request, now);
      const at = Math.floor(now / lengthMs);
      [window, count] = [at, at === window ? count + 1 : 1];
      return count <= most ? handle(request, now) : { status: 429, headers: {}, body: '' };
    };
  };

const looksLikeAttack = ({ body }: StoreRequest): boolean =>
  /<\w+[ >]|\.\.\/|\$\{|\{\{|\0|\\u0000|' or /i.test(new TextDecoder().decode(body));
const hasLongKey = (request: StoreRequest): boolean => (requestHeader(request, 'authorization') ?? '').length > 512;

const refusals = servicesOf({
  'firewall-answers-403': [refusing(403, looksLikeAttack), {}, { settings: largeBudget }],
  'gateway-refuses-1000-bytes': [refusing(413, ({ body }) => body.length > 1_000), {}, { settings: largeBudget }],
  'gateway-refuses-long-keys': [refusing(431, hasLongKey), {}, { settings: largeBudget }],
  'gateway-limits-requests-without-a-key': [
    limiting(30, 60_000, ({ isAuthorized }) => !isAuthorized),
    { 'too-many-requests-body': ['error', 'empty'] },
  ],
  'gateway-limits-bursts': [
    limiting(40, 2_000, (call) => hasKey(call, 'api')),
    { 'too-many-requests-body': ['empty', 'error'] },
  ],
});

export const gatewayServices: readonly Service[] = [...refusals, ...caches, ...outages];
/** Those that end no run. */
export const gateways = gatewayServices.filter(({ exitCode }) => exitCode === undefined);

/** A combination of two rows: a service behind a gateway. */
export function behind(gateway: Service, service: Service): Service {
  return {
    ...gateway,
    ...service,
    id: `${service.id}-behind-${gateway.id}`,
    wrap: layers(...[gateway.wrap, service.wrap].filter((wrap) => wrap !== undefined)),
    observes: { ...service.observes, ...gateway.observes },
    settings: { ...service.settings, ...gateway.settings },
  };
}
