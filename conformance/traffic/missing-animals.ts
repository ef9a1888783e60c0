/**
 * Animals that recorded traffic proves to be missing. Nothing can be asked for again, so the traffic has to hold the later
 * looks itself, and the control: another channel that shows the animal, or the other animals of its client.
 */

import type { Exchange } from '../http/exchange.ts';
import { readPetId } from '../http/read-request.ts';
import { statusOf } from '../http/read-response.ts';
import { longestCopyMs, refreshMs } from '../http/tolerances.ts';
import { reads } from '../sections/4.3-get-pet/reads.ts';
import { type Failing, fails } from '../verdict/finding.ts';
import { isGroundSteady, sightings } from '../world/ground.ts';
import type { CreatedPet, History } from '../world/history.ts';
import { listedPages, longestPage, missingAnimals } from '../world/pages.ts';

/** No copy of a cache is older than this. */
const settledMs = longestCopyMs + refreshMs;

type Miss = readonly [pet: CreatedPet, answer: Exchange];

function isLate([pet, answer]: Miss): boolean {
  return answer.startedAt - pet.exchange.endedAt > settledMs;
}

/** Unfiltered pages with room, each with the newest animal that it lacks, which stands for all. */
function missesOfPages(history: History): readonly Miss[] {
  return listedPages(history).flatMap((view) => {
    const { length } = view.page.entries;
    const hasRoom = length === 0 || length < longestPage(history);
    if (view.status !== 'any' || view.isDefault || !hasRoom) return [];
    const misses = missingAnimals(history, view).map((pet) => [pet, view.exchange] as const);
    return misses.filter(isLate).slice(-1);
  });
}

function missesOfReads(history: History): readonly Miss[] {
  return reads(history).flatMap((read) => {
    const pet = statusOf(read) === 404 ? history.createdById.get(readPetId(read) as bigint) : undefined;
    return pet !== undefined && isLate([pet, read]) ? [[pet, read] as const] : [];
  });
}

/** Whether answers of one operation that lack an animal prove that they should show it. */
function isProven(history: History, pet: CreatedPet, [first, ...later]: readonly Exchange[]): boolean {
  const seen = sightings(history).get(pet) ?? [];
  const isOwn = ({ operation }: Exchange): boolean => operation === first!.operation;
  if (seen.some((one) => isOwn(one) && one.sent > first!.sent)) return false;
  if (seen.some((one) => !isOwn(one) && one.answered > first!.sent)) return true;
  // One that was seen before may have been removed by another client (§4.4).
  return seen.length === 0 && isGroundSteady(history, later.at(-1) ?? first!, pet);
}

/** The newest animal that at least so many answers prove to be missing, with these answers. */
function newestMissing(history: History, misses: readonly Miss[], fewest: number) {
  return [...Map.groupBy(misses, ([pet]) => pet)]
    .map(([pet, all]) => ({ pet, answers: all.map(([, answer]) => answer) }))
    .filter(({ pet, answers }) => answers.length >= fewest && isProven(history, pet, answers))
    .toSorted((one, other) => other.pet.exchange.sent - one.pet.exchange.sent)
    .slice(0, 1);
}

/** The failures to list or to find the newest animal that is missing. */
export function failuresToShow(history: History): readonly Failing[] {
  // An animal that one page lacks may have been overtaken by others.
  const unlisted = newestMissing(history, missesOfPages(history), 2).map(({ pet, answers }) => {
    const received = `${answers.length} pages without it, later than any copy`;
    const facts = { expected: `the animal ${pet.id} on a page with room`, received };
    return fails('list-complete' as const, 'animal-missing', facts, pet.exchange, answers[0]!, answers.at(-1)!);
  });
  const unfound = newestMissing(history, missesOfReads(history), 1).map(({ pet, answers }) => {
    const facts = { expected: `200 for the animal ${pet.id}, which exists`, received: '404', status: 404 };
    return fails('get-answer' as const, 'unexpected-status', facts, pet.exchange, answers.at(-1)!);
  });
  return [...unlisted, ...unfound];
}
