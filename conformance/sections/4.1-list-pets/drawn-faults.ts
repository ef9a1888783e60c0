/** Faults of §4.1 that few queries show: single limits that are misread. */

import { type Fault, type FaultDraft, rare } from '../fault.ts';
import { changeQuery } from './page-changes.ts';

/** Limits that give one animal more than they allow. */
const limits: Readonly<Record<string, (limit: number, status: string | null) => boolean>> = {
  'limit-13-one-too-many': (limit) => limit === 13,
  'limit-37-one-too-many': (limit) => limit === 37,
  'limit-99-one-too-many': (limit) => limit === 99,
  'limits-from-64-one-too-many': (limit) => limit >= 64 && limit < 100,
  'limits-of-sixteens-one-too-many': (limit) => limit > 0 && limit % 16 === 0,
  'filtered-limits-of-two-digits-one-too-many': (limit, status) => limit > 10 && limit < 20 && status !== null,
};

export const drawnListingFaults: readonly Fault[] = rare(
  ...Object.entries(limits).map(
    ([id, matches]): FaultDraft => ({
      id,
      breaks: ['list-limit'],
      wrap: changeQuery((query) => {
        const limit = Number(query.get('limit'));
        if (matches(limit, query.get('status'))) query.set('limit', String(limit + 1));
      }),
    }),
  ),
);
