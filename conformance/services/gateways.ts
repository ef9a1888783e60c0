/** Services behind caches, behind gateways that refuse requests, and behind gateways and networks that fail now and then. */

import { readHeader, type StoreRequest, type StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import { largeBudget } from '../world/settings.ts';
import { cache } from './pages.ts';
import { servicesOf } from './service.ts';
import { readCall, type Wrap } from './wraps.ts';

/** Answers in place of the service, or throws if the connection breaks. */
type GatewayAnswer = () => StoreResponse;
/** The page of nginx. */
const gatewayPage =
  (status: number): GatewayAnswer =>
  () => ({
    status,
    headers: { 'Content-Type': 'text/html', Server: 'nginx' },
    body: `<html><head><title>${status}</title></head><body><center>nginx</center></body></html>`,
  });
const plain = { 'Content-Type': 'text/plain', 'Retry-After': '120' };
const serviceBusy: GatewayAnswer = () => ({ status: 503, headers: plain, body: 'busy' });
/** Of the API gateway of AWS. */
const json: GatewayAnswer = () => ({
  status: 504,
  headers: { 'Content-Type': 'application/json' },
  body: '{"message":"timeout"}',
});
const breakConnection: GatewayAnswer = () => {
  throw new BrokenConnection();
};

/** Whether a gateway answers, by the milliseconds since the first request, the number of requests, and the request. */
type Answers = (elapsedMs: number, count: number, request: StoreRequest) => boolean;
const between =
  (fromMs: number, toMs = Number.POSITIVE_INFINITY): Answers =>
  (elapsedMs) =>
    elapsedMs >= fromMs && elapsedMs < toMs;
const everyNth =
  (n: number): Answers =>
  (_elapsedMs, count) =>
    count % n === 0;
/** Down for a second in every seven, from the first second on. */
const oneSecondInSeven: Answers = (elapsedMs) => elapsedMs % 7_000 < 1_000;
const looksLikeAttack: Answers = (_elapsedMs, _count, { body }) =>
  /<\w+[ >]|\.\.\/|\$\{|\{\{|\0|\\u0000|' or /i.test(new TextDecoder().decode(body));
const hasLongKey: Answers = (_elapsedMs, _count, request) => readHeader(request, 'authorization').length > 512;
const isLarge: Answers = (_elapsedMs, _count, { body }) => body.length > 4_096;

/** A gateway that answers at times. With `reaches`, the service carries the request out, and its answer is lost. */
const gateway =
  (answer: GatewayAnswer, answers: Answers, reaches: 'nothing' | 'service' = 'nothing'): Wrap =>
  (handle) => {
    let first: number | undefined;
    let count = 0;
    return (request, now) => {
      first ??= now;
      count += 1;
      if (!answers(now - first, count, request)) return handle(request, now);
      if (reaches === 'service') handle(request, now);
      return answer();
    };
  };

/** Refuses more than forty requests of a key within two seconds; `headersOf` gives the headers of a 429. */
export const limitsBursts =
  (headersOf: (now: number, endsAt: number) => StoreResponse['headers']): Wrap =>
  (handle, keys) => {
    const lengthMs = 2_000;
    let endsAt = 0;
    let count = 0;
    return (request, now) => {
      if (readCall(request, now, keys).key !== 'api') return handle(request, now);
      if (now >= endsAt) {
        endsAt = (Math.floor(now / lengthMs) + 1) * lengthMs;
        count = 0;
      }
      count += 1;
      return count <= 40 ? handle(request, now) : { status: 429, headers: headersOf(now, endsAt), body: '' };
    };
  };
/** The headers of §8 on the 429 of a burst. */
const headersOfBurst = (now: number, endsAt: number) => ({
  'X-RateLimit-Limit': '40',
  'X-RateLimit-Remaining': '0',
  'X-RateLimit-Reset': String(Math.ceil(endsAt / 1000)),
  'Retry-After': String(Math.ceil((endsAt - now) / 1000)),
});

const listedLater = { visibility: 'later' } as const;
const bursts = { 'too-many-requests-body': ['empty', 'error'] } as const;

export const gatewayServices = servicesOf({
  'firewall-answers-403': ['ModSecurity', { wrap: gateway(gatewayPage(403), looksLikeAttack), settings: largeBudget }],
  'gateway-refuses-long-keys': ['nginx', { wrap: gateway(gatewayPage(431), hasLongKey), settings: largeBudget }],
  'large-bodies-break-off': ['Tomcat: maxSwallowSize', gateway(breakConnection, isLarge)],
  'gateway-limits-bursts': ['Kong: rate-limiting by the second', limitsBursts(headersOfBurst), bursts],
  'cache-of-2-s': ['nginx: microcaching', cache(2_000), listedLater],
  'cache-of-30-s': ['nginx: proxy_cache', cache(30_000), listedLater],
  'cache-of-30-s-with-age': ['Fastly, CloudFront', cache(30_000, { traits: ['age'] }), listedLater],
  'cache-of-5-s-with-its-headers': ['Django: the cache per site', cache(5_000, { traits: ['headers'] }), listedLater],
  'outage-one-second-in-seven': ['a pod that restarts', gateway(gatewayPage(502), oneSecondInSeven)],
  'outage-ten-seconds-once-with-retry-after': ['a deployment', gateway(serviceBusy, between(300, 10_300))],
  'outage-ten-seconds-at-the-start': ['a deployment before the run', gateway(gatewayPage(502), between(0, 10_000))],
  'outage-every-fourth': ['one of four pods that is down', gateway(gatewayPage(502), everyNth(4))],
  'outage-every-fourth-that-is-carried-out': ['API Gateway of AWS: timeouts', gateway(json, everyNth(4), 'service')],
  'outage-every-seventh-with-eight-at-a-time': [
    'a load balancer that keeps dead connections',
    { wrap: gateway(breakConnection, everyNth(7)), settings: { concurrency: 8 } },
  ],
  // The firewall answers everything in place of the service: nothing more can be judged.
  'ban-by-a-firewall': ['Fail2Ban, Cloudflare', { wrap: gateway(gatewayPage(403), between(90)), exitCode: 3 }],
  'outage-that-lasts': ['nginx', { wrap: gateway(gatewayPage(502), between(100)), exitCode: 3 }],
  'outage-that-lasts-from-the-start': ['Cloudflare', { wrap: gateway(gatewayPage(521), between(0)), exitCode: 3 }],
});
