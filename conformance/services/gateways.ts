/** What may stand before any service: caches, gateways and networks that fail now and then, and such as refuse. */

import { readHeader, type StoreRequest, type StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import { largeBudget } from '../world/settings.ts';
import { cache } from './pages.ts';
import { servicesOf } from './service.ts';
import { readCall, type Wrap } from './wraps.ts';

/** The answer of a gateway that does not reach the service; undefined where the connection breaks instead. */
type GatewayAnswer = StoreResponse | undefined;
/** The page of nginx. */
const page = (status: number): StoreResponse => ({
  status,
  headers: { 'Content-Type': 'text/html', Server: 'nginx' },
  body: `<html><head><title>${status}</title></head><body><center>nginx</center></body></html>`,
});
const plain = { 'Content-Type': 'text/plain', 'Retry-After': '120' };
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

/** The connection breaks where there is no answer. */
function answerOrBreak(answer: GatewayAnswer): StoreResponse {
  if (answer === undefined) throw new BrokenConnection();
  return answer;
}

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
      return answerOrBreak(answer);
    };
  };

/** Refuses what it takes for an attack or for too large, with a page and headers of its own. */
const refusing =
  (answer: GatewayAnswer, matches: (request: StoreRequest) => boolean): Wrap =>
  (handle) =>
  (request, now) =>
    matches(request) ? answerOrBreak(answer) : handle(request, now);

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
const isLonger =
  (bytes: number) =>
  ({ body }: StoreRequest): boolean =>
    body.length > bytes;

const later = { visibility: 'later' } as const;
const carriedOut = failing(json, everyNth(4), 'service');
const uniqueNames = { 'duplicate-names': 'refused-400', 'known-categories': 'refused-400' } as const;
const bursts = { 'too-many-requests-body': ['empty', 'error'] } as const;

export const gatewayServices = servicesOf({
  'firewall-answers-403': ['ModSecurity', { wrap: refusing(page(403), looksLikeAttack), settings: largeBudget }],
  'gateway-refuses-1000-bytes': ['nginx', { wrap: refusing(page(413), isLonger(1_000)), settings: largeBudget }],
  'gateway-refuses-long-keys': ['nginx', { wrap: refusing(page(431), hasLongKey), settings: largeBudget }],
  'large-bodies-break-off': ['Tomcat: maxSwallowSize', refusing(broken, isLonger(4_096))],
  'gateway-limits-bursts': ['nginx: limit_req', limitsBursts, bursts],
  'cache-of-2-s': ['nginx: microcaching', cache(2_000), later],
  'cache-of-30-s': ['nginx: proxy_cache', cache(30_000), later],
  'cache-of-2-s-with-age': ['Varnish with grace', cache(2_000, { traits: ['age', 'grace'] }), later],
  'cache-of-30-s-with-age': ['Fastly, CloudFront', cache(30_000, { traits: ['age'] }), later],
  'cache-of-5-s-with-its-headers': ['Django: the cache per site', cache(5_000, { traits: ['headers'] }), later],
  'outage-one-second-in-seven': ['a pod that restarts', failing(page(502), oneSecondInSeven)],
  'outage-ten-seconds-once-with-retry-after': ['a deployment', failing(busy, between(300, 10_300))],
  'outage-ten-seconds-at-the-start': ['a deployment before the run', failing(page(502), between(0, 10_000))],
  'outage-every-fourth': ['one of four pods that is down', failing(page(502), everyNth(4))],
  'outage-every-fourth-that-is-carried-out': ['API Gateway of AWS: timeouts', carriedOut],
  // A creation that is sent again is refused for the name that it has stored.
  'outage-every-fourth-that-is-carried-out-where-names-are-unique': [
    'API Gateway of AWS: timeouts',
    { wrap: carriedOut, gaps: uniqueNames },
  ],
  'outage-every-seventh-with-eight-at-a-time': [
    'a load balancer that keeps dead connections',
    { wrap: failing(broken, everyNth(7)), settings: { concurrency: 8 } },
  ],
  // It answers everything in place of the service.
  'outage-ban-of-twenty-seconds': ['a firewall that bans clients', failing(page(403), between(90, 20_090))],
  'outage-that-lasts': ['nginx', { wrap: failing(page(502), between(100)), exitCode: 3 }],
  'outage-that-lasts-from-the-start': ['Cloudflare', { wrap: failing(page(521), between(0)), exitCode: 3 }],
});
