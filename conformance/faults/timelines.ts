/** Faults of §8 that only several answers together show: Remaining in steps, alternating limits, wrong resets. */

import type { OperationName } from '../../spec/operations.ts';
import { limitedBy, sharedWindow } from '../services/limiters.ts';
import {
  type Call,
  changeAnswer,
  changeRemaining,
  hasKey,
  headerNumber,
  type Wrap,
  withHeader,
} from '../services/wraps.ts';
import { exhausting, type Fault, rare, rareEach } from './fault.ts';

export function changeReset(
  change: (reset: number, call: Call, random: () => number) => number | string | undefined,
): Wrap {
  return (handle, keys) => {
    let state = 1;
    const random = (): number => {
      state = (state * 16_807) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const changed = changeAnswer((answer, call) => {
      const reset = change(headerNumber(answer, 'X-RateLimit-Reset'), call, random);
      const shown = typeof reset === 'number' ? String(Math.floor(reset)) : reset;
      return shown === undefined ? undefined : withHeader(answer, 'X-RateLimit-Reset', shown);
    });
    return changed(handle, keys);
  };
}

const halfDay = 43_200;

/** A window so short that most of the limit is always left, as where seconds are taken for milliseconds. */
const windowOf = (ms: number): Wrap => limitedBy((size) => sharedWindow(size, 0, 0, ms));

/** Requests of one operation take several from the limit. */
const takesSeveral =
  (only: OperationName, price: number): Wrap =>
  (handle, keys) => {
    let [window, more] = [0, 0];
    return changeRemaining(({ remaining, reset }, call) => {
      if (!hasKey(call, 'api')) return undefined;
      if (reset !== window) [window, more] = [reset, 0];
      if (call.operation === only) more += price - 1;
      return remaining - more;
    })(handle, keys);
  };

export const timelineFaults: readonly Fault[] = [
  ...rare('rate-remaining-falls', {
    'window-of-sixty-milliseconds': windowOf(60),
    'counter-that-starts-anew-each-time': windowOf(1),
    'remaining-three-less-by-turns': changeRemaining(
      ({ limit, remaining }) => remaining - ((limit - remaining) % 2) * 3,
    ),
  }),
  ...rareEach('rate-remaining-falls', 'remaining-in-steps-of-*', [2, 5, 10], (size) =>
    changeRemaining(({ limit, remaining }) => limit - Math.ceil((limit - remaining) / size) * size),
  ),
  ...rare('rate-remaining-falls', {
    'listing-counted-twice': takesSeveral('listPets', 2),
    'read-counted-three-times': takesSeveral('getPet', 3),
    'creation-counted-five-times': takesSeveral('createPet', 5),
  }),
  ...rareEach('rate-remaining-falls', 'remaining-back-at-the-limit-with-*', [400, 404], (status) =>
    changeRemaining((shown, call) => (shown.status === status && call.isAuthorized ? shown.limit : undefined)),
  ),
  ...rare(['rate-limit-header', 'rate-limit-plan'], {
    'limit-by-turns': changeAnswer((answer, call) => {
      const isTurn = hasKey(call, 'api') && headerNumber(answer, 'X-RateLimit-Remaining') % 2 === 0;
      return isTurn ? withHeader(answer, 'X-RateLimit-Limit', '100000') : undefined;
    }),
  }),
  ...rare('rate-reset-header', {
    'reset-drawn-anew-each-time': changeReset((reset, _call, random) => reset + random() * 3_600),
    'reset-half-a-day-late': changeReset((reset) => reset + halfDay),
    'reset-always-now': changeReset((_reset, { now }) => now / 1000),
    'reset-at-the-end-of-the-hour': changeReset((_reset, { now }) => Math.ceil(now / 3_600_000) * 3_600),
  }),
  ...rare(['rate-reset-header', 'rate-remaining-falls'], {
    'reset-drawn-within-the-minute': changeReset((_reset, { now }, random) => now / 1000 + random() * 59),
  }),
  ...exhausting(
    ...rare('rate-reset-header', {
      'reset-at-the-start-of-the-window': changeReset((reset) => reset - 60),
      'reset-of-the-limit-key-half-a-day-late': changeReset((reset, call) =>
        hasKey(call, 'rateLimit') ? reset + halfDay : undefined,
      ),
      'reset-of-the-limit-key-always-half-a-day-ahead': changeReset((_reset, call) =>
        hasKey(call, 'rateLimit') ? call.now / 1000 + halfDay : undefined,
      ),
    }),
  ),
];
