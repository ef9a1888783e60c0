/** §1 Observes whether pages of other origins may read the answers (CORS). */

import { collectAnswers, type Observe } from '../observation.ts';

/** The origin of a page that does not exist: a service that allows it allows any. */
export const unknownOrigin = 'https://page.invalid';

/** Many services allow an origin only where a request names one, so an answer to any other request proves only a wildcard. */
export const cors: Observe<'cors'> = (history) =>
  collectAnswers(history.answered, ({ request, response }) => {
    const origin = response?.headers['access-control-allow-origin'];
    if (origin !== undefined) return ['*', unknownOrigin].includes(origin.trim()) ? 'any-origin' : 'some-origins';
    return request.headers['origin'] === undefined ? undefined : 'none';
  });
