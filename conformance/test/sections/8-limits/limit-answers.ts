/** Builds exchanges with rate-limit headers for tests. */

import type { OpenGapId } from '../../../../spec/gaps.ts';
import type { Operation } from '../../../../spec/operations.ts';
import { noKey, rateLimitKey, validKey } from '../../../http/credentials.ts';
import type { Exchange } from '../../../http/exchange.ts';
import { findCredential } from '../../../sections/5-authentication/credentials.ts';
import type { Settings } from '../../../world/settings.ts';
import * as evidence from '../evidence.ts';

/** One answer; times are seconds after the run began. */
export interface Answer extends Pick<evidence.HandMadeAnswer, 'status' | 'took' | 'isBroken'> {
  readonly at: number;
  readonly limit?: number | string;
  readonly remaining?: number | string;
  readonly reset?: number | string;
  readonly operation?: Operation;
  readonly target?: string;
  readonly body?: string;
  readonly kind?: keyof typeof credentials;
  readonly retryAfter?: number | string;
  /** What the Date of the answer is ahead of our clock, seconds; `none` where it has none. */
  readonly dateAhead?: number | 'none';
  /** The Age header, seconds. */
  readonly age?: number;
  /** Further headers, by their names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

const beginsAt = evidence.startedAt / 1000;
const wrong = (kind: 'invalid' | 'misplaced') => ({ ...noKey, shown: { ...noKey.shown, kind } });
const credentials = {
  valid: validKey('api-key'),
  'rate-limit': rateLimitKey('limit-key'),
  lenient: findCredential('lower-case-bearer', { api: 'api-key' })!,
  missing: noKey,
  invalid: wrong('invalid'),
  misplaced: wrong('misplaced'),
} as const;
const targets = { createPet: '/pets', getPet: '/pets/7', other: '/nothing' } as const;

function headersOf({ at, limit, remaining, reset, retryAfter, dateAhead = 0, age, headers: more }: Answer) {
  const headers = {
    ...more,
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': typeof reset === 'number' ? beginsAt + reset : reset,
    'retry-after': retryAfter,
    age,
    date: dateAhead === 'none' ? undefined : new Date((beginsAt + at + dateAhead) * 1000).toUTCString(),
  };
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/** Answers one after the other; `sideBySide` has them all under way at once. */
export function handMade(answers: readonly Answer[], sideBySide = false): readonly evidence.HandMadeAnswer[] {
  return answers.map((answer, index) => {
    const { at, status = 200, operation = 'listPets', kind = 'valid', took = 0.003, body, isBroken } = answer;
    // No two listings are the same request, so that no answer looks like a copy from a cache.
    const usual = operation === 'listPets' ? `/pets?limit=${1 + (index % 100)}` : targets[operation];
    const method = operation === 'createPet' ? 'POST' : 'GET';
    return {
      request: { operation, method, target: answer.target ?? usual, ...(body === undefined ? {} : { body }) },
      credential: credentials[kind],
      status,
      headers: headersOf(answer),
      seconds: at,
      took,
      ...(sideBySide ? { events: [index, answers.length + index] as const } : {}),
      ...(isBroken === undefined ? {} : { isBroken }),
    };
  });
}

export const exchangesOf = (answers: readonly Answer[]): readonly Exchange[] => evidence.exchangesOf(handMade(answers));

/** The failures of §8 in some answers, as `requirement: code`. */
export function failuresIn(
  answers: readonly Answer[],
  settings: Partial<Settings> = {},
  sideBySide = false,
): readonly string[] {
  const failing = evidence.failuresIn(handMade(answers, sideBySide), /^rate-/, settings);
  return failing.map(({ requirement, failure }) => `${requirement}: ${failure.code}`);
}

/** What holds in some answers, each requirement once. */
export const heldIn = (answers: readonly Answer[], settings: Partial<Settings> = {}): readonly string[] =>
  evidence.heldIn(handMade(answers), /^rate-/, settings);

export const observe = (gap: OpenGapId, answers: readonly Answer[], settings: Partial<Settings> = {}) =>
  evidence.observe(gap, handMade(answers), settings);

/** Answers a hundredth of a second apart, from one second on. */
export function timeline(
  remaining: readonly number[],
  change: (at: number) => Partial<Answer> = () => ({}),
): readonly Answer[] {
  return remaining.map((left, at) => ({ at: 1 + at / 100, limit: 60, remaining: left, reset: 45, ...change(at) }));
}

export const count = (from: number, length: number, step = -1): readonly number[] =>
  Array.from({ length }, (_nothing, at) => from + at * step);
