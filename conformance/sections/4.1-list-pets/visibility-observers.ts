/** When the target shows a new animal, and how many animals its pages hold. */

import { petStatuses } from '../../../spec/operations.ts';
import { happenedBefore } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { History } from '../../verdict/history.ts';
import {
  isFull,
  type ListedPage,
  latePages,
  listedPages,
  longestPage,
  missingAnimals,
  promptPages,
} from '../../world/pages.ts';
import { reads } from '../4.3-get-pet/reads.ts';
import { type Observe, observationOf, withSize } from '../observation.ts';

export const visibility: Observe<'visibility'> = (history) => {
  const own = reads(history).filter((read) => history.createdById.has(readPetId(read) as bigint));
  const missed = own.find((read) => {
    const isFoundLater = own.some(
      (later) => readPetId(later) === readPetId(read) && statusOf(later) === 200 && happenedBefore(read, later),
    );
    const isAfter = happenedBefore(history.createdById.get(readPetId(read) as bigint)!.exchange, read);
    return statusOf(read) === 404 && isAfter && isFoundLater;
  });
  const late = missed ?? latePages(history)[0]?.exchange;
  if (late !== undefined) return observationOf('later', late);
  return observationOf('at-once', own.find((read) => statusOf(read) === 200) ?? promptPages(history)[0]?.exchange);
};

/** A page with at least this limit shows whether the service caps pages below it. */
const longLimit = 50;
/** A catalogue of fewer animals may fit on a page that is capped. */
const manyAnimals = 20;
/** A fault may lose a few animals, but hardly this many at once. */
const muchMore = 5;

export const pageCap: Observe<'page-cap'> = (history) => {
  const views = listedPages(history).filter(({ status, most }) => status === 'any' && most >= longLimit);
  const longest = longestPage(history);
  // Where new animals are shown at once and never later, only a cap leaves them out.
  const isPrompt = promptPages(history).length > 0 && latePages(history).length === 0;
  const capped = views.find(
    (view) => view.page.entries.length === longest && missingAnimals(history, view).length >= muchMore,
  );
  if (capped !== undefined && isPrompt) return withSize(observationOf('fewer', capped.exchange), longest);
  const whole = views.findLast((view) => view.ids.size >= manyAnimals && missingAnimals(history, view).length === 0);
  return observationOf('as-asked', views.find(isFull)?.exchange ?? whole?.exchange);
};

/** The animals of a shorter page may all match by chance. */
const fewestMatches = 3;

export const shortPages: Observe<'short-pages'> = (history) => {
  const longest = longestPage(history);
  const filtered = listedPages(history).flatMap((view) => {
    const status = petStatuses.find((one) => one === view.status);
    return status === undefined || view.most > longest ? [] : [{ view, status }];
  });
  const short =
    latePages(history).length > 0 ? undefined : filtered.find(({ view }) => !isFull(view) && isTooShort(history, view));
  if (short !== undefined) return observationOf('limit-before-filter', short.view.exchange);
  // The first animals of the catalogue cannot all have two different statuses.
  const full = filtered.filter(({ view }) => isFull(view) && view.most >= fewestMatches);
  const other = full.find(({ status }) => status !== full[0]?.status);
  return observationOf('filter-before-limit', other?.view.exchange);
};

/** Whether more animals match than the page shows, and they are still there after it. */
function isTooShort(history: History, view: ListedPage): boolean {
  const { exchange, most, status } = view;
  const matching = [...history.known].filter(
    ([id, known]) =>
      known.status === status && known.since < exchange.sent && (history.lastShown.get(id) ?? 0) >= exchange.sent,
  );
  return matching.length >= most;
}
