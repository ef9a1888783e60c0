/** Services behind gateways and networks that fail now and then: an outage says nothing about the service. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import type { Service } from './service.ts';
import { readCall, type Wrap } from './wraps.ts';

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

/** The facts that decide about an outage: the milliseconds and the requests since the first one, and the kind of request. */
interface Moment {
  readonly elapsedMs: number;
  readonly count: number;
  readonly isCreation: boolean;
}
/** Decides whether the gateway is down; made anew for each server. */
type Downtime = () => (moment: Moment) => boolean;

const between =
  (fromMs: number, toMs = Number.POSITIVE_INFINITY): Downtime =>
  () =>
  ({ elapsedMs }) =>
    elapsedMs >= fromMs && elapsedMs < toMs;
const everyNth =
  (n: number): Downtime =>
  () =>
  ({ count }) =>
    count % n === 0;
/** Down for a second in every seven, from the first second on. */
const oneSecondInSeven: Downtime =
  () =>
  ({ elapsedMs }) =>
    elapsedMs % 7_000 < 1_000;
/** For so long from the n-th request on, or from the n-th creation. */
const fromThe =
  (nth: number, ms: number, counts: (moment: Moment) => boolean = () => true): Downtime =>
  () => {
    let count = 0;
    let since: number | undefined;
    return (moment) => {
      count += counts(moment) ? 1 : 0;
      if (count >= nth) since ??= moment.elapsedMs;
      return since !== undefined && moment.elapsedMs < since + ms;
    };
  };

/** `reaches`: the service carries the request out, and its answer is lost. */
const failing =
  (answer: GatewayAnswer, downtime: Downtime, reaches: 'nothing' | 'service' = 'nothing'): Wrap =>
  (handle, keys) => {
    const isDown = downtime();
    let first: number | undefined;
    let count = 0;
    return (request, now) => {
      first ??= now;
      count += 1;
      const isCreation = readCall(request, now, keys).operation === 'createPet';
      if (!isDown({ elapsedMs: now - first, count, isCreation })) return handle(request, now);
      if (reaches === 'service') handle(request, now);
      if (answer === undefined) throw new BrokenConnection();
      return answer;
    };
  };

const isCreation = (moment: Moment): boolean => moment.isCreation;
const outages: Readonly<Record<string, readonly [wrap: Wrap, rest?: Partial<Service>]>> = {
  'one-second-in-seven': [failing(page(502), oneSecondInSeven)],
  'one-second-in-seven-broken': [failing(broken, oneSecondInSeven)],
  'ten-seconds-once-with-retry-after': [failing(busy, between(300, 10_300))],
  'ten-seconds-at-the-start': [failing(page(502), between(0, 10_000))],
  'ten-seconds-during-creations-that-are-stored': [failing(json, fromThe(3, 10_000, isCreation), 'service')],
  'every-fourth': [failing(page(502), everyNth(4))],
  'every-fourth-broken': [failing(broken, everyNth(4))],
  'every-ninth-of-cloudflare': [failing(page(521), everyNth(9))],
  'every-seventh-with-eight-at-a-time': [failing(broken, everyNth(7)), { settings: { concurrency: 8 } }],
  // A firewall bans the client.
  'ban-of-twenty-seconds': [failing(page(403), fromThe(30, 20_000))],
  'that-lasts': [failing(page(502), between(100)), { exitCode: 3, reason: /out of service/ }],
  'that-lasts-from-the-start': [failing(page(502), between(0)), { exitCode: 3, reason: /out of service/ }],
};

export const outageServices: readonly Service[] = Object.entries(outages).map(([id, [wrap, rest]]) => ({
  id: `outage-${id}`,
  wrap,
  ...rest,
}));
