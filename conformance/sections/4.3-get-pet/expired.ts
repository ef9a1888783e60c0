/** Whether a service removes each animal after a time, as a sandbox may that keeps only recent ones (§4.4). */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { memoize } from '../../http/memoize.ts';
import { readPetId } from '../../http/read-request.ts';
import { idsShownIn, statusOf } from '../../http/read-response.ts';
import { hasRoom } from '../../verdict/emptied.ts';
import { type CreatedPet, type History, idsOf, isAuthorized } from '../../verdict/history.ts';

/** A single animal that is gone may have been lost. */
const fewestExpired = 2;

/** An animal is at least and at most this old when an exchange shows or lacks it, milliseconds. */
const leastAge = ({ exchange }: CreatedPet, { startedAt }: Exchange): number => startedAt - exchange.endedAt;
const mostAge = ({ exchange }: CreatedPet, { endedAt }: Exchange): number => endedAt - exchange.startedAt;

/** The exchanges that show an animal, or lack it although they had room. */
function looksAt(history: History, pet: CreatedPet) {
  const later = (exchange: Exchange): boolean => happenedBefore(pet.exchange, exchange);
  const reads = history.answered.filter(
    (exchange) => exchange.operation === 'getPet' && isAuthorized(exchange) && readPetId(exchange) === pet.id,
  );
  const pages = history.pages.map(({ exchange }) => exchange);
  const shown = [...reads, ...pages].filter((exchange) => later(exchange) && idsShownIn(exchange).includes(pet.id));
  const whole = history.pages.filter((page) => hasRoom(page) && !idsOf(page).includes(pet.id));
  const missing = [...reads.filter((read) => statusOf(read) === 404), ...whole.map(({ exchange }) => exchange)];
  return { shown, missing: missing.filter((exchange) => shown.some((one) => happenedBefore(one, exchange))) };
}

/**
 * The greatest age at which animals of the run were shown, if the service removes them after a time: several that were shown
 * are gone, each for good and older than any was shown. Undefined otherwise.
 */
const longestLife = memoize((history: History): number | undefined => {
  const looks = history.created.map((pet) => ({ pet, ...looksAt(history, pet) }));
  const gone = looks.filter(({ missing }) => missing.length > 0);
  if (gone.length < fewestExpired) return undefined;
  const shownAt = Math.max(...looks.flatMap(({ pet, shown }) => shown.map((one) => leastAge(pet, one))));
  const goneAt = Math.min(...gone.flatMap(({ pet, missing }) => missing.map((one) => mostAge(pet, one))));
  return shownAt >= history.settings.settleMs && shownAt <= goneAt ? shownAt : undefined;
});

/** Whether an animal of the run may have been removed for its age when an exchange lacked it. */
export function mayBeExpired(history: History, pet: CreatedPet, exchange: Exchange): boolean {
  const life = longestLife(history);
  return life !== undefined && mostAge(pet, exchange) >= life;
}
