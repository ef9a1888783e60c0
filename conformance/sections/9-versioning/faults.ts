/** Faults of §9: getPet removed too early, base addresses without the version segment. */

import {
  answerError,
  breaking,
  type Call,
  changeServed,
  errorAnswer,
  type Fault,
  type FaultDraft,
  ordinaryExcept,
  type Wrap,
} from '../fault.ts';

/** Every so-many-th read of an animal that exists gets an Error. */
export function nowAndThen(status: number, every: number): Wrap {
  return (handle) => {
    let reads = 0;
    return changeServed('getPet', (answer) => {
      reads += 1;
      return reads % every === 0 ? errorAnswer(status, answer) : undefined;
    })(handle);
  };
}

const isRead = ({ operation, isAuthorized }: Call): boolean => operation === 'getPet' && isAuthorized;

const goneFaults: readonly FaultDraft[] = [
  ...breaking('get-until-removal', {
    'read-answers-gone-as-from-2030': answerError(410, isRead),
    'read-answers-not-found-for-all': answerError(404, isRead),
  }),
  ...breaking(['get-until-removal', 'get-answer'], {
    'read-answers-gone-now-and-then': nowAndThen(410, 3),
    'read-answers-not-allowed-now-and-then': nowAndThen(405, 5),
    'read-answers-not-found-now-and-then': nowAndThen(404, 3),
    'every-seventh-read-not-found': nowAndThen(404, 7),
  }),
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
  [
    'read-answers-gone-now-and-then',
    'read-answers-not-allowed-now-and-then',
    'read-answers-not-found-now-and-then',
    'every-seventh-read-not-found',
  ],
  ...goneFaults,
  ...addressFaults,
);
