/** What may stand before any service: caches, gateways and networks that fail now and then, and such as refuse. */

import { readHeader, type StoreRequest, type StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import { largeBudget } from '../world/settings.ts';
import { cache } from './pages.ts';
import { type Service, servicesOf } from './service.ts';
import { readCall, type Wrap } from './wraps.ts';

const later = { visibility: 'later' } as const;
const caches = servicesOf(
  {
    '2-s': [cache(2_000), later],
    '10-s': [cache(10_000), later],
    '30-s': [cache(30_000), later],
    '2-s-with-age': [cache(2_000, { traits: ['age', 'grace'] }), later],
    '30-s-with-age': [cache(30_000, { traits: ['age'] }), later],
    '5-s-with-its-headers': [cache(5_000, { traits: ['headers'] }), later],
  },
  'cache-of-',
);

/** The answer of a gateway that does not reach the service; undefined where the connection breaks instead. */
type GatewayAnswer = StoreResponse | undefined;
/** The page of nginx. */
const page = (status: number): StoreResponse => ({
  status,
  headers: { 'Content-Type': 'text/html', Server: 'nginx' },
  body: `<html><head><title>${status}</title></head><body><center>nginx</center></body></html>`,
});
const plain = { 'Content-Type': 'text/plain', 'Retry-After': '3' };
const busy: GatewayAnswer = { status: 503, headers: plain, body: 'busy' };
/** Of the API gateway of AWS. */
const json: GatewayAnswer = {
  status: 504,
  headers: { 'Content-Type': 'application/json' },
  body: '{"message":"timeout"}',
};
const broken: GatewayAnswer = undefined;

/** Whether a gateway is down, by the milliseconds since the first request and the number of requests. */
type IsDown = (elapsedMs: number, count: number) => boolean;
const between =
  (fromMs: number, toMs = Number.POSITIVE_INFINITY): IsDown =>
  (elapsedMs) =>
    elapsedMs >= fromMs && elapsedMs < toMs;
const everyNth =
  (n: number): IsDown =>
  (_elapsedMs, count) =>
    count % n === 0;
/** Down for a second in every seven, from the first second on. */
const oneSecondInSeven: IsDown = (elapsedMs) => elapsedMs % 7_000 < 1_000;

/** A gateway that is down at times. With `reaches`, the service carries the request out, and its answer is lost. */
const failing =
  (answer: GatewayAnswer, isDown: IsDown, reaches: 'nothing' | 'service' = 'nothing'): Wrap =>
  (handle) => {
    let [first, count]: [number | undefined, number] = [undefined, 0];
    return (request, now) => {
      first ??= now;
      count += 1;
      if (!isDown(now - first, count)) return handle(request, now);
      if (reaches === 'service') handle(request, now);
      if (answer === undefined) throw new BrokenConnection();
      return answer;
    };
  };

const carriedOut = failing(json, everyNth(4), 'service');
const uniqueNames = { 'duplicate-names': 'refused-400', 'known-categories': 'refused-400' } as const;
const outages = servicesOf(
  {
    'one-second-in-seven': [failing(page(502), oneSecondInSeven)],
    'one-second-in-seven-broken': [failing(broken, oneSecondInSeven)],
    'ten-seconds-once-with-retry-after': [failing(busy, between(300, 10_300))],
    'ten-seconds-at-the-start': [failing(page(502), between(0, 10_000))],
    'every-fourth': [failing(page(502), everyNth(4))],
    'every-fourth-that-is-carried-out': [carriedOut],
    // A creation that is sent again is refused for the name that it has stored.
    'every-fourth-that-is-carried-out-where-names-are-unique': [{ wrap: carriedOut, gaps: uniqueNames }],
    'every-seventh-with-eight-at-a-time': [{ wrap: failing(broken, everyNth(7)), settings: { concurrency: 8 } }],
    // A firewall bans the client, and answers everything in place of the service.
    'ban-of-twenty-seconds': [failing(page(403), between(90, 20_090))],
    'that-lasts': [{ wrap: failing(page(502), between(100)), exitCode: 3 }],
    // Of Cloudflare.
    'that-lasts-from-the-start': [{ wrap: failing(page(521), between(0)), exitCode: 3 }],
  },
  'outage-',
);

/** Refuses what it takes for an attack or for too large, with a page and headers of its own. */
const refusing = (status: number, matches: (request: StoreRequest) => boolean) => {
  const wrap: Wrap = (handle) => (request, now) => (matches(request) ? page(status) : handle(request, now));
  return [{ wrap, settings: largeBudget }] as const;
};

/** Refuses more than forty requests within two seconds, and says nothing but that. */
const limitsBursts: Wrap = (handle, keys) => {
  let [window, count] = [0, 0];
  return (request, now) => {
    if (readCall(request, now, keys).key !== 'api') return handle(request, now);
    const at = Math.floor(now / 2_000);
    [window, count] = [at, at === window ? count + 1 : 1];
    return count <= 40 ? handle(request, now) : { status: 429, headers: {}, body: '' };
  };
};

const looksLikeAttack = ({ body }: StoreRequest): boolean =>
  /<\w+[ >]|\.\.\/|\$\{|\{\{|\0|\\u0000|' or /i.test(new TextDecoder().decode(body));
const hasLongKey = (request: StoreRequest): boolean => readHeader(request, 'authorization').length > 512;

const refusals = servicesOf({
  // The OWASP rules of ModSecurity.
  'firewall-answers-403': refusing(403, looksLikeAttack),
  'gateway-refuses-1000-bytes': refusing(413, ({ body }) => body.length > 1_000),
  'gateway-refuses-long-keys': refusing(431, hasLongKey),
  // limit_req of nginx.
  'gateway-limits-bursts': [limitsBursts, { 'too-many-requests-body': ['empty', 'error'] }],
});

export const gatewayServices: readonly Service[] = [...refusals, ...caches, ...outages];
