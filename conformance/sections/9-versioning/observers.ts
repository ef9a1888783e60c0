/** How the target announces the removal of getPet, and how it answers afterwards (§9). */

import { isError } from '../../http/documented.ts';
import { readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { isKnownBefore } from '../../verdict/history.ts';
import { isBeforeRemoval, plainReads } from '../4.3-get-pet/observers.ts';
import { collectAnswers, type Observe, refusalAnswer } from '../observation.ts';

export const afterRemoval: Observe<'after-removal'> = (history) => {
  const known = plainReads(history).filter((exchange) => {
    const id = readPetId(exchange);
    return typeof id === 'bigint' && isKnownBefore(history, exchange, id) && !isBeforeRemoval(exchange);
  });
  return collectAnswers(known, (exchange) => {
    const status = statusOf(exchange) ?? 0;
    if (status === 200) return 'continues';
    if (status === 410 && isError(exchange)) return 'gone-410';
    if (status === 404 && isError(exchange)) return 'not-found-404';
    return status >= 300 && status < 400 ? 'redirected' : refusalAnswer(exchange);
  });
};

export const deprecationHeaders: Observe<'deprecation-headers'> = (history) =>
  collectAnswers(
    plainReads(history).filter((exchange) => statusOf(exchange) === 200 || statusOf(exchange) === 404),
    ({ response }) => {
      const { deprecation, sunset, warning, link = '' } = response?.headers ?? {};
      const isLinked = /rel="?[^",]*(successor-version|deprecation|sunset)/i.test(link);
      if (deprecation !== undefined) return 'deprecation';
      if (sunset !== undefined) return isLinked ? 'sunset' : 'sunset-only';
      return isLinked || warning !== undefined ? 'other-header' : 'none';
    },
  );
