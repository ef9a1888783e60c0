/** §8 Judges how the headers of one key change over time: Remaining by its account, and Limit. */

import { statusOf } from '../../http/read-response.ts';
import { leastEarlyResetMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/suite.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type Account, accountsOf, falls, overdraftOf } from './ledger.ts';
import { untilResetOf } from './readings.ts';

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
  const facts = {
    expected: `X-RateLimit-Remaining to fall with each of ${steps.length} requests`,
    received: `${to.remaining} after ${from.remaining}`,
  };
  return [fails('rate-remaining-falls', 'stays', facts, from.exchange, to.exchange)];
}

/** So many changes are none of the plan, nor of the window that the header describes. */
const fewestChanges = 3;

/**
 * Fails a limit that changes with one request after the other while Remaining falls by one, so that it is the number of no
 * limit. Headers that describe one window and another in turn show the rest of each.
 */
function judgeLimit({ chain }: Account): readonly Finding[] {
  const changes = chain.slice(1).filter((later, at) => {
    const earlier = chain[at]!;
    const isNext = later.resetsAt === earlier.resetsAt && later.remaining === earlier.remaining - 1;
    return isNext && later.limit !== earlier.limit;
  });
  const [first, second] = changes;
  if (first === undefined || second === undefined || changes.length < fewestChanges) return [];
  const received = `${first.limit} and ${second.limit} while X-RateLimit-Remaining fell by one each`;
  const facts = { expected: 'one X-RateLimit-Limit before one reset', received };
  return [fails('rate-limit-header', 'alternates', facts, first.exchange, second.exchange)];
}

export const accountChecks: readonly Check[] = [
  {
    id: 'remaining-falls',
    verifies: ['rate-remaining-falls', 'rate-limit-header', 'rate-reset-header', 'rate-exceeded'],
    title: 'X-RateLimit-Remaining falls with each request and rises only at a reset',
    judge: (history) =>
      accountsOf(history).flatMap((account) => {
        const evidence = account.steps.filter(falls).map(({ later }) => holds('rate-remaining-falls', later.exchange));
        return [...evidence, ...judgeOverdraft(account), ...judgeLimit(account)];
      }),
  },
];
