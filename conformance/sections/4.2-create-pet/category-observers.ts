/** §2 Which categories the target accepts, concluded from those that it has accepted and refused. */

import { isInt64, isJsonObject } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { History } from '../../verdict/history.ts';
import { collectAnswers, type Observe, refusalAnswer, withSize } from '../observation.ts';
import { type Creation, creationsOf, departingIn, isAccepted } from './observers.ts';

/** The categories of other clients' animals: the service knows them. */
function categoriesOfOthers({ pages, createdById }: History): readonly bigint[] {
  return pages.flatMap(({ entries }) =>
    entries.filter(isJsonObject).flatMap(({ id, categoryId }) => {
      return createdById.has(id as bigint) || !isInt64(categoryId) ? [] : [categoryId];
    }),
  );
}

/** The first and the last category of services that accept all numbers of a type, the widest first. */
const ranges = [
  [-(2n ** 63n), 2n ** 63n - 1n],
  [1n - 2n ** 53n, 2n ** 53n - 1n],
  [-(2n ** 31n), 2n ** 31n - 1n],
].flatMap(([first, most]) => [first!, 0n, 1n].map((least) => ({ least, most: most! })));
/** A list with more ranges tells a client nothing. */
const mostRanges = 20;

/** The widest range of a type that holds every accepted category and no refused one, as text. */
function rangeOfType(accepted: readonly bigint[], refused: readonly bigint[]): string | undefined {
  const found = ranges.find(({ least, most }) => {
    const isInside = (category: bigint): boolean => category >= least && category <= most;
    return accepted.every(isInside) && !refused.some(isInside);
  });
  return found && `${found.least}..${found.most}`;
}

/** Categories as ranges, such as `1..3,7`. */
function listRanges(categories: Iterable<bigint>): string | undefined {
  const ranges: [least: bigint, most: bigint][] = [];
  for (const category of [...new Set(categories)].sort((one, other) => (one < other ? -1 : 1))) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] + 1n === category) last[1] = category;
    else ranges.push([category, category]);
  }
  if (ranges.length === 0 || ranges.length > mostRanges) return undefined;
  return ranges.map(([least, most]) => (least === most ? String(least) : `${least}..${most}`)).join();
}

function isRefusedForIt({ exchange, departures }: Creation): boolean {
  const status = statusOf(exchange) ?? 0;
  return departures.length === 1 && departures[0] === 'category' && status >= 400 && status < 500 && status !== 401;
}

/** The categories that no other reason than themselves had refused. */
export function refusedCategories(history: History): readonly bigint[] {
  return creationsOf(history)
    .filter(isRefusedForIt)
    .map(({ categoryId }) => categoryId);
}

function sizeOf(history: History): string | undefined {
  const created = creationsOf(history).filter(isAccepted);
  const accepted = [...created.map(({ categoryId }) => categoryId), ...categoriesOfOthers(history)];
  return rangeOfType(accepted, refusedCategories(history)) ?? listRanges(accepted);
}

export const knownCategories: Observe<'known-categories'> = (history) => {
  const refused = collectAnswers(departingIn(history, 'category'), (exchange) =>
    refusalAnswer(exchange, 400, 404, 409, 422),
  );
  if (refused !== undefined) return withSize(refused, sizeOf(history));
  const likely = new Set([...history.settings.categoryIds, 1n, ...categoriesOfOthers(history)]);
  const unlikely = creationsOf(history).filter(({ categoryId }) => !likely.has(categoryId));
  return collectAnswers(
    unlikely.filter(isAccepted).map(({ exchange }) => exchange),
    () => 'accepted',
  );
};
