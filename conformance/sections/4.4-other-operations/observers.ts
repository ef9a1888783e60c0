/** How the target answers operations that the interface does not show (§4.4). */

import { removalOfGetPet } from '../../../spec/facts.ts';
import { statusOf } from '../../http/read-response.ts';
import { collectAnswers, type Observe, refusalAnswer } from '../observation.ts';

export const otherOperations: Observe<'other-operations'> = (history) =>
  collectAnswers(
    // GET of an unknown path answers another question; after its removal so does getPet.
    history.settings.today >= removalOfGetPet
      ? []
      : history.answered.filter(({ operation, request }) => operation === 'other' && request.method !== 'GET'),
    (exchange) => {
      const status = statusOf(exchange) ?? 0;
      if (status === 405 || status === 501) return `refused-${status}`;
      if (status >= 200 && status < 300) return 'answered';
      return refusalAnswer(exchange, 404);
    },
  );
