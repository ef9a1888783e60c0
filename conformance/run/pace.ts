/** Decides whether a request may go, and when: within the budget, and so that no 429 is of our own doing. */

import { planLimits } from '../../spec/facts.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Settings } from '../verdict/settings.ts';
import type { Budget, Creation } from './budget.ts';
import {
  createRateLimitState,
  mustAwaitAnswers,
  noteAnswer,
  noteRefusal,
  type RateLimitedClient,
  type RateLimitState,
  waitOf,
} from './rate-limit-state.ts';

/** Time, injected. */
export interface Clock {
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Resolves after so many milliseconds. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** Ends the run before its end; the reason is for a person. */
export class RunStopped extends Error {}

/** A request that may go. */
export interface Ticket {
  /** Tells what came of the request, if anything did; to be called once. Throws RunStopped for one refusal too many. */
  readonly settle: (exchange: Exchange | undefined) => void;
}

export interface Pace {
  /** Resolves when a request may go, which is then spent; rejects with BudgetSpent or RunStopped. */
  readonly admit: (client: RateLimitedClient, creation: Creation) => Promise<Ticket>;
  /** The same without waiting for any limit. */
  readonly admitAtOnce: (creation: Creation) => void;
  /** Waits, if it is not longer than the settings allow, else stops the run. */
  readonly wait: (ms: number, why: string) => Promise<void>;
  /** Ends the run for all that wait or come later; throws a RunStopped with the reason. */
  readonly stop: (reason: string) => never;
}

export interface PaceOptions {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly budget: Budget;
  readonly signal?: AbortSignal;
  readonly onWait?: (ms: number, why: string) => void;
}

/** Refusals after which a ban of the key is at stake (§8). */
const mostRefusals = 3;

/** Why a run is over, for all that still want to send. */
function createStop({ settings, clock, signal, onWait }: PaceOptions) {
  let stopped: RunStopped | undefined;

  function stop(reason: string): never {
    stopped ??= new RunStopped(reason);
    throw stopped;
  }

  function stopIfOver(): void {
    if (stopped !== undefined) throw stopped;
    if (signal?.aborted) stop(String(signal.reason));
  }

  async function wait(ms: number, why: string): Promise<void> {
    const { maxWaitMs } = settings;
    if (ms > maxWaitMs) {
      stop(
        `The target wants a wait of ${Math.ceil(ms / 1000)} s (${why}), longer than --max-wait ${maxWaitMs / 1000}.`,
      );
    }
    onWait?.(ms, why);
    await clock.sleep(ms);
    stopIfOver();
  }

  return { stop, stopIfOver, wait };
}

/** Takes the answer to a request into account, and ends the run after one refusal too many. */
function note(course: RateLimitState, exchange: Exchange, stop: Pace['stop']): void {
  const isRefused = exchange.response?.status === 429;
  if (isRefused) noteRefusal(course, exchange);
  else noteAnswer(course, exchange);
  if (!isRefused || course.refusals < mostRefusals) return;
  stop(`The target answered 429 ${course.refusals} times; a ban of the key is at stake.`);
}

/** A request of a course that goes now. */
function createTicket(course: RateLimitState, now: number, stop: Pace['stop']): Ticket {
  const { promise, resolve } = Promise.withResolvers<void>();
  course.recent.push(now);
  course.underWay.add(promise);
  return {
    settle(exchange) {
      course.underWay.delete(promise);
      resolve();
      if (exchange !== undefined) note(course, exchange, stop);
    },
  };
}

export function createPace(options: PaceOptions): Pace {
  const { settings, clock, budget } = options;
  const { stop, stopIfOver, wait } = createStop(options);
  const states: Readonly<Record<RateLimitedClient, RateLimitState>> = {
    key: createRateLimitState(settings.plan === undefined ? undefined : planLimits[settings.plan].perMinute),
    'rate-limit-key': createRateLimitState(),
    'without-key': createRateLimitState(),
  };

  /**
   * What the next request of a client has to await; undefined where it may go at once. All that wait for the same wait
   * together: a clock that is stepped moves once for them.
   */
  function blockedBy(client: RateLimitedClient): Promise<void> | undefined {
    const course = states[client];
    if (course.waiting !== undefined) return course.waiting;
    if (mustAwaitAnswers(course)) return Promise.race(course.underWay);
    const next = waitOf(client, course, clock.now(), settings.maxWaitMs);
    if (next === undefined) return undefined;
    course.waiting = wait(next.ms, next.why)
      .then(next.release)
      .finally(() => {
        course.waiting = undefined;
      });
    return course.waiting;
  }

  return {
    async admit(client, creation) {
      for (;;) {
        stopIfOver();
        budget.check(creation);
        const hindrance = blockedBy(client);
        if (hindrance === undefined) break;
        await hindrance;
      }
      // Nothing is awaited between the last look and this, so that no other request takes what is left.
      budget.spend(creation);
      return createTicket(states[client], clock.now(), stop);
    },
    admitAtOnce(creation) {
      stopIfOver();
      budget.spend(creation);
    },
    wait,
    stop,
  };
}
