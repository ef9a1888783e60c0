/** Runs in process; a session on a target with windows and bursts, on a stepped clock; and the time of tests on real sockets. */

import type { Handle } from '../../../reference-server/index.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { runConcurrently } from '../../http/concurrency.ts';
import { noKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { Incoming, Transport } from '../../http/transport.ts';
import { runInProcess, trialSettings } from '../../proof/trial.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import { type RunOptions, runConformance } from '../../run/run.ts';
import { createSession } from '../../run/session.ts';
import type { Time } from '../../run/stop.ts';
import { conformanceSuite } from '../../sections/index.ts';
import { createClock, type SteppedClock } from '../../services/in-process.ts';
import { handleOf, type Service } from '../../services/service.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report, ReportedRequirement } from '../../verdict/report.ts';
import type { Settings } from '../../world/settings.ts';

/** A run against a server in process: its report, all of its exchanges and waits, and what it says of a requirement. */
export async function judged(
  server: Handle | Partial<Service>,
  maxRequests: number,
  changes: Partial<Settings> = {},
  options: Parameters<typeof runInProcess>[2] = {},
) {
  const exchanges: Exchange[] = [];
  const waits: { readonly ms: number; readonly why: string }[] = [];
  const handle = typeof server === 'function' ? server : handleOf({ id: 'server', ...server });
  const report = await runInProcess(handle, trialSettings(maxRequests, changes), {
    ...options,
    onExchange: (exchange) => exchanges.push(exchange),
    onWait: (ms, why) => waits.push({ ms, why }),
  });
  const of = (id: RequirementId): ReportedRequirement => report.requirements.find((one) => one.id === id)!;
  return { report, exchanges, waits, of, said: reasonInWords(report.reason) ?? '' };
}

/** A run over a transport of the test's own. */
export const runOver = (transport: Transport, settings: Settings, more: Partial<RunOptions> = {}): Promise<Report> =>
  runConformance({
    suite: conformanceSuite,
    settings,
    keys: keysOfTrials,
    clock: createClock(),
    runTag: 'abc123',
    transport,
    ...more,
  });

/** The requirements that fail. */
export const failedIn = ({ requirements }: Pick<Report, 'requirements'>): readonly string[] =>
  requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id);

/** Time that jumps over waits. No deadline comes, unless the test says so. */
export function jumpingTime(deadline: AbortSignal = new AbortController().signal) {
  let ahead = 0;
  return {
    clock: () => ({
      now: () => Date.now() + ahead,
      sleep: (ms) => {
        ahead += ms;
        return Promise.resolve();
      },
    }),
    timeout: () => deadline,
  } satisfies Time;
}

export const list: PlannedRequest = { operation: 'listPets', target: '/pets' };
export const creation: PlannedRequest = {
  operation: 'createPet',
  method: 'POST',
  target: '/pets',
  body: '{"name":"Rex","categoryId":1}',
  contentType: 'application/json',
};
export const keyless: PlannedRequest = { ...list, credential: noKey };

/** A limit of a gateway: so many requests within so long, and what a refusal says. */
export interface GatewayLimit {
  readonly most: number;
  readonly ms: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** After so long it is lifted. */
  readonly lastsMs?: number;
}

/** Tells of each request whether a gateway lets it through. */
function limitBursts(
  { now }: SteppedClock,
  { most, ms, lastsMs = Number.POSITIVE_INFINITY }: GatewayLimit,
): () => boolean {
  let passed: readonly number[] = [];
  const startedAt = now();
  return () => {
    passed = passed.filter((at) => at > now() - ms);
    const isLetThrough = passed.length < most || now() - startedAt > lastsMs;
    if (isLetThrough) passed = [...passed, now()];
    return isLetThrough;
  };
}

/** A window of a minute for each client that counts requests, and tells of them as its headers say. */
function createWindows(clock: SteppedClock, perMinute: number, used: number, shown = perMinute) {
  const counts = new Map<string, number>();
  let ends = Math.ceil(clock.now() / 60_000) * 60_000;
  return (client: string): Incoming => {
    if (clock.now() >= ends) {
      ends = Math.ceil((clock.now() + 1) / 60_000) * 60_000;
      counts.clear();
      used = 0;
    }
    const count = (counts.get(client) ?? used) + 1;
    counts.set(client, count);
    const headers = {
      date: new Date(clock.now()).toUTCString(),
      'x-ratelimit-limit': String(shown),
      'x-ratelimit-remaining': String(Math.max(0, shown - count)),
      'x-ratelimit-reset': String(ends / 1000),
      'retry-after': String(Math.ceil((ends - clock.now()) / 1000)),
    };
    return { status: count > perMinute ? 429 : 200, headers, body: new TextEncoder().encode('[]') };
  };
}

interface BenchOptions extends Partial<Settings> {
  /** Requests of the first window that others have sent. */
  readonly used?: number;
  /** The limit that the headers show, if it is not the one that holds. */
  readonly shown?: number;
  /** The numbers of requests that are refused although requests are left, since another client took them. */
  readonly refuseOnly?: readonly number[];
  readonly gateway?: GatewayLimit;
  readonly onWait?: (ms: number, why: string) => void;
}

/** A session on a target that answers by windows; each answer takes a turn of the event loop. */
export function bench(
  perMinute: number,
  {
    used = 0,
    shown,
    refuseOnly = [],
    gateway = { most: Number.POSITIVE_INFINITY, ms: 1_000 },
    onWait = () => undefined,
    ...changes
  }: BenchOptions = {},
) {
  const clock = createClock();
  const settings = trialSettings(500, changes);
  const windows = createWindows(clock, perMinute, used, shown);
  const exchanges: Exchange[] = [];
  const isLetThrough = limitBursts(clock, gateway);
  const { headers: headersOfGateway = {} } = gateway;
  let asked = 0;
  // Requests under way end before a wait moves the clock.
  const sleep = async (ms: number): Promise<void> => {
    for (let turns = 0; turns < 2; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(ms);
  };
  const session = createSession({
    settings,
    keys: { api: 'Paced-Key-4711' },
    onWait,
    transport: async ({ headers: { authorization = 'nobody' } }) => {
      asked += 1;
      const ofGateway = { status: 429, headers: headersOfGateway, body: new TextEncoder().encode('<html>') };
      const served = isLetThrough() ? windows(authorization) : ofGateway;
      const refusal = { ...served, status: 429, headers: { ...served.headers, 'retry-after': '1' } };
      const answer = refuseOnly.includes(asked) ? refusal : served;
      clock.advance(5);
      await new Promise((resolve) => setImmediate(resolve));
      return answer;
    },
    clock: { now: clock.now, sleep },
    runTag: 'abc123',
    onExchange: (exchange) => exchanges.push(exchange),
  });
  /** Sends several requests, as many at a time as the settings allow. */
  const sendAll = (requests: readonly PlannedRequest[]): Promise<readonly Exchange[]> =>
    runConcurrently(
      requests.map((request) => () => session.send(request)),
      settings.concurrency,
    );
  return {
    session: { ...session, sendAll },
    clock,
    exchanges,
    refused: () => exchanges.filter(({ response }) => response?.status === 429).length,
  };
}

export const many = (request: PlannedRequest, count: number): readonly PlannedRequest[] =>
  Array.from({ length: count }, () => request);
