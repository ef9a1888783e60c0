/**
 * Faults that take two unusual things at once: a wrong value, and what stands beside it or how it is written. Rows of the tables
 * have one at a time; drawn requests cross them.
 */

import { isPetStatus } from '../../reference-server/index.ts';
import { isInt64, writeJson } from '../http/json.ts';
import { changeQuery } from '../services/pages.ts';
import type { Call } from '../services/wraps.ts';
import { rewriting } from './bodies.ts';
import { eachRow, type FaultTable } from './fault.ts';

const defaultStatus = { status: 'available' } as const;

/** Wrong values that are checked in most bodies, and not where something else is unusual as well. */
const uncheckedBodies: Readonly<Record<string, (call: Call) => string | undefined>> = {
  // if (status) … else if (categoryId) …
  'category-unchecked-where-a-status-is-given': ({ pet: { categoryId, ...pet } }) => {
    const isSkipped = isPetStatus(pet['status']) && categoryId !== undefined && !isInt64(categoryId);
    return isSkipped ? writeJson({ ...pet, categoryId: 1n }) : undefined;
  },
  // A reader of a stream checks a status against the fields before it.
  'status-unchecked-where-it-comes-first': ({ text, pet }) => {
    const isSkipped = /^\s*\{\s*"status"/.test(text) && !isPetStatus(pet['status']);
    return isSkipped ? writeJson({ ...pet, ...defaultStatus }) : undefined;
  },
  // A pattern searches the text for "status": and knows no white space.
  'status-unchecked-before-white-space': ({ text, pet }) => {
    const isSkipped = /"status"\s+:/.test(text) && !isPetStatus(pet['status']);
    return isSkipped ? writeJson({ ...pet, ...defaultStatus }) : undefined;
  },
};

export const crossingFaults: FaultTable = {
  'create-invalid-values': eachRow('*', uncheckedBodies, rewriting),
  'list-limit-refused': {
    // Another statement is prepared for listings with a filter, and nobody checks its limit.
    'limit-of-letters-ignored-beside-a-filter': changeQuery((query) => {
      if (/^[a-z]+$/i.test(query.get('limit') ?? '') && isPetStatus(query.get('status'))) query.delete('limit');
    }),
  },
};
