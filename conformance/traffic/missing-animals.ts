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
import type { CreatedPet, History } from '../verdict/history.ts';
import { isGroundSteady, sightings } from '../world/ground.ts';
import { listedPages, longestPage, missingAnimals } from '../world/pages.ts';

/** No copy of a cache is older than this. */
const settledMs = longestCopyMs + refreshMs;

/** Whether answers that lack an animal, all of one operation, prove that they should show it. */
function isProven(history: History, pet: CreatedPet, [first, ...later]: readonly Exchange[]): boolean {
  if (first === undefined) return false;
  const seen = sightings(history).get(pet) ?? [];
  if (seen.some(({ operation, sent }) => operation === first.operation && sent > first.sent)) return false;
  if (seen.some(({ operation, answered }) => operation !== first.operation && answered > first.sent)) return true;
  // One that was seen before may have been removed by another client (§4.4).
  return seen.length === 0 && isGroundSteady(history, later.at(-1) ?? first, pet);
}

function isLate({ startedAt }: Exchange, { exchange }: CreatedPet): boolean {
  return startedAt - exchange.endedAt > settledMs;
}

type Misses = readonly (readonly [CreatedPet, Exchange])[];

/** Unfiltered pages with room, later than any copy, each with the newest animal that it lacks. */
function missesOfPages(history: History): Misses {
  return listedPages(history).flatMap((view) => {
    const { length } = view.page.entries;
    const hasRoom = length === 0 || length < longestPage(history);
    if (view.status !== 'any' || view.isDefault || !hasRoom) return [];
    // The newest of them stands for all, so that long traffic takes no more than a run.
    const newest = missingAnimals(history, view).findLast((pet) => isLate(view.exchange, pet));
    return newest === undefined ? [] : [[newest, view.exchange] as const];
  });
}

function missesOfReads(history: History): Misses {
  return reads(history).flatMap((read) => {
    const id = statusOf(read) === 404 ? readPetId(read) : undefined;
    const pet = typeof id === 'bigint' ? history.createdById.get(id) : undefined;
    return pet === undefined || !isLate(read, pet) ? [] : [[pet, read] as const];
  });
}

/** The newest animal that is proven to be missing, with the answers that lack it. */
function newestMissing(history: History, misses: Misses, fewest: number) {
  const byPet = [...Map.groupBy(misses, ([pet]) => pet)].map(([pet, all]) => ({
    pet,
    answers: all.map(([, exchange]) => exchange),
  }));
  return byPet
    .toSorted((one, other) => other.pet.exchange.sent - one.pet.exchange.sent)
    .filter(({ pet, answers }) => answers.length >= fewest && isProven(history, pet, answers))
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
