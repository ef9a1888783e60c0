/** §8 Judges how the headers of one key change over time: Remaining by its account, Limit, and whether a Reset comes. */

import { statusOf } from '../../http/read-response.ts';
import { dayMs, leastEarlyResetMs, longestMinuteMs, minuteMs, roundingMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/scenario.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type Account, accountsOf, elapsedMs, falls, overdraftOf } from './ledger.ts';
import { isTimed, untilResetOf } from './readings.ts';

function judgeOverdraft(account: Account): readonly Finding[] {
  const steps = overdraftOf(account);
  if (steps.length === 0) return [];
  const [{ earlier: from }, { later: to }] = [steps[0]!, steps.at(-1)!];
  const beyond = steps.filter(({ isBeyond }) => isBeyond);
  if (beyond.length > 0) {
    const [first, last] = [beyond[0]!.earlier.exchange, beyond.at(-1)!.later.exchange];
    const answers = beyond.map(({ later: { exchange } }) => `${statusOf(exchange)} to ${exchange.operation}`);
    const facts = { expected: '429 after X-RateLimit-Remaining 0', received: answers.join(', ') };
    return [fails('rate-exceeded', 'not-refused', facts, first, last)];
  }
  const { earlier, later } = steps.reduce((one, other) => (other.givenBack > one.givenBack ? other : one));
  if (later.remaining > earlier.remaining) {
    const isEarly = later.resetsAt > earlier.resetsAt && untilResetOf(earlier, later) >= leastEarlyResetMs;
    const facts = {
      expected: `X-RateLimit-Remaining not to rise before the reset at ${earlier.resetsAt / 1000}`,
      received: `${later.remaining} after ${earlier.remaining}`,
    };
    return isEarly
      ? [fails('rate-reset-header', 'resets-earlier', facts, earlier.exchange, later.exchange)]
      : [fails('rate-remaining-falls', 'rises', facts, earlier.exchange, later.exchange)];
  }
  const isNever = !account.steps.some(falls);
  const code = from.remaining === 0 ? 'served-without-rest' : isNever ? 'never-falls' : 'stays';
  const facts = {
    expected: `X-RateLimit-Remaining to fall with each of ${steps.length} requests`,
    received: `${to.remaining} after ${from.remaining}`,
  };
  return [fails('rate-remaining-falls', code, facts, from.exchange, to.exchange)];
}

/** So many different numbers show that a header repeats the other. */
const fewestLimits = 4;

/** A limit may change for the load; one that comes back to earlier numbers before one reset has no value. */
function judgeLimit({ chain }: Account): readonly Finding[] {
  const [one] = chain;
  const limits = new Set(chain.map(({ limit }) => limit));
  if (one !== undefined && limits.size >= fewestLimits && chain.every(({ limit, remaining }) => limit === remaining)) {
    const received = `the same number in both, from ${one.limit} to ${chain.at(-1)!.limit}`;
    const facts = { expected: 'X-RateLimit-Limit to stay while X-RateLimit-Remaining falls', received };
    return [fails('rate-limit-header', 'repeats-remaining', facts, one.exchange, chain.at(-1)!.exchange)];
  }
  // At midnight the windows of a minute and of a day reset together, and headers may describe either.
  const known = chain.filter(({ resetsAt, aheadMs }) => resetsAt % dayMs !== 0 || aheadMs > longestMinuteMs);
  const parts = Map.groupBy(known, ({ resetsAt, exchange }) => `${resetsAt} ${exchange.operation}`).values();
  return [...parts].flatMap((part) => {
    const starts = part.filter(({ limit }, at) => limit !== part[at - 1]?.limit);
    const [first, second] = starts;
    // One change and back may be one of the plan, or of the window that the header describes.
    if (second === undefined || starts.length - new Set(starts.map(({ limit }) => limit)).size <= 1) return [];
    const received = `${first!.limit} and ${second.limit} alternately`;
    const facts = { expected: 'one X-RateLimit-Limit before one reset', received };
    return [fails('rate-limit-header', 'alternates', facts, first!.exchange, second.exchange)];
  });
}

/** So many requests in a row each of which takes one show that nothing comes back. */
const fewestFalls = 10;

/**
 * Fails a reset that passes again and again while Remaining falls with every request: the end of a window, a request that
 * leaves a sliding log, and a bucket that gains one each hold it up at least once.
 */
function judgePassedResets({ chain }: Account): readonly Finding[] {
  let start = 0;
  for (const [at, later] of chain.entries()) {
    const earlier = chain[at - 1];
    const isNext = earlier?.limit === later.limit && earlier.remaining - 1 === later.remaining;
    if (!isNext || later.aheadMs > roundingMs || !isTimed(later)) start = at;
    const first = chain[start]!;
    const isPassed = later.resetsAt - first.resetsAt >= roundingMs && untilResetOf(first, later) <= -roundingMs;
    const isFilled = elapsedMs(first, later) > minuteMs / first.limit + roundingMs;
    if (at - start < fewestFalls || !isPassed || !isFilled || first.aheadMs > roundingMs) continue;
    const facts = {
      expected: `the limit to reset at ${first.resetsAt / 1000} as X-RateLimit-Reset said`,
      received: `${later.remaining} left after ${first.remaining}, falling until ${later.resetsAt / 1000}`,
    };
    return [fails('rate-reset-header', 'resets-nothing', facts, first.exchange, later.exchange)];
  }
  return [];
}

export const accountChecks: readonly Check[] = [
  {
    id: 'remaining-falls',
    verifies: ['rate-remaining-falls', 'rate-limit-header', 'rate-reset-header', 'rate-exceeded'],
    title: 'X-RateLimit-Remaining falls with each request and rises only at a reset',
    judge: (history) =>
      accountsOf(history).flatMap((account) => {
        const evidence = account.steps.filter(falls).map(({ later }) => holds('rate-remaining-falls', later.exchange));
        return [...evidence, ...judgeOverdraft(account), ...judgeLimit(account), ...judgePassedResets(account)];
      }),
  },
];
