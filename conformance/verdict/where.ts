/** Where a failure shows and where not: the smallest description that separates the exchanges that break a requirement. */

import {
  type Dimension,
  type DimensionId,
  dimensionIds,
  dimensions,
  type EvidenceSubject,
  ofAnimals,
  wrongPartOf,
} from './dimensions.ts';

/** One property that separates: its values where the requirement fails, and those where it holds. */
export interface WhereTrait {
  /** A `DimensionId`, or that of another version of the kit. */
  readonly dimension: string;
  readonly values: readonly string[];
  readonly others: readonly string[];
}

/** Where a failure shows, as data. */
export interface Where {
  /** How many exchanges fail. */
  readonly failing: number;
  /** In how many of the others the requirement holds. */
  readonly holding: number;
  /** What all failing exchanges have, together, and few or none in which the requirement holds; absent if nothing tells them apart. */
  readonly traits?: readonly WhereTrait[];
  /** In how many exchanges that have it the requirement holds all the same; absent if there is none. */
  readonly exceptions?: number;
}

/** With more values a property is no description any more. */
const mostValues = 6;
/** A pair of properties has to be simple, since some pair separates almost everything. */
const mostPairs = 2;

/** Fewer exchanges may have come in one order by chance. */
const leastInOrder = 3;

/** A property says something if this share of the exchanges that have it fails. */
const leastShare = 0.25;
/** From this share on a failure shows nearly each time. */
const almostAll = 0.9;

/** A list of values ends before it is longer, but has one at least. Characters. */
const longestList = 80;

interface RankedTrait {
  readonly trait: WhereTrait;
  readonly exceptions: number;
}

type ValuesByDimension = ReadonlyMap<DimensionId, readonly (string | undefined)[]>;

function dimensionOf(id: DimensionId): Dimension {
  return dimensions[id];
}

function readAll(subjects: readonly EvidenceSubject[], ids: readonly DimensionId[]): ValuesByDimension {
  return new Map(ids.map((id) => [id, subjects.map((subject) => dimensions[id].read(subject))]));
}

/** The properties in the order of preference: those of a part of the request come last where another part is wrong. */
function preferWrongPart(ids: readonly DimensionId[], failing: readonly EvidenceSubject[]): readonly DimensionId[] {
  const wrong = new Set(failing.map(({ shown }) => wrongPartOf(shown)));
  const isOfSoundPart = (id: DimensionId): boolean => {
    const { part } = dimensionOf(id);
    return part !== undefined && !wrong.has(part);
  };
  return ids.toSorted((one, other) => Number(isOfSoundPart(one)) - Number(isOfSoundPart(other)));
}

function traitOf(id: DimensionId, failing: ValuesByDimension, holding: ValuesByDimension): WhereTrait {
  const valuesOf = (reading: ValuesByDimension): readonly string[] => {
    const found = reading.get(id)!.filter((value) => value !== undefined);
    const byFrequency = [...Map.groupBy(found, (value) => value)]
      .toSorted(([, one], [, other]) => other.length - one.length)
      .map(([value]) => value);
    // Numbers such as statuses have an order of their own; of other values the usual ones come first.
    return byFrequency.every((value) => /^\d+$/.test(value)) ? byFrequency.toSorted() : byFrequency;
  };
  return { dimension: id, values: valuesOf(failing), others: valuesOf(holding) };
}

/** The texts by which a pair of properties tells exchanges apart. */
function valuePairsOf(reading: ValuesByDimension, one: DimensionId, other: DimensionId): readonly string[] {
  const seconds = reading.get(other)!;
  return reading.get(one)!.map((first, at) => JSON.stringify([first, seconds[at]]));
}

function haveNoneInCommon(failing: readonly unknown[], holding: readonly unknown[]): boolean {
  const found = new Set(failing);
  return !holding.some((value) => found.has(value));
}

/** Whether a reader sees what is fine. */
function hasContrast({ trait: { values, others } }: RankedTrait): boolean {
  return others.some((other) => !values.includes(other));
}

/** The properties by how well they separate: with the fewest exceptions, then with the fewest values. */
function rankTraits(
  ids: readonly DimensionId[],
  failing: ValuesByDimension,
  holding: ValuesByDimension,
): readonly RankedTrait[] {
  const ranked = ids.map((id): RankedTrait => {
    const values = new Set(failing.get(id)!);
    const exceptions = holding.get(id)!.filter((value) => values.has(value)).length;
    return { trait: traitOf(id, failing, holding), exceptions };
  });
  return ranked
    .filter(({ trait }) => trait.values.length <= mostValues)
    .toSorted(
      (one, other) =>
        one.exceptions - other.exceptions ||
        one.trait.values.length - other.trait.values.length ||
        Number(hasContrast(other)) - Number(hasContrast(one)),
    );
}

/** The first pair of properties that separates together. */
function findPair(
  ids: readonly DimensionId[],
  failing: ValuesByDimension,
  holding: ValuesByDimension,
): readonly WhereTrait[] | undefined {
  for (const [at, one] of ids.entries()) {
    for (const other of ids.slice(at + 1)) {
      const pairs = valuePairsOf(failing, one, other);
      if (new Set(pairs).size > mostPairs || !haveNoneInCommon(pairs, valuePairsOf(holding, one, other))) continue;
      return [traitOf(one, failing, holding), traitOf(other, failing, holding)];
    }
  }
  return undefined;
}

/**
 * Finds where a requirement fails. `without` are properties that only say again what the failure says, such as the status of
 * an answer whose status is wrong.
 */
export function findWhere(
  failing: readonly EvidenceSubject[],
  holding: readonly EvidenceSubject[],
  without: readonly DimensionId[],
): Where {
  const counts = { failing: failing.length, holding: holding.length };
  if (failing.length === 0 || holding.length === 0) return counts;
  // Animals are compared with animals: what is known of none where the requirement holds tells nothing.
  const isOfAnimals = holding.some(({ creation }) => creation !== undefined);
  const relevant = dimensionIds.filter((id) => !without.includes(id) && (isOfAnimals || !ofAnimals.includes(id)));
  const ids = preferWrongPart(relevant, failing);
  const ofFailing = readAll(failing, ids);
  const ofHolding = readAll(holding, ids);
  // A property is a description only where every failing exchange has it.
  const shared = ids.filter((id) => {
    const values = ofFailing.get(id)!;
    const mayBeChance =
      dimensionOf(id).isOfOrder === true && (new Set(values).size > 1 || values.length < leastInOrder);
    return !mayBeChance && values.every((value) => value !== undefined);
  });
  const [best] = rankTraits(shared, ofFailing, ofHolding);
  if (best?.exceptions === 0) return { ...counts, traits: [best.trait] };
  const pair = findPair(shared, ofFailing, ofHolding);
  if (pair !== undefined) return { ...counts, traits: pair };
  // A property of most exchanges says nothing, nor does one of which few fail.
  const isTelling =
    best !== undefined &&
    best.exceptions <= holding.length / 2 &&
    failing.length >= leastShare * (failing.length + best.exceptions);
  if (!isTelling) return counts;
  const values = new Set(best.trait.values);
  const others = best.trait.others.filter((value) => !values.has(value));
  return { ...counts, traits: [{ ...best.trait, others }], exceptions: best.exceptions };
}

function inOneList(values: readonly string[]): string {
  const [first = '', ...rest] = values;
  let list = first;
  for (const value of rest) {
    if (list.length + value.length > longestList) return `${list}, …`;
    list += `, ${value}`;
  }
  return list;
}

function traitInWords({ dimension, values }: WhereTrait): string {
  const isKnown = Object.hasOwn(dimensions, dimension);
  const say = isKnown ? dimensions[dimension as DimensionId].say : (text: string) => `where ${dimension} is ${text}`;
  return say(inOneList(values));
}

/** For example "on 401 (12 of 12), not on 200, 201, 404", "each time (5 of 5)", "in 3 of 41 answers, without a pattern". */
export function whereInWords({ failing, holding, traits = [], exceptions = 0 }: Where): string {
  const [first, second] = traits;
  if (holding === 0) {
    return failing === 1 ? 'the one time that it was asked' : `each time (${failing} of ${failing})`;
  }
  const all = failing + holding;
  if (first === undefined && failing >= almostAll * all) return `nearly each time (${failing} of ${all})`;
  if (first === undefined) return `in ${failing} of ${all} answers, without a pattern that the kit sees`;
  const share = `(${failing} of ${failing + exceptions})`;
  if (second !== undefined) return `only ${traitInWords(first)} and ${traitInWords(second)} ${share}`;
  const others =
    first.others.length === 0 ? 'not otherwise' : `not ${traitInWords({ ...first, values: first.others })}`;
  return `${traitInWords(first)} ${share}, ${others}`;
}
