/** Services behind gateways and networks that fail now and then: an outage says nothing about the service. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection } from '../../reference-server/twin/wraps.ts';
import { seededRandom } from '../../spec/random.ts';
import type { Service } from './service.ts';
import { readCall, type Wrap } from './wraps.ts';

/** The answer of a gateway that does not reach the service; undefined where the connection breaks instead. */
type GatewayAnswer = StoreResponse | undefined;

const page = '<html><head><title>502 Bad Gateway</title></head><body><center>nginx</center></body></html>';
const htmlPage: StoreResponse = { status: 502, headers: { 'Content-Type': 'text/html', Server: 'nginx' }, body: page };
const plain: GatewayAnswer = { status: 503, headers: { 'Content-Type': 'text/plain' }, body: 'no healthy upstream' };
const withRetryAfter: GatewayAnswer = { ...plain, headers: { ...plain.headers, 'Retry-After': '3' } };
const json: GatewayAnswer = {
  status: 504,
  headers: { 'Content-Type': 'application/json' },
  body: '{"message":"Endpoint request timed out"}',
};
const ofCloudflare: GatewayAnswer = {
  ...htmlPage,
  status: 521,
  headers: { ...htmlPage.headers, Server: 'cloudflare' },
};
const forbidden: GatewayAnswer = { ...htmlPage, status: 403 };
const idle: GatewayAnswer = { ...htmlPage, status: 408 };
const broken: GatewayAnswer = undefined;

/** The facts that decide about an outage: the milliseconds and the requests since the first one, and the kind of request. */
interface Moment {
  readonly elapsedMs: number;
  readonly count: number;
  readonly isCreation: boolean;
}

/** `reaches`: the service carries the request out, and its answer is lost. */
function failing(answer: GatewayAnswer, isDown: (moment: Moment) => boolean, reaches: 'nothing' | 'service'): Wrap {
  return (handle, keys) => {
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
}

function outage(
  id: string,
  answer: GatewayAnswer,
  isDown: () => (moment: Moment) => boolean,
  part: Partial<Service> & { readonly reaches?: 'service' } = {},
): Service {
  const { reaches = 'nothing', ...rest } = part;
  const wrap: Wrap = (handle, keys) => failing(answer, isDown(), reaches)(handle, keys);
  return { id: `outage-${id}`, wrap, ...rest };
}

const between =
  (fromMs: number, toMs: number) =>
  () =>
  ({ elapsedMs }: Moment) =>
    elapsedMs >= fromMs && elapsedMs < toMs;
const everyNth =
  (n: number) =>
  () =>
  ({ count }: Moment) =>
    count % n === 0;
/** Down for a second in every seven, from the first second on. */
const oneSecondInSeven = ({ elapsedMs }: Moment) => elapsedMs % 7_000 < 1_000;
function atRandom(): (moment: Moment) => boolean {
  const random = seededRandom(7);
  return () => random() < 0.25;
}
/** For so long from the n-th creation on. */
const fromCreation = (nth: number, ms: number) => () => {
  let creations = 0;
  let since: number | undefined;
  return ({ elapsedMs, isCreation }: Moment): boolean => {
    creations += isCreation ? 1 : 0;
    if (creations >= nth) since ??= elapsedMs;
    return since !== undefined && elapsedMs < since + ms;
  };
};

/** From the n-th request on, for so long: a firewall bans the client. */
const fromRequest = (nth: number, ms: number) => () => {
  let since: number | undefined;
  return ({ elapsedMs, count }: Moment): boolean => {
    if (count >= nth) since ??= elapsedMs;
    return since !== undefined && elapsedMs < since + ms;
  };
};

const forever = Number.POSITIVE_INFINITY;
const lasting = { exitCode: 3, reason: /out of service/ } as const;

export const outageServices: readonly Service[] = [
  outage('one-second-in-seven', htmlPage, () => oneSecondInSeven),
  outage('one-second-in-seven-broken', broken, () => oneSecondInSeven),
  outage('300-ms-once', plain, between(250, 550)),
  outage('ten-seconds-once-with-retry-after', withRetryAfter, between(300, 10_300)),
  outage('ten-seconds-at-the-start', htmlPage, between(0, 10_000)),
  outage('ten-seconds-during-creations-that-are-stored', json, fromCreation(3, 10_000), { reaches: 'service' }),
  outage('every-fourth', htmlPage, everyNth(4)),
  outage('every-ninth-of-cloudflare', ofCloudflare, everyNth(9)),
  outage('every-fourth-broken', broken, everyNth(4)),
  outage('every-seventh-with-eight-at-a-time', broken, everyNth(7), { settings: { concurrency: 8 } }),
  outage('one-in-four-at-random', plain, atRandom),
  outage('every-ninth-an-idle-connection', idle, everyNth(9)),
  outage('ban-of-twenty-seconds', forbidden, fromRequest(30, 20_000)),
  outage('ban-from-request-58-on', forbidden, fromRequest(58, forever), lasting),
  outage('that-lasts', htmlPage, between(100, forever), lasting),
  outage('that-lasts-broken', broken, between(100, forever), lasting),
  outage('that-lasts-from-the-start', htmlPage, between(0, forever), lasting),
];
