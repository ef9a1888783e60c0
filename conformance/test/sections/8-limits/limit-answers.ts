/** Builds exchanges with rate-limit headers for tests. */

import { rateLimitKey, validKey } from '../../../http/credentials.ts';
import type { CredentialKind, Exchange, Operation } from '../../../http/exchange.ts';
import { trialSettings } from '../../../proof/trial.ts';
import { judgeHistory } from '../../../run/judging.ts';
import { conformanceSuite } from '../../../sections/index.ts';
import { isFailing } from '../../../verdict/finding.ts';
import { readHistory } from '../../../world/history.ts';
import type { Settings } from '../../../world/settings.ts';

/** One answer; times are seconds after the run began. */
export interface Answer {
  readonly at: number;
  readonly limit?: number | string;
  readonly remaining?: number | string;
  readonly reset?: number | string;
  readonly status?: number;
  readonly operation?: Operation;
  readonly target?: string;
  readonly body?: string;
  readonly kind?: Extract<CredentialKind, 'valid' | 'rate-limit' | 'missing'>;
  readonly retryAfter?: number | string;
  /** What the Date of the answer is ahead of our clock, seconds; `none` where it has none. */
  readonly dateAhead?: number | 'none';
  /** How long the answer took, seconds. */
  readonly took?: number;
  /** The Age header, seconds. */
  readonly age?: number;
  /** Set if the connection broke. */
  readonly isLost?: true;
}

export const beginsAt = Date.UTC(2026, 10, 21, 12, 0, 0);
const targets = { createPet: '/pets', getPet: '/pets/7', other: '/nothing' } as const;

/** No two listings are the same request, so that no answer looks like a copy from a cache. */
function targetOf(operation: Operation, index: number): string {
  return operation === 'listPets' ? `/pets?limit=${1 + (index % 100)}` : targets[operation];
}

function headersOf({ at, limit, remaining, reset, retryAfter, dateAhead = 0, age }: Answer): Record<string, string> {
  const headers = {
    'x-ratelimit-limit': limit,
    'x-ratelimit-remaining': remaining,
    'x-ratelimit-reset': typeof reset === 'number' ? beginsAt / 1000 + reset : reset,
    'retry-after': retryAfter,
    age,
    date: dateAhead === 'none' ? undefined : new Date(beginsAt + (at + dateAhead) * 1000).toUTCString(),
  };
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/** Exchanges one after the other; `sideBySide` has them all under way at once. */
export function exchangesOf(answers: readonly Answer[], sideBySide = false): readonly Exchange[] {
  return answers.map((answer, index) => {
    const { at, status = 200, operation = 'listPets', kind = 'valid', took = 0.003, body } = answer;
    const credential = (kind === 'rate-limit' ? rateLimitKey('limit-key') : validKey('api-key')).shown;
    return {
      number: index + 1,
      check: 'test',
      operation,
      credential: { ...credential, kind },
      request: {
        method: operation === 'createPet' ? 'POST' : 'GET',
        target: answer.target ?? targetOf(operation, index),
        headers: {},
        ...(body === undefined ? {} : { body }),
      },
      ...(answer.isLost
        ? { failure: { code: 'broken', message: 'the connection broke off' } }
        : { response: { status, headers: headersOf(answer), body: '[]' } }),
      startedAt: beginsAt + (at - took) * 1000,
      endedAt: beginsAt + at * 1000,
      sent: sideBySide ? index + 1 : 2 * index + 1,
      answered: sideBySide ? answers.length + index + 1 : 2 * index + 2,
    };
  });
}

/** The failures of §8 in some answers, as `requirement: code`. */
export function failuresIn(answers: readonly Answer[], settings: Partial<Settings> = {}): readonly string[] {
  return failuresOf(exchangesOf(answers), settings);
}

export function failuresOf(exchanges: readonly Exchange[], settings: Partial<Settings> = {}): readonly string[] {
  const history = readHistory(exchanges, trialSettings(300, settings));
  const failing = judgeHistory(history, conformanceSuite).filter(isFailing);
  return failing
    .filter(({ requirement }) => requirement.startsWith('rate-'))
    .map(({ requirement, failure }) => `${requirement}: ${failure.code}`);
}

/** What holds in some answers, each requirement once. */
export function heldIn(answers: readonly Answer[], settings: Partial<Settings> = {}): readonly string[] {
  const history = readHistory(exchangesOf(answers), trialSettings(300, settings));
  const holding = judgeHistory(history, conformanceSuite).filter((finding) => !isFailing(finding));
  return [...new Set(holding.map(({ requirement }) => requirement))];
}

/** Answers a hundredth of a second apart, from one second on. */
export function timeline(
  remaining: readonly number[],
  change: (at: number) => Partial<Answer> = () => ({}),
): readonly Answer[] {
  return remaining.map((left, at) => ({
    at: 1 + at / 100,
    limit: 60,
    remaining: left,
    reset: 45,
    ...change(at),
  }));
}

export function count(from: number, length: number, step = -1): readonly number[] {
  return Array.from({ length }, (_nothing, at) => from + at * step);
}
