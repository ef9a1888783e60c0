/** §4.1: judges whether a listing without a limit is as long as one with limit 20 at the same moment. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { readListing } from '../../http/read-request.ts';
import type { Invariant } from '../../verdict/check.ts';
import { betweenResets } from '../../verdict/emptied.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { createdBefore, type History, isSameKey, settledBefore } from '../../verdict/history.ts';
import { isVarying } from './completeness.ts';
import { areConfirmed } from './freshness.ts';
import { type ListedPage, listedPages, pagesOfQuery } from './listed-pages.ts';

/** A page without a limit between two with limit 20 that are as long as each other. */
interface Round {
  readonly view: ListedPage;
  readonly around: readonly [ListedPage, ListedPage];
  readonly expected: number;
}

function isConcurrent(one: Exchange, other: Exchange): boolean {
  return !happenedBefore(one, other) && !happenedBefore(other, one);
}

/** Since other clients add and remove animals, a page is compared only with two neighbours that agree. */
export function roundsOf(history: History): readonly Round[] {
  const views = listedPages(history);
  return views.flatMap((view, at) => {
    if (!view.isDefault) return [];
    const isEquivalent = (one: ListedPage): boolean =>
      readListing(one.exchange).limit === 20 &&
      one.status === view.status &&
      isSameKey(one.exchange, view.exchange) &&
      !isConcurrent(one.exchange, view.exchange);
    const [before, after] = [views.slice(0, at).findLast(isEquivalent), views.slice(at + 1).find(isEquivalent)];
    if (before === undefined || after === undefined) return [];
    // The run added no animal in between.
    if (settledBefore(history, before.exchange).length !== createdBefore(history, after.exchange).length) return [];
    const expected = before.page.entries.length;
    // A service may apply the limit before the filter: then only full pages are comparable.
    const isComparable = expected === after.page.entries.length && (view.status === 'any' || expected === 20);
    return isComparable ? [{ view, around: [before, after], expected }] : [];
  });
}

function exchangesOf({ view, around: [before, after] }: Round): readonly Exchange[] {
  return [before, view, after].map(({ exchange }) => exchange);
}

/** The last creation of the run before a page, or the first exchange of a run without one: nothing changed since. */
function lastChange(history: History, { exchange }: ListedPage): Exchange | undefined {
  return createdBefore(history, exchange).at(-1)?.exchange ?? history.exchanges[0];
}

/** Whether all pages show the last animal that the run created, so that none of them is an older copy. */
function showNewest(history: History, rounds: readonly Round[]): boolean {
  const newest = createdBefore(history, rounds[0]!.view.exchange).at(-1);
  return (
    newest !== undefined && rounds.every(({ view, around }) => [view, ...around].every(({ ids }) => ids.has(newest.id)))
  );
}

type Rounds = readonly [earlier: Round, later: Round];

/** Whether two rounds show what is true since a moment: no page of theirs is an older copy. */
function areConfirmedRounds(history: History, rounds: Rounds, sinceMs: number): boolean {
  const [earlier, later] = rounds.map(exchangesOf);
  return earlier!.every((exchange, place) => areConfirmed(history, [exchange, later![place]!], sinceMs));
}

/** Whether an animal was known before any page of two rounds was made. */
function isKnownBefore(history: History, rounds: Rounds, change: Exchange, id: bigint): boolean {
  const known = history.known.get(id);
  if (known === undefined) return false;
  const shownAt = known.shownBy?.endedAt ?? Number.POSITIVE_INFINITY;
  return known.since <= change.answered || areConfirmedRounds(history, rounds, shownAt);
}

/** So many known animals are not removed at once, so that each page of 20 could be full. */
const certainlyMany = 40;

/**
 * Whether the shorter pages of two rounds lack an animal that was there when all pages were made, or together show more
 * such animals than one of them holds. Otherwise caches may have made the pages at different moments, and other clients
 * have added or removed animals in between.
 */
function lackKnownAnimals(history: History, rounds: Rounds, change: Exchange): boolean {
  const pages = rounds.flatMap(({ view, around }) => [view, ...around]);
  const shortest = Math.min(...pages.map(({ page }) => page.entries.length));
  const shorter = pages.filter(({ page }) => page.entries.length === shortest);
  const longer = pages.filter(({ page }) => page.entries.length > shortest);
  const known = [...new Set(longer.flatMap(({ ids }) => [...ids]))].filter((id) =>
    isKnownBefore(history, rounds, change, id),
  );
  const sinceChange = pagesOfQuery(history, shorter[0]!).filter((view) => lastChange(history, view) === change);
  // An animal of another client that the same query has shown since may have been removed.
  const isLacking = (id: bigint): boolean =>
    longer.every(({ ids }) => ids.has(id)) &&
    (history.createdById.has(id) ? shorter : sinceChange).every(({ ids }) => !ids.has(id));
  const isInBoth = (id: bigint): boolean => shorter.some(({ ids }) => ids.has(id));
  return known.some(isLacking) || known.filter(isInBoth).length > shortest || known.length >= certainlyMany;
}

/** An earlier round, if all since the last change have the same lengths: varying pages and old copies would differ. */
function confirmingRound(history: History, rounds: readonly Round[], round: Round): Round | undefined {
  const { view, expected } = round;
  const change = lastChange(history, view);
  const alike = rounds.filter((one) => one.view.query === view.query && lastChange(history, one.view) === change);
  const hasSameLengths = (one: Round): boolean =>
    one.expected === expected && one.view.page.entries.length === view.page.entries.length;
  if (change === undefined || !alike.every(hasSameLengths)) return undefined;
  return alike.find((earlier) => {
    if (!happenedBefore(earlier.view.exchange, view.exchange)) return false;
    const both = [earlier, round] as const;
    const areFresh = showNewest(history, both) || areConfirmedRounds(history, both, change.endedAt);
    return areFresh && lackKnownAnimals(history, both, change);
  });
}

function judgeRound(history: History, rounds: readonly Round[], round: Round): readonly Finding[] {
  const { view, expected } = round;
  const received = view.page.entries.length;
  if (received === expected) return expected < 20 ? [] : [holds('list-limit-default', ...exchangesOf(round))];
  // `pages-keep-the-limit` reports a page of more than 20.
  if (Math.max(received, expected) > 20) return [];
  // Pages of varying length agree by chance, and a cache repeats the chance.
  const earlier = isVarying(history) ? undefined : confirmingRound(history, rounds, round);
  const change = lastChange(history, view);
  if (earlier === undefined || change === undefined) return [];
  const [asked, compared] = [view, round.around[0]].map(({ exchange }) => exchange.request.target);
  const facts = {
    expected: `${expected} animals from GET ${asked}, as from GET ${compared} just before and after`,
    received: `${received}`,
  };
  const evidence = new Set([change, ...exchangesOf(earlier), ...exchangesOf(round)]);
  return [{ ...fails('list-limit-default', 'default-differs', facts, ...evidence), isConfirmed: true }];
}

export const defaultIsTwenty: Invariant = {
  id: 'default-is-twenty',
  verifies: ['list-limit-default'],
  title: 'A page without a limit is as long as one with limit 20',
  judge: betweenResets((history) => {
    const rounds = roundsOf(history);
    return rounds.flatMap((round) => judgeRound(history, rounds, round));
  }),
};
