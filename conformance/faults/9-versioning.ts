/** Faults of §9: getPet gone too early. */

import { changeAnswer, errorAnswer, type Fault } from './fault.ts';

export const versioningFaults: readonly Fault[] = [
  {
    id: 'read-answers-gone-as-from-2030',
    breaks: ['get-until-removal'],
    wrap: changeAnswer((answer, { operation, isAuthorized }) =>
      operation === 'getPet' && isAuthorized ? errorAnswer(410, answer) : undefined,
    ),
  },
  {
    id: 'read-answers-not-found-for-all',
    breaks: ['get-until-removal'],
    wrap: changeAnswer((answer, { operation, isAuthorized }) =>
      operation === 'getPet' && isAuthorized ? errorAnswer(404, answer) : undefined,
    ),
  },
];
