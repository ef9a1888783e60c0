/** How soon an animal is listed or found is open (§4): what is missing is judged only where it had time to appear. */

import { effectOf } from '../../spec/operation-roles.ts';
import type { Session } from './session.ts';

/** Waits until all that was created so far must be found, if that is not longer than the run may wait. */
export async function waitToSettle({ exchanges, settings, clock, budget, wait }: Session): Promise<void> {
  if (budget.requestsLeft() === 0) return;
  const last = exchanges.findLast(
    ({ operation, response }) => effectOf(operation) === 'creates' && response?.status === 201,
  );
  const ms = last === undefined ? 0 : last.endedAt + settings.settleMs - clock.now();
  if (ms > 0 && ms <= settings.maxWaitMs) await wait(ms, 'how soon a created animal is seen is open');
}
