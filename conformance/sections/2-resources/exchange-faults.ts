/** Faults of §2 that mix up animals: a value of one appears in another, as careless sharing between requests brings about. */

import type { JsonObject } from '../../http/json.ts';
import { exchanging } from '../4.1-list-pets/page-changes.ts';
import { breaking, changeCreated, type FaultDraft, type Wrap } from '../fault.ts';

/** Two creations within this time run at once. */
const concurrentMs = 20;

/** Answers a creation with a value of one that ran at the same time. */
function mixedAmongConcurrent(field: 'name' | 'categoryId' | 'status'): Wrap {
  return (handle) => {
    let last: { readonly animal: JsonObject; readonly at: number } | undefined;
    return changeCreated((animal, { now }) => {
      const before = last;
      last = { animal, at: now };
      const value = before !== undefined && now - before.at <= concurrentMs ? before.animal[field] : undefined;
      return value === undefined ? undefined : { ...animal, [field]: value };
    })(handle);
  };
}

export const exchangeFaults: readonly FaultDraft[] = [
  ...breaking('pet-name-kept', { 'creation-shows-the-name-of-a-concurrent-one': mixedAmongConcurrent('name') }),
  ...breaking('pet-category-id-kept', {
    'creation-shows-the-category-of-a-concurrent-one': mixedAmongConcurrent('categoryId'),
    'page-exchanges-categories': exchanging('categoryId'),
  }),
  ...breaking(['pet-status-kept', 'list-status-filter'], {
    'creation-shows-the-status-of-a-concurrent-one': mixedAmongConcurrent('status'),
    'page-exchanges-statuses': exchanging('status'),
  }),
];
