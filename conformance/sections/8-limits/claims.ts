/** §8 The claim that the time of a reset has passed, and nothing was reset. Times are whole seconds, and clocks differ a little. */

import { type Claim, type Look, settled } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { listPetsInTurn, worldOf } from '../requests.ts';
import { readingsOf } from './readings.ts';

/** After fewer requests a bucket is nearly full, so that its reset lies within the second of the answer. */
const fewest = 20;

/** The question is another listing each time: a cache keeps the headers of a listing as well. */
async function look(session: Session): Promise<Look> {
  await session.send(listPetsInTurn(session.exchanges.length));
  const [claim] = claimsOfLimits(session);
  return claim === undefined ? settled : { sight: 'stands', claim };
}

export function claimsOfLimits(session: Session): readonly Claim[] {
  const readings = readingsOf(worldOf(session), 'valid');
  if (readings.length < fewest) return [];
  const first = readings[0]!;
  const isPassed = readings.every(({ aheadMs, resetsAt }) => aheadMs <= 0 && resetsAt === first.resetsAt);
  if (!isPassed) return [];
  const claim: Claim = {
    requirement: 'rate-reset-header',
    key: 'reset',
    since: first.exchange.endedAt,
    takesTime: true,
    cost: 1,
    costOfProof: 0,
    look,
    // The judge of single answers fails the answer to a late look.
    failures: () => [],
  };
  return [claim];
}
