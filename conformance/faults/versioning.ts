/** Faults of §9: getPet removed too early, base addresses without the version segment. */

import {
  answerError,
  type Call,
  changeRequest,
  changeServed,
  errorAnswer,
  type Wrap,
  withTarget,
} from '../services/wraps.ts';
import { type Fault, ordinary, rare } from './fault.ts';

/** Every so-many-th read of an animal that exists gets an Error. */
export function nowAndThen(status: number, every: number): Wrap {
  return changeServed('getPet', (answer, _call, count) =>
    count % every === 0 ? errorAnswer(status, answer) : undefined,
  );
}

const isRead = ({ operation, isAuthorized }: Call): boolean => operation === 'getPet' && isAuthorized;

/** Puts the service at another base path. */
function movedTo(basePath: string): Wrap {
  return changeRequest((request) => {
    const isInside = request.target.startsWith(`${basePath}/`);
    return withTarget(request, isInside ? `/v1${request.target.slice(basePath.length)}` : '/nowhere');
  });
}

const basePaths = { 'without-a-version': '', 'of-another-version': '/v2', 'with-more-behind-its-version': '/v1/store' };

export const versioningFaults: readonly Fault[] = [
  ...ordinary('get-until-removal', {
    'read-answers-gone-as-from-2030': answerError(410, isRead),
    'read-answers-not-found-for-all': answerError(404, isRead),
  }),
  ...rare(['get-until-removal', 'get-answer'], {
    'read-answers-gone-now-and-then': nowAndThen(410, 3),
    'read-answers-not-allowed-now-and-then': nowAndThen(405, 5),
    'read-answers-not-found-now-and-then': nowAndThen(404, 3),
    'every-seventh-read-not-found': nowAndThen(404, 7),
  }),
  ...Object.entries(basePaths).flatMap(([id, basePath]) =>
    ordinary('version-base-address', { [`base-address-${id}`]: movedTo(basePath) }).map((fault) => ({
      ...fault,
      basePath,
    })),
  ),
];
