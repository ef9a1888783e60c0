/** Whether a page has room for the animals that it lacks (§4.1): a service may end its pages at a number of animals or of bytes. */

import { defined } from '../../spec/defined.ts';
import { pageLimit } from '../../spec/operations.ts';
import { isJsonObject, type JsonObject, writeJson } from '../http/json.ts';
import { memoize } from '../http/memoize.ts';
import { isFull, type ListedPage, listedPages, missingAnimals, pagesByQuery } from './animals.ts';
import { type CreatedPet, createdBefore, type World } from './world.ts';

/** How long the text of an animal is, in each unit in which a service may bound a page: UTF-8, UTF-16, and escaped JSON. */
interface TextSize {
  readonly bytes: number;
  readonly units: number;
  readonly escaped: number;
}

function sizeOfText(text: string): TextSize {
  const escaped = text.replace(/[\u{80}-\u{ffff}]/gu, '\\u0000').replace(/[\u{10000}-\u{10ffff}]/gu, '\\u0000\\u0000');
  return { bytes: Buffer.byteLength(text), units: text.length, escaped: escaped.length };
}

/**
 * The size of an animal by its fields that vary in length. An id has one length nearly always, and what a service adds to each
 * animal counts with their number.
 */
export const textSizeOf = memoize(
  ({ name, categoryId, status }: JsonObject): TextSize => sizeOfText(writeJson(defined({ name, categoryId, status }))),
);

const sizeOfPage = memoize(({ entries }: ListedPage): TextSize => {
  const sizes = entries.map((entry) => (isJsonObject(entry) ? textSizeOf(entry) : sizeOfText(writeJson(entry))));
  return {
    bytes: sizes.reduce((sum, { bytes }) => sum + bytes, 0),
    units: sizes.reduce((sum, { units }) => sum + units, 0),
    escaped: sizes.reduce((sum, { escaped }) => sum + escaped, 0),
  };
});

/** Whether a page has as many entries and as much text as another would have with one more animal of these, whichever. */
function isAsLargeAsWith(page: ListedPage, other: ListedPage, pets: readonly CreatedPet[]): boolean {
  if (page.entries.length <= other.entries.length) return false;
  const has = sizeOfPage(page);
  const without = sizeOfPage(other);
  const more = largestOf(pets);
  return (
    has.bytes >= without.bytes + more.bytes &&
    has.units >= without.units + more.units &&
    has.escaped >= without.escaped + more.escaped
  );
}

/** The size of the largest of some animals, in each unit. */
export function largestOf(pets: readonly CreatedPet[]): TextSize {
  const sizes = pets.map(({ returned }) => textSizeOf(returned));
  return {
    bytes: Math.max(...sizes.map(({ bytes }) => bytes)),
    units: Math.max(...sizes.map(({ units }) => units)),
    escaped: Math.max(...sizes.map(({ escaped }) => escaped)),
  };
}

/** A page of fewer may be empty where the limit comes before a filter of the service's own, such as that of a tenant. */
const leastForEmpty = pageLimit.usual;

/** A service that ends its pages at a number of bytes has room for two animals of this size. */
const longestPlain = 100;

/** Whether an animal is short: a name of the kit without more, and a category of any length. */
function isPlain({ returned }: CreatedPet): boolean {
  return textSizeOf(returned).escaped <= longestPlain;
}

/** The newest animal but one of the run, where a page shows the newest alone, and both are plain. */
function onlyTheLastIsListed(world: World, { exchange, entries, ids }: ListedPage): CreatedPet | undefined {
  const [before, last] = createdBefore(world, exchange).slice(-2);
  if (before === undefined || last === undefined || entries.length !== 1 || !ids.has(last.id)) return undefined;
  return isPlain(before) && isPlain(last) ? before : undefined;
}

/** Whether a page has room for any animal, since it is empty. */
export function hasRoomForAny({ entries, most }: ListedPage): boolean {
  return entries.length === 0 && most >= leastForEmpty;
}

/**
 * Returns the animals of the run that a page lacks although it has room for them. §4.1 states only a maximum: a service may end
 * its pages after fewer entries, after a number of bytes, or at the first animal that does not fit. Room is proven where another
 * page of this limit has shown as many entries and as much text as this page would have with the largest missing animal. Two
 * pages need no such proof: an empty page of a usual limit has room for any animal, and a page that lists only the last animal
 * has room for the one before.
 */
export function missingDespiteRoom(
  world: World,
  view: ListedPage,
  missing: readonly CreatedPet[] = missingAnimals(world, view),
): readonly CreatedPet[] {
  if (missing.length === 0 || isFull(view)) return [];
  if (hasRoomForAny(view)) return missing;
  // A filter leaves out animals at which the page without it may have ended.
  const isComparable = ({ most, status }: ListedPage): boolean =>
    most === view.most && (status === view.status || status === 'any');
  if (listedPages(world).some((other) => isComparable(other) && isAsLargeAsWith(other, view, missing))) return missing;
  const before = onlyTheLastIsListed(world, view);
  return missing.filter((pet) => pet === before);
}

/**
 * Whether pages vary in length by themselves, or hold less after a large animal was created, so that their length proves nothing:
 * a page is shorter than the one before it to the same question. A page that becomes longer may have been late.
 */
export const arePagesVarying = memoize((world: World): boolean =>
  [...pagesByQuery(world).values()].some((pages) =>
    pages.slice(1).some((page, at) => page.entries.length < pages[at]!.entries.length),
  ),
);
