/** Decides whether a request may go, and when: within the budget, and so that no 429 is of our own doing. */

import { planLimits } from '../../spec/facts.ts';
import type { Budget, Creation } from './budget.ts';
import type { Exchange } from './exchange.ts';
import type { Settings } from './settings.ts';
import { minuteMs, remainingOf, untilReset, waitAfterRefusal } from './waits.ts';

/** Time, injected. */
export interface Clock {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** Ends the run before its end; the reason is for a person. */
export class RunStopped extends Error {}

/** Whom a target counts requests for, as far as a run can tell. */
export type Client = 'key' | 'rate-limit-key' | 'without-key';

/** A request that may go. */
export interface Ticket {
  /** Tells what came of the request, if anything did; to be called once. Throws RunStopped for one refusal too many. */
  readonly settle: (exchange: Exchange | undefined) => void;
}

export interface Pace {
  /** Resolves when a request may go, which is then spent; rejects with BudgetSpent or RunStopped. */
  readonly admit: (client: Client, creation: Creation) => Promise<Ticket>;
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

/** What is known of the limit of one client. */
interface Course {
  /** What is under way; each settles with its request. */
  readonly underWay: Set<Promise<void>>;
  /** When requests of the last minute were sent, Unix milliseconds. */
  readonly recent: number[];
  /** The answer whose headers count; undefined before the first, and after a refusal. */
  last: Exchange | undefined;
  /** Unix milliseconds before which nothing may go. */
  heldUntil: number;
  /** Answers in a row that said right after a reset that nothing is left. */
  emptyResets: number;
  hasWaitedForReset: boolean;
  /** Refusals, of which those sent side by side are one. */
  refusals: number;
  lastRefusal: Exchange | undefined;
  mostPerMinute: number;
  /** What all that have to wait wait for. */
  waiting: Promise<void> | undefined;
}

/** A wait before the next request of a client. */
interface Wait {
  readonly ms: number;
  readonly why: string;
  /** What holds when it is over, whatever a clock says. */
  readonly release: () => void;
}

/** A header that says this often that a new window is empty does not tell what is left. */
const mostEmptyResets = 2;
/** Refusals after which a ban of the key is at stake (§8). */
const mostRefusals = 3;

function createCourse(mostPerMinute = Number.POSITIVE_INFINITY): Course {
  return {
    underWay: new Set(),
    recent: [],
    last: undefined,
    heldUntil: 0,
    emptyResets: 0,
    hasWaitedForReset: false,
    refusals: 0,
    lastRefusal: undefined,
    mostPerMinute,
    waiting: undefined,
  };
}

/** What is left by the headers, less what is under way; undefined where they do not tell. */
function leftFor({ last, underWay, emptyResets }: Course): number | undefined {
  const remaining = last === undefined || emptyResets >= mostEmptyResets ? undefined : remainingOf(last);
  return remaining === undefined ? undefined : remaining - underWay.size;
}

/** Whether what is under way decides how much is left: its answers are awaited first. */
function mustAwaitAnswers(course: Course): boolean {
  if (course.underWay.size === 0) return false;
  return course.last === undefined || (leftFor(course) ?? 1) <= 0;
}

/** Milliseconds until a minute has fewer requests than are allowed. */
function untilMinuteHasRoom({ recent, mostPerMinute }: Course, now: number): number {
  while ((recent[0] ?? now) <= now - minuteMs) recent.shift();
  const oldest = recent.at(-mostPerMinute);
  return recent.length < mostPerMinute || oldest === undefined ? 0 : Math.max(0, oldest + minuteMs - now);
}

/** How many a minute are too many, as a refusal teaches: who used the key before is unknown, the plans are not. */
function learnFrom({ recent, refusals, underWay }: Course): number {
  // Neither the refused one was served, nor may those be that are under way beside it.
  const sent = Math.max(1, recent.length - 1 - underWay.size);
  const planned = Object.values(planLimits).flatMap(({ perMinute }) => perMinute ?? []);
  return refusals > 1 ? sent : (planned.find((limit) => limit >= sent) ?? sent);
}

/** Takes an answer into account. */
function noteAnswer(course: Course, exchange: Exchange): void {
  if (exchange.response === undefined) return;
  if (course.hasWaitedForReset) course.emptyResets = remainingOf(exchange) === 0 ? course.emptyResets + 1 : 0;
  course.hasWaitedForReset = false;
  if (course.last === undefined || exchange.sent > course.last.sent) course.last = exchange;
}

/** Takes a 429 into account: nothing goes until it is over, and then one request at a time until one is answered. */
function noteRefusal(course: Course, exchange: Exchange): void {
  course.last = undefined;
  course.heldUntil = Math.max(course.heldUntil, exchange.endedAt + waitAfterRefusal(exchange));
  const isOfTheSame = course.lastRefusal !== undefined && exchange.sent < course.lastRefusal.answered;
  if (isOfTheSame) return;
  course.refusals += 1;
  course.lastRefusal = exchange;
  course.mostPerMinute = Math.min(course.mostPerMinute, learnFrom(course));
}

export function createPace({ settings, clock, budget, signal, onWait }: PaceOptions): Pace {
  const perMinute = settings.plan === undefined ? undefined : planLimits[settings.plan].perMinute;
  const courses: Readonly<Record<Client, Course>> = {
    key: createCourse(perMinute),
    'rate-limit-key': createCourse(),
    'without-key': createCourse(),
  };
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

  /** What the next request of a client has to wait for, if anything. */
  function waitFor(client: Client, course: Course): Wait | undefined {
    const now = clock.now();
    if (course.heldUntil > now) {
      const release = (): void => {
        course.heldUntil = 0;
      };
      return { ms: course.heldUntil - now, why: 'the target answered 429', release };
    }
    const { last } = course;
    const reset = last === undefined || (leftFor(course) ?? 1) > 0 ? undefined : untilReset(last);
    const ms = reset === undefined || last === undefined ? 0 : reset - (now - last.endedAt);
    // Without a key all are answered by 401, whatever is left: that is not worth the end of the run.
    const isWorthIt = client === 'key' || ms <= settings.maxWaitMs;
    if (ms > 0 && isWorthIt && client !== 'rate-limit-key') {
      const release = (): void => {
        course.last = undefined;
        course.hasWaitedForReset = true;
      };
      return { ms, why: 'no requests are left until the reset', release };
    }
    const untilRoom = untilMinuteHasRoom(course, now);
    const release = (): void => void course.recent.shift();
    return untilRoom > 0 ? { ms: untilRoom, why: 'more a minute would be refused', release } : undefined;
  }

  /**
   * What the next request of a client has to await; undefined where it may go at once. All that wait for the same wait
   * together: a clock that is stepped moves once for them.
   */
  function hindranceOf(client: Client): Promise<void> | undefined {
    const course = courses[client];
    if (course.waiting !== undefined) return course.waiting;
    if (mustAwaitAnswers(course)) return Promise.race(course.underWay);
    const next = waitFor(client, course);
    if (next === undefined) return undefined;
    course.waiting = wait(next.ms, next.why)
      .then(next.release)
      .finally(() => {
        course.waiting = undefined;
      });
    return course.waiting;
  }

  async function admit(client: Client, creation: Creation): Promise<Ticket> {
    for (;;) {
      stopIfOver();
      budget.check(creation);
      const hindrance = hindranceOf(client);
      if (hindrance === undefined) break;
      await hindrance;
    }
    // Nothing is awaited between the last look and this, so that no other request takes what is left.
    budget.spend(creation);
    const course = courses[client];
    course.recent.push(clock.now());
    const { promise, resolve } = Promise.withResolvers<void>();
    course.underWay.add(promise);
    return {
      settle(exchange) {
        course.underWay.delete(promise);
        resolve();
        if (exchange === undefined) return;
        if (exchange.response?.status !== 429) return noteAnswer(course, exchange);
        noteRefusal(course, exchange);
        if (course.refusals >= mostRefusals) {
          stop(`The target answered 429 ${course.refusals} times; a ban of the key is at stake.`);
        }
      },
    };
  }

  return {
    admit,
    admitAtOnce(creation) {
      stopIfOver();
      budget.spend(creation);
    },
    wait,
    stop,
  };
}
