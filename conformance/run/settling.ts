/** Waits for new animals to appear: §4 does not say how soon a created animal is listed or found. */

import type { Session } from './session.ts';

/**
 * Waits until `settleMs` have passed since the last creation. By default every animal must be visible then. Does not wait
 * if that takes longer than --max-wait.
 */
export async function waitToSettle(session: Session, settleMs = session.settings.settleMs): Promise<void> {
  const { exchanges, settings, clock, budget, wait } = session;
  if (budget.requestsLeft() === 0) return;
  const last = exchanges.findLast(({ operation, response }) => operation === 'createPet' && response?.status === 201);
  const ms = last === undefined ? 0 : last.endedAt + settleMs - clock.now();
  if (ms > 0 && ms <= settings.maxWaitMs) await wait(ms, 'new animals may not be listed yet');
}
