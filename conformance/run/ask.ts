/**
 * Sends a request, waits as the headers say, and repeats what was not answered, by one table of schedules. Attempts are
 * linked by `repeats`.
 */

import type { Exchange } from '../http/exchange.ts';
import { longestOutageAtStartMs, longestOutageMs, unansweredWaitsMs } from '../http/tolerances.ts';
import { reason } from '../verdict/reasons.ts';
import { isOfService, isOutage, isRefused, lastingOutages } from '../world/evidence.ts';
import { readingOf } from '../world/readings.ts';
import type { Pace } from './pace.ts';
import type { Prepared } from './planned-request.ts';

/** Resolves with the last attempt. Rejects with RunStopped or BudgetSpent. */
export type Ask = (prepared: Prepared, check: string) => Promise<Exchange>;

/** The run ends after so many further timeouts of operations with a lasting outage, since each of them takes long. */
const mostInVain = 6;

const isLate = ({ failure }: Exchange): boolean => failure?.code === 'timeout';

/** What the target does instead of serving a request. */
function outageInWords({ response, failure }: Exchange): string {
  if (response !== undefined) return `a gateway answers ${response.status}`;
  if (failure?.code === 'timeout') return 'it gives no answer in time (--timeout allows more)';
  return failure?.code === 'unreachable' ? 'it cannot be reached' : 'it breaks the connection';
}

/** `listing` and `reading` change nothing: in an outage, one of them shows whether the target serves other requests. */
export function createAsk(
  exchanges: readonly Exchange[],
  pace: Pick<Pace, 'send' | 'wait' | 'stop'>,
  { listing, reading }: Readonly<Record<'listing' | 'reading', Prepared>>,
): Ask {
  /** Pending during an outage: nothing else is sent until it resolves. */
  let outage: Promise<void> | undefined;
  let lateInVain = 0;

  const hasServed = (): boolean => exchanges.some(isOfService);

  /** The wait before the next repetition: by the schedule, or by a longer Retry-After up to half of the longest outage. */
  function waitBefore(repetition: number, exchange: Exchange): number {
    const scheduled = unansweredWaitsMs[repetition] ?? unansweredWaitsMs.at(-1)!;
    const { waitMs = 0 } = readingOf(exchange);
    return Math.max(scheduled, Math.min(waitMs, longestOutageMs / 2));
  }

  /** Repeats a request until it is answered, or fails while others are served. Ends the run if the outage lasts. */
  async function waitOut(first: Exchange, repeat: () => Promise<Exchange>, check: string): Promise<Exchange> {
    const { promise, resolve } = Promise.withResolvers<void>();
    outage = promise;
    const control = first.operation === 'listPets' ? reading : listing;
    try {
      let last = first;
      let servesOthers = false;
      for (let repetition = 0; ; repetition += 1) {
        const ms = waitBefore(repetition, last);
        const longestMs = hasServed() ? longestOutageMs : longestOutageAtStartMs;
        const lastedMs = last.endedAt - first.startedAt;
        if (lastedMs + ms > longestMs) {
          // Before the first answer the preflight says what is wrong.
          if (servesOthers || !hasServed()) return last;
          pace.stop(reason('outage', { seconds: Math.round(lastedMs / 1000), answers: outageInWords(last) }));
        }
        const state = hasServed() ? 'the target is out of service' : 'the target has not answered yet';
        await pace.wait(ms, `${state}, since ${outageInWords(last)}`);
        last = await repeat();
        if (!isOutage(last) || lastingOutages(exchanges).has(last)) return last;
        if (isLate(last) && !hasServed()) return last;
        if (repetition > 0) servesOthers ||= isOfService(await pace.send(control, check));
      }
    } finally {
      outage = undefined;
      resolve();
    }
  }

  /** Whether to give up a request whose operation has a lasting outage, which the report shows. Ends the run after too many. */
  function giveUp(last: Exchange): boolean {
    const isLasting = [...lastingOutages(exchanges).keys()].some(({ operation }) => operation === last.operation);
    if (isLasting && isLate(last)) lateInVain += 1;
    if (lateInVain >= mostInVain) pace.stop(reason('answers-ceased', { count: lateInVain + 1 }));
    return isLasting;
  }

  /** Whether a refused connection or another protocol is no outage, since nothing ever answered at the address. */
  function isAbsent({ failure }: Exchange): boolean {
    const isElsewhere = failure?.code === 'unreachable' || failure?.code === 'malformed';
    return isElsewhere && exchanges.every(({ response }) => response === undefined);
  }

  return async (prepared, check) => {
    while (outage !== undefined) await outage;
    const first = await pace.send(prepared, check);
    const repeat = (): Promise<Exchange> => pace.send(prepared, check, first.number);
    let last = first;
    for (;;) {
      // Another request may wait for the end of the outage already.
      while (outage !== undefined) await outage;
      if (isRefused(last)) last = await repeat();
      else if (!isOutage(last) || isAbsent(last) || giveUp(last)) return last;
      else {
        last = await waitOut(last, repeat, check);
        if (isOutage(last)) return last;
      }
    }
  };
}
