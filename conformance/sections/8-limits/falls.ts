/**
 * §8 Judges how far X-RateLimit-Remaining falls with a request: by one, whatever the operation. Other clients that use the
 * key take irregular numbers, so only a number that recurs with nearly every request is the service's own count.
 */

import type { Operation } from '../../../spec/operations.ts';
import type { Exchange } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { type Finding, fails } from '../../verdict/finding.ts';
import type { World } from '../../world/world.ts';
import {
  isServed,
  type JudgedKey,
  limitReadingOf,
  mayBeCopy,
  type RateLimitReading,
  type WithExchanges,
} from './readings.ts';

/** A request that was served after another one, while the run sent nothing else: `by` is what it took of the limit. */
interface Fall {
  readonly earlier: RateLimitReading;
  readonly later: RateLimitReading;
  readonly by: number;
}

/** Falls of Remaining, nearly all of one size, which is more than one. */
interface SteadyFall {
  /** Which requests take so much: all, or those of one operation. */
  readonly of: 'request' | Operation;
  readonly by: number;
  readonly falls: readonly Fall[];
  /** The falls of this size. */
  readonly alike: readonly Fall[];
}

/** Pairs of consecutive requests during which no other request was under way, with any key: keys may share a limit. */
const undisturbedPairs = memoize(({ exchanges }: WithExchanges): readonly (readonly [Exchange, Exchange])[] => {
  const inOrder = exchanges.toSorted((one, other) => one.sent - other.sent);
  const pairs: (readonly [Exchange, Exchange])[] = [];
  let lastAnswer = Number.NEGATIVE_INFINITY; // of the requests before the pair
  for (let at = 1; at < inOrder.length; at += 1) {
    const earlier = inOrder[at - 1]!;
    const later = inOrder[at]!;
    const nextSent = inOrder[at + 1]?.sent ?? Number.POSITIVE_INFINITY;
    const isUndisturbed = lastAnswer < earlier.sent && earlier.answered < later.sent && later.answered < nextSent;
    if (isUndisturbed) pairs.push([earlier, later]);
    lastAnswer = Math.max(lastAnswer, earlier.answered);
  }
  return pairs;
});

function fallsOf(record: WithExchanges, key: JudgedKey): readonly Fall[] {
  return undisturbedPairs(record).flatMap(([one, other]) => {
    if (one.credential.kind !== key || other.credential.kind !== key || !isServed(other)) return [];
    if (mayBeCopy(record, one) || mayBeCopy(record, other)) return [];
    const earlier = limitReadingOf(one);
    const later = limitReadingOf(other);
    if (earlier === undefined || later === undefined || earlier.limit !== later.limit) return [];
    return [{ earlier, later, by: earlier.remaining - later.remaining }];
  });
}

/**
 * Fewer falls of one size may be chance. Two runs of this kit at the same time, with the same key on one server, gave six of
 * eight and at most a third of thirty.
 */
const fewestFalls = { valid: 20, 'rate-limit': 10 } as const satisfies Record<JudgedKey, number>;
/** A bucket or a sliding window gives a request back now and then, and a window may reset. */
const leastShareAlike = 0.9;

function steadyFallOf(of: SteadyFall['of'], falls: readonly Fall[], key: JudgedKey): SteadyFall | undefined {
  if (falls.length < fewestFalls[key]) return undefined;
  const bySize = [...Map.groupBy(falls, ({ by }) => by)];
  const [by, alike] = bySize.reduce((one, other) => (other[1].length > one[1].length ? other : one));
  if (by < 2 || alike.length < leastShareAlike * falls.length) return undefined;
  return { of, by, falls, alike };
}

/** How much of the limit each request takes, or those of single operations, where that is more than one. */
export function steadyFalls(record: WithExchanges, key: JudgedKey): readonly SteadyFall[] {
  const falls = fallsOf(record, key);
  const ofAll = steadyFallOf('request', falls, key);
  if (ofAll !== undefined) return [ofAll];
  const byOperation = Map.groupBy(falls, ({ later }) => later.exchange.operation);
  return [...byOperation].flatMap(([operation, ofOperation]) => steadyFallOf(operation, ofOperation, key) ?? []);
}

/** Fails a Remaining that falls by more than one with nearly every request, or with those of one operation. */
export function judgeSteadyFalls(world: World, key: JudgedKey): readonly Finding[] {
  return steadyFalls(world, key).map(({ of, by, falls, alike }) => {
    const facts = {
      expected: `X-RateLimit-Remaining to fall by 1 with each ${of}`,
      received: `a fall by ${by} with ${alike.length} of ${falls.length}`,
    };
    const { earlier, later } = alike[0]!;
    return fails('rate-remaining-falls', 'falls-too-far', facts, earlier.exchange, later.exchange);
  });
}
