/** Waits for the end of an outage: repeats the request that met it while all others wait. */

import type { Exchange } from '../http/exchange.ts';
import { readRetryAfter } from '../http/read-response.ts';
import {
  flickerWaitsMs,
  longestOutageAtStartMs,
  longestOutageMs,
  outageWaitsMs,
  persistentFailureMs,
} from '../http/tolerances.ts';
import { isLost, looksLikeOutage, readOutages } from '../verdict/outages.ts';
import { reason } from '../verdict/reasons.ts';
import type { Pace } from './pace.ts';
import type { Prepared } from './planned-request.ts';

interface OutageGuardOptions {
  readonly exchanges: readonly Exchange[];
  readonly maxWaitMs: number;
  readonly pace: Pick<Pace, 'wait' | 'stop'>;
  /** Requests of different operations that create nothing: they show whether the target serves anything. */
  readonly probes: readonly Prepared[];
}

/** Sends a request although others are held back. */
type SendInOutage = (prepared: Prepared, repeats?: number) => Promise<Exchange>;

/** After so many persistent failures of one operation, further ones are not worth the time: the report has them. */
const persistentPerOperation = 3;

/** Once so many more outages were over at the first repeat than were not, the next is expected to be as short. */
const fewestFlickers = 2;

/** What the target does instead of serving a request. */
function inWords({ response }: Exchange): string {
  return response === undefined ? 'it breaks the connection' : `a gateway answers ${response.status}`;
}

export function createOutageGuard({ exchanges, maxWaitMs, pace, probes }: OutageGuardOptions) {
  const persistent = new Map<string, number>();
  let outage: Promise<void> | undefined;
  let flickers = 0;

  const hasServed = (): boolean =>
    exchanges.some((exchange) => exchange.response !== undefined && !looksLikeOutage(exchange));

  function holdOthers(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    outage = promise;
    return () => {
      if (outage === promise) outage = undefined;
      resolve();
    };
  }

  /** The wait before the next repeat by a schedule, or Retry-After if that is longer. */
  function waitBefore(repeat: number, scheduleMs: readonly number[], { response, endedAt }: Exchange): number {
    const scheduled = scheduleMs[repeat] ?? scheduleMs.at(-1)!;
    const asked = response === undefined ? 0 : (readRetryAfter(response, endedAt) ?? 0);
    return Math.min(Math.max(scheduled, Math.min(asked, longestOutageMs)), maxWaitMs);
  }

  /** Whether the target serves another operation while this one fails; each repeat tries the next one. */
  async function servesOther({ planned }: Prepared, repeat: number, send: SendInOutage): Promise<boolean> {
    // Before the first answer nothing is posted: the address may be anybody's.
    const mayPost = hasServed();
    const others = probes.filter(
      ({ planned: other }) => other.operation !== planned.operation && (mayPost || other.method === undefined),
    );
    return !isLost(exchanges, await send(others[repeat % others.length]!));
  }

  function endIfLasting(waitedMs: number, nextMs: number, last: Exchange): boolean {
    const isStarted = hasServed();
    if (waitedMs + nextMs <= (isStarted ? longestOutageMs : longestOutageAtStartMs)) return false;
    if (isStarted) {
      pace.stop(reason('outage', { seconds: Math.round(waitedMs / 1000), answers: inWords(last) }));
    }
    // Before the first answer the preflight says what is wrong.
    return true;
  }

  async function repeatUntilClear(
    prepared: Prepared,
    first: Exchange,
    send: SendInOutage,
    release: () => void,
  ): Promise<Exchange> {
    const { operation } = prepared.planned;
    let last = first;
    let waitedMs = 0;
    let isServingOthers = false;
    // A gateway that fails one request in four would cost a second each time.
    const scheduleMs = flickers < fewestFlickers ? outageWaitsMs : [...flickerWaitsMs, ...outageWaitsMs];
    for (let repeat = 0; ; repeat += 1) {
      const ms = waitBefore(repeat, scheduleMs, last);
      if (!isServingOthers && endIfLasting(waitedMs, ms, last)) return last;
      const state = hasServed() ? 'the target is out of service' : 'the target has not answered yet';
      // A server that speaks TLS ends a connection that begins without it.
      const hint = hasServed() || last.response !== undefined ? '' : ' (is the address right, http or https included?)';
      await pace.wait(ms, `${state}, since ${inWords(last)}${hint}`);
      waitedMs += ms;
      last = await send(prepared, first.number);
      const isOver = !isLost(exchanges, last);
      if (repeat === 0) flickers = Math.max(0, flickers + (isOver ? 1 : -1));
      if (isOver) return last;
      if (repeat >= 1 && !isServingOthers) {
        isServingOthers = await servesOther(prepared, repeat, send);
        if (isServingOthers) release();
      }
      const { requiredRepeats } = readOutages(exchanges);
      const isClear = isServingOthers && repeat + 1 >= requiredRepeats;
      if (!isClear || (waitedMs < persistentFailureMs && ms < maxWaitMs)) continue;
      persistent.set(operation, (persistent.get(operation) ?? 0) + 1);
      return last;
    }
  }

  return {
    /** Pending during an outage: nothing else is sent until it resolves. */
    current: () => outage,
    /**
     * Repeats a request until it is served, or until it is clear that it fails by itself. Rejects with RunStopped if the
     * outage lasts.
     */
    async repeat(prepared: Prepared, first: Exchange, send: SendInOutage): Promise<Exchange> {
      if ((persistent.get(prepared.planned.operation) ?? 0) >= persistentPerOperation) return first;
      if (outage !== undefined) {
        // Another request has waited for the end of the outage already.
        while (outage !== undefined) await outage;
        const again = await send(prepared, first.number);
        if (!isLost(exchanges, again)) return again;
      }
      const release = holdOthers();
      try {
        return await repeatUntilClear(prepared, first, send, release);
      } finally {
        release();
      }
    },
  };
}
