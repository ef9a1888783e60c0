/** §8 Sends what shows the behaviour when the limit is exceeded: exhausts the key that the user provides for this. */

import { rateLimitKey, type SentCredential } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { idsShownIn, readRetryAfter, statusOf } from '../../http/read-response.ts';
import { refreshMs, refusalMarginMs, roundingMs } from '../../http/tolerances.ts';
import type { Check } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { waitToSettle } from '../../run/settling.ts';
import { readHistory } from '../../verdict/history.ts';
import { patienceOf } from '../4.1-list-pets/freshness.ts';
import { isRemoved } from '../4.3-get-pet/reads.ts';
import { createPet, getPet, listPets, plainPet } from '../requests.ts';
import { exceedFurther, exhaustAgain, exhaustFresh, waitUntilOver } from './exhaustion.ts';
import { mayCreateWith } from './mixed-requests.ts';
import { endOfRefusal, mostDelayOf } from './probes.ts';
import { isServed, readingOf } from './readings.ts';

const probed = ['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const;

function longest(refusals: readonly Exchange[]): Exchange {
  return refusals.reduce((one, other) => (endOfRefusal(other) > endOfRefusal(one) ? other : one));
}

/** Other clients may have exhausted the key again, so the return is tried twice. */
const mostTries = 2;

/** Sends with the key after the wait; resolves with the reason if it stays unknown whether the key is served again. */
async function comeBack(session: Session, key: string, refusal: Exchange): Promise<string | undefined> {
  const request = listPets('limit=1', rateLimitKey(key));
  let last = refusal;
  for (let tries = 0; tries < mostTries; tries += 1) {
    if (!(await waitUntilOver(session, last))) break;
    if (tries > 0 && mostDelayOf(last) > 0)
      await session.wait(mostDelayOf(last), 'its Retry-After may be by another clock');
    last = await session.sendOnce(request);
    if (statusOf(last) === 429) continue;
    if (isServed(last)) await goOn(session, key);
    return undefined;
  }
  const seconds = Math.ceil((endOfRefusal(last) - session.clock.now()) / 1000);
  if (seconds * 1000 > session.settings.maxWaitMs) return `the refusal lasts for ${seconds} s, longer than --max-wait`;
  return 'other clients had exhausted the key again each time';
}

/** Whether a read of an animal of the run has failed to find it before: the target shows animals late. */
function isLate({ exchanges }: Session): boolean {
  const ids = new Set(exchanges.filter((one) => one.operation === 'createPet').flatMap(idsShownIn));
  return exchanges.some((one) => {
    const id = one.operation === 'getPet' && statusOf(one) === 404 ? readPetId(one) : undefined;
    return typeof id === 'bigint' && ids.has(id);
  });
}

/** Reads a new animal, and asks for one that is not found until no cache can have a copy from before its creation. */
async function readNew(session: Session, id: bigint, credential: SentCredential): Promise<void> {
  const isKnownLate = isLate(session);
  const isFound = async (): Promise<boolean> => statusOf(await session.sendOnce(getPet(id, credential))) !== 404;
  const since = session.clock.now();
  if ((await isFound()) || isKnownLate) return;
  await waitToSettle(session);
  if (await isFound()) return;
  const patienceMs = patienceOf(readHistory(session.exchanges, session.settings)) - (session.clock.now() - since);
  if (patienceMs > session.settings.maxWaitMs) return;
  await session.wait(patienceMs, 'a cache may still answer with older copies');
  if (await isFound()) return;
  await session.wait(refreshMs, 'a cache may refresh its copy');
  await isFound();
}

/** Creates and reads an animal after the recovery, then exhausts the key again. */
async function goOn(session: Session, key: string): Promise<void> {
  const credential = rateLimitKey(key);
  const creation = mayCreateWith(session)
    ? await session.sendOnce(createPet(plainPet(session), credential))
    : undefined;
  if (creation !== undefined && statusOf(creation) === 429) return;
  const id = creation === undefined || isRemoved(session) ? undefined : idsShownIn(creation)[0];
  if (id !== undefined) await readNew(session, id, credential);
  await exhaustAgain(session, key);
}

/** Asks once where a Retry-After of 0 or beyond --max-wait can be refuted: soon after it, or once the limit has reset. */
async function checkRetryAfter(session: Session, key: string, refusal: Exchange, retryMs: number): Promise<void> {
  const { maxWaitMs } = session.settings;
  const untilResetMs = (readingOf(refusal)?.aheadMs ?? 0) - (session.clock.now() - refusal.endedAt);
  const isAsked = retryMs === 0 ? untilResetMs > 2 * roundingMs : retryMs > maxWaitMs && untilResetMs <= maxWaitMs;
  if (!isAsked) return;
  await session.wait(
    retryMs === 0 ? roundingMs : untilResetMs + refusalMarginMs,
    'the limit of PETSTORE_RATE_LIMIT_KEY was used up on purpose',
  );
  await session.sendOnce(listPets('limit=1', rateLimitKey(key)));
}

/** So many requests in a row show whether the API key is served although nothing is left. */
const requestsWithoutRest = 2;

/** Lists with the API key while the other is refused. Where nothing is left for it, it asks until it is refused, too. */
async function askWithApiKey(session: Session): Promise<void> {
  let last = await session.send(listPets('limit=1'));
  for (let count = 0; count < requestsWithoutRest; count += 1) {
    if (!isServed(last) || readingOf(last)?.remaining !== 0) return;
    last = await session.sendOnce(listPets('limit=1'));
  }
}

export const limitScenarios: readonly Check[] = [
  {
    id: 'exhaust-key',
    rank: 3,
    verifies: [...probed, 'rate-retry-after-length'],
    title: 'Exhausts the rate-limit key, exceeds its limit with each operation, uses the API key, waits, uses it again',
    run: async (session, { note }) => {
      const key = session.keys.rateLimit;
      if (key === undefined) return;
      const { refusal, reason } = await exhaustFresh(session, key);
      if (reason !== undefined) for (const requirement of probed) note(requirement, reason);
      if (refusal?.response === undefined) return;
      const last = longest(await exceedFurther(session, key));
      await askWithApiKey(session);
      const retryMs = readRetryAfter(refusal.response, refusal.endedAt);
      if (retryMs === undefined) return;
      await checkRetryAfter(session, key, refusal, retryMs);
      const reasonOfRecovery = await comeBack(session, key, last);
      if (reasonOfRecovery !== undefined) note('rate-recovery', reasonOfRecovery);
    },
  },
];
