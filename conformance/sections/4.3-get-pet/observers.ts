/** How the target answers a petId that is no int64 (§4.3). */

import { removalOfGetPet } from '../../../spec/facts.ts';
import { isError } from '../../http/documented.ts';
import type { Exchange } from '../../http/exchange.ts';
import { readPetId } from '../../http/read-request.ts';
import { dateOf, statusOf } from '../../http/read-response.ts';
import { type History, isAuthorized } from '../../verdict/history.ts';
import { collectAnswers, type Observe, refusalAnswer } from '../observation.ts';

/** Reads with a valid key and without escapes: a gateway may answer an escape itself. */
export function plainReads(history: History): readonly Exchange[] {
  return history.answered.filter(
    (exchange) => exchange.operation === 'getPet' && isAuthorized(exchange) && !exchange.request.target.includes('%'),
  );
}

/** Whether the target answered before the removal of getPet, by its own clock. */
export function isBeforeRemoval(exchange: Exchange): boolean {
  return exchange.response !== undefined && dateOf(exchange.response, exchange.endedAt) < removalOfGetPet;
}

export const petIdNotInt64: Observe<'pet-id-not-int64'> = (history) =>
  collectAnswers(
    plainReads(history).filter((exchange) => readPetId(exchange) === 'not-int64' && isBeforeRemoval(exchange)),
    (exchange) => {
      if (statusOf(exchange) === 404 && isError(exchange)) return 'not-found-404';
      return refusalAnswer(exchange, 400, 422);
    },
  );
