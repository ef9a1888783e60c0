/** §9 Versioning: asks again for an animal that getPet has not found, although it found a younger one. */

import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { refreshMs } from '../../http/tolerances.ts';
import type { Scenario } from '../../run/scenario.ts';
import { type CreatedPet, type History, readHistory } from '../../verdict/history.ts';
import { isBeyondCopies, patienceOf } from '../4.1-list-pets/freshness.ts';
import { keepLasting } from '../4.1-list-pets/second-look.ts';
import { isRemoved, reads } from '../4.3-get-pet/reads.ts';
import { getPet } from '../requests.ts';

/** The reads that refresh every copy of a cache, and those after them. Most of them are worth little where few are left. */
const [firstReads, laterReads] = [8, 20];

/** The animals of the run that a read has not found, although an earlier read found them or one that is younger. */
function findVanished(history: History): readonly CreatedPet[] {
  const vanished = new Set<CreatedPet>();
  let youngest = 0;
  for (const exchange of reads(history)) {
    const id = readPetId(exchange);
    const created = typeof id === 'bigint' ? history.createdById.get(id) : undefined;
    const ofApiKey = [exchange, created?.exchange].every((one) => one?.credential.kind === 'valid');
    if (created === undefined || !ofApiKey) continue;
    if (statusOf(exchange) === 200) youngest = Math.max(youngest, created.exchange.sent);
    if (statusOf(exchange) === 404 && created.exchange.sent <= youngest) vanished.add(created);
  }
  return [...vanished];
}

/** A late replica or cache may do that, so the animal is read again when none can be late. */
export const vanishedReads: Scenario = {
  id: 'vanished-reads',
  rank: 5,
  verifies: ['get-until-removal'],
  title: 'Gets an animal repeatedly that was not found after a younger one, when no copy can be older than it',
  run: async (session) => {
    if (isRemoved(session) || session.budget.requestsLeft() < firstReads + laterReads) return;
    const history = readHistory(session.exchanges, session.settings);
    const candidates = findVanished(history);
    if (candidates.length === 0) return;
    const lasting = await keepLasting(
      session,
      candidates.map(({ id }) => id),
    );
    const vanished = candidates.find(({ id }) => lasting.includes(id));
    if (vanished === undefined) return;
    const since = vanished.exchange.endedAt;
    const waitMs = since + patienceOf(history) - session.clock.now();
    if (waitMs > session.settings.maxWaitMs) return;
    if (!isBeyondCopies(history, { startedAt: session.clock.now() }, since)) {
      await session.wait(waitMs, 'a cache may still answer with older copies');
    }
    const read = async (times: number): Promise<void> => {
      for (let count = 0; count < times; count += 1) await session.send(getPet(vanished.id));
    };
    await read(firstReads);
    await session.wait(refreshMs, 'a cache may refresh its copy');
    await read(laterReads);
  },
};
