/** Serves a legal service to a client, records what it is asked, and tells which answers differ from the usual ones. */

import { randomBytes } from 'node:crypto';
import {
  createTwin,
  type Handle,
  type NewPet,
  type StoreRequest,
  type StoreResponse,
  startServer,
} from '../../reference-server/twin/index.ts';
import { allowOrigin } from '../../reference-server/twin/wraps.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { seededRandom } from '../../spec/random.ts';
import { dayMs, slowAnswerMs } from '../http/tolerances.ts';
import { knownCategory, type LegalService, reference } from './services.ts';

/** What all services have that a client runs under. */
export interface Surroundings {
  readonly gaps: Partial<GapChoices>;
  readonly animals: readonly NewPet[];
}

/** A request as it arrived, to be replayed; `at` is Unix milliseconds. */
export interface RecordedRequest {
  readonly request: StoreRequest;
  readonly at: number;
}

/** The key of other clients. */
const otherKey = 'the-key-of-other-clients';

/** An answer of a service that lives on another day, with its reset by the clock of the client. */
function withResetBefore(answer: StoreResponse, aheadMs: number): StoreResponse {
  const headers = Object.entries(answer.headers).map(([name, value]) =>
    name.toLowerCase() === 'x-ratelimit-reset' ? [name, String(Number(value) - aheadMs / 1000)] : [name, value],
  );
  return { ...answer, headers: Object.fromEntries(headers) };
}

/** How far the clock of a service is ahead at an instant, milliseconds: whole days, so that windows end at the same time. */
export function aheadOf({ startsAt }: LegalService, now: number): number {
  return startsAt === undefined ? 0 : Math.ceil((startsAt - now) / dayMs) * dayMs;
}

/** The service as a function; it draws the same ids and orders each time, so that all runs of a client meet the same. */
export function handleOf(service: LegalService, { gaps, animals }: Surroundings, key: string, now: number): Handle {
  const choices = { cors: 'none', ...gaps, ...service.gaps } as const;
  const { handle } = createTwin({
    keys: [key, otherKey].map((one) => ({ key: one, plan: 'business' })),
    gaps: choices,
    animals: service.animals ?? animals,
    random: seededRandom(1),
  });
  const keys = { api: key, rateLimit: otherKey };
  const wrapped = service.wrap?.(handle, keys) ?? handle;
  // A page has to read whatever answers in the place of the store, too.
  const readable = choices.cors === 'any-origin' ? allowOrigin('*')(wrapped, keys) : wrapped;
  const aheadMs = aheadOf(service, now);
  return aheadMs === 0 ? readable : (request, at) => withResetBefore(readable(request, at + aheadMs), aheadMs);
}

/** More requests than this tell nothing new about what a client depends on. */
const mostReplayed = 300;

function textOf({ status, headers, body }: StoreResponse): string {
  return JSON.stringify([status, body, Object.entries(headers).sort()]);
}

/** Which of the recorded requests a service answers unlike the usual one. Where it is none, a client cannot tell the two apart. */
export function differing(
  service: LegalService,
  surroundings: Surroundings,
  key: string,
  recorded: readonly RecordedRequest[],
): readonly boolean[] {
  const [first] = recorded;
  if (first === undefined) return [];
  const [one, usual] = [service, reference].map((each) => handleOf(each, surroundings, key, first.at)) as [
    Handle,
    Handle,
  ];
  return recorded
    .slice(0, mostReplayed)
    .map(({ request, at }) => textOf(one(request, at)) !== textOf(usual(request, at)));
}

export interface ServeOptions {
  /** The time by which the service lives, Unix milliseconds; the machine's if undefined. */
  readonly now?: () => number;
  /** Set if the caller holds answers of slow services back itself. */
  readonly answersAtOnce?: true;
}

/** Serves on a free port of 127.0.0.1, with a new key that is valid nowhere else. */
export async function serve(service: LegalService, surroundings: Surroundings, options: ServeOptions = {}) {
  const { now = Date.now, answersAtOnce } = options;
  const key = `client-${randomBytes(12).toString('hex')}`;
  const handle = handleOf(service, surroundings, key, now());
  const recorded: RecordedRequest[] = [];
  const wrap = (): Handle => (request, at) => {
    recorded.push({ request, at });
    return handle(request, at);
  };
  const server = await startServer({
    keys: [{ key, plan: 'business' }],
    gaps: { cors: 'none' },
    faults: [{ id: service.id, breaks: [], wrap }],
    clock: now,
    // No service promises a health page, so a client that relies on one must be found.
    answersHealth: false,
    latencyMs: service.isSlow && !answersAtOnce ? slowAnswerMs : 0,
  });
  return {
    environment: { baseUrl: server.url, key, categoryId: knownCategory },
    /** The requests as they arrived. */
    recorded: recorded as readonly RecordedRequest[],
    /** Each of them as evidence, with its place among them. */
    received: () => {
      const dropped = recorded.length - server.requests.length;
      return server.requests.map((exchange, at) => ({ exchange, at: at + dropped }));
    },
    close: server.close,
  };
}

export type Served = Awaited<ReturnType<typeof serve>>;
