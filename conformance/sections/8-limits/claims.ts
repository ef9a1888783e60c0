/** §8 The claim that a reset has passed and nothing was reset: whole seconds, and clocks that differ a little, hide it at first. */

import { type Claim, settled } from '../../run/confirm.ts';
import type { Session } from '../../run/session.ts';
import { listPets, worldOf } from '../requests.ts';
import { readingsOf } from './readings.ts';

/** After fewer requests a bucket is nearly full. It may reset within this second. */
const fewest = 20;

export function claimsOfLimits(session: Session): readonly Claim[] {
  const readings = readingsOf(worldOf(session), 'valid');
  const [first] = readings;
  const isPassed = readings.every(({ aheadMs, resetsAt }) => aheadMs <= 0 && resetsAt === first!.resetsAt);
  if (first === undefined || readings.length < fewest || !isPassed) return [];
  const look: Claim['look'] = async () => {
    const exchange = await session.send(listPets(`limit=${1 + (session.exchanges.length % 100)}`));
    const stands = claimsOfLimits(session).length > 0;
    return stands ? { sight: 'shown', exchanges: [exchange], isFresh: true } : settled;
  };
  const since = () => first.exchange.endedAt;
  // The last look comes so late that the judge of single answers fails it.
  return [{ requirement: 'rate-reset-header', key: 'reset', since, cost: 1, look, failures: () => [] }];
}
