/** How soon an animal is listed or found is open (§4): what is missing is judged only where it had time to appear. */

import type { Exchange } from '../http/exchange.ts';
import type { Settings } from './settings.ts';

/** Whether a request was sent so long after an answer that it must find what that answer showed. */
export function isSettled(
  { settleMs }: Settings,
  shownBy: Pick<Exchange, 'endedAt'>,
  later: Pick<Exchange, 'startedAt'>,
): boolean {
  return later.startedAt - shownBy.endedAt >= settleMs;
}
