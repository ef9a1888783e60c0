/** Faults of §9: getPet removed too early, base addresses without the version segment. */

import { changeAnswer, errorAnswer, type Fault, type FaultDraft, ordinaryExcept } from '../fault.ts';

const goneFaults: readonly FaultDraft[] = [
  {
    id: 'read-answers-gone-as-from-2030',
    breaks: ['get-until-removal'],
    wrap: changeAnswer((answer, { operation, isAuthorized }) =>
      operation === 'getPet' && isAuthorized ? errorAnswer(410, answer) : undefined,
    ),
  },
  {
    id: 'read-answers-gone-now-and-then',
    breaks: ['get-until-removal', 'get-answer'],
    wrap: (handle) => {
      let reads = 0;
      return changeAnswer((answer, { operation }) => {
        if (operation !== 'getPet' || answer.status !== 200) return undefined;
        reads += 1;
        return reads % 3 === 0 ? errorAnswer(410, answer) : undefined;
      })(handle);
    },
  },
  {
    id: 'read-answers-not-found-for-all',
    breaks: ['get-until-removal'],
    wrap: changeAnswer((answer, { operation, isAuthorized }) =>
      operation === 'getPet' && isAuthorized ? errorAnswer(404, answer) : undefined,
    ),
  },
];

const addressFaults: readonly FaultDraft[] = Object.entries({
  'without-a-version': '',
  'of-another-version': '/v2',
  'with-more-behind-its-version': '/v1/store',
}).map(([id, basePath]) => ({
  id: `base-address-${id}`,
  breaks: ['version-base-address'],
  basePath,
  wrap: (handle) => handle,
}));

export const versioningFaults: readonly Fault[] = ordinaryExcept(
  ['read-answers-gone-now-and-then'],
  ...goneFaults,
  ...addressFaults,
);
