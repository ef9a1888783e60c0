/** §4 does not say how soon a created animal is listed or found: a missing one is judged only after the settle time. */

import type { Exchange } from '../http/exchange.ts';
import type { Settings } from './settings.ts';

/** Whether a request was sent so long after an answer that it must show the animals of that answer. */
export function isSettled(
  { settleMs }: Settings,
  shownBy: Pick<Exchange, 'endedAt'>,
  later: Pick<Exchange, 'startedAt'>,
): boolean {
  return later.startedAt - shownBy.endedAt >= settleMs;
}
