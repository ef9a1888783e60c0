/** How the target answers `bearer` in lower case, and whether a 401 names the scheme (§5). */

import { isError } from '../../http/documented.ts';
import { statusOf } from '../../http/read-response.ts';
import { collectAnswers, type Observe, refusalAnswer } from '../observation.ts';

export const bearerCase: Observe<'bearer-case'> = (history) =>
  collectAnswers(
    history.answered.filter(({ credential }) => credential.kind === 'lenient'),
    (exchange) => {
      if (statusOf(exchange) === 200) return 'accepted';
      return statusOf(exchange) === 401 && isError(exchange) ? 'refused-401' : refusalAnswer(exchange);
    },
  );

export const wwwAuthenticate: Observe<'www-authenticate'> = (history) =>
  collectAnswers(
    history.answered.filter((exchange) => statusOf(exchange) === 401),
    ({ response }) => (response?.headers['www-authenticate'] === undefined ? 'none' : 'sent'),
  );
