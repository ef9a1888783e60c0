/** Faults of §4.1: services that trip over single limits and over headers that every client may send. */

import { changeAnswer, errorAnswer, type Fault, type FaultDraft, ordinary, rare, requestHeader } from '../fault.ts';
import { changeQuery } from './page-changes.ts';

/** Answers one limit with one animal more. */
function limitOffByOne(limit: number): FaultDraft {
  return {
    id: `limit-${limit}-one-too-many`,
    breaks: ['list-limit'],
    wrap: changeQuery((query) => query.get('limit') === String(limit) && query.set('limit', String(limit + 1))),
  };
}

/** Refuses reads and listings whose header matches. */
function refusedHeader(id: string, name: string, status: number, pattern: RegExp): FaultDraft {
  return {
    id,
    breaks: ['list-answer', 'get-answer'],
    wrap: changeAnswer((answer, { request, operation }) =>
      operation !== 'createPet' && answer.status === 200 && pattern.test(requestHeader(request, name) ?? '')
        ? errorAnswer(status, answer)
        : undefined,
    ),
  };
}

export const oddQueryFaults: readonly Fault[] = [
  ...ordinary(
    refusedHeader('accept-of-several-types-refused', 'accept', 406, /,/),
    refusedHeader('accept-with-parameters-refused', 'accept', 406, /;/),
  ),
  ...rare(
    ...[10, 25, 30, 50].map(limitOffByOne),
    refusedHeader('cache-control-refused', 'cache-control', 400, /no-cache/),
    refusedHeader('content-type-without-body-refused', 'content-type', 415, /./),
  ),
];
