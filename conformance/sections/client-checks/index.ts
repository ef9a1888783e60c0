/** The judges of the requests of a client. */

import { type ClientFinding, judgeRequests, type SentRequests } from './requests.ts';
import { judgeWaits } from './waits.ts';

export type { ClientFinding, SentRequests } from './requests.ts';

/** Everything that the requests of a client show of the client requirements. */
export function judgeSent(requests: SentRequests): readonly ClientFinding[] {
  return [...judgeRequests(requests), ...judgeWaits(requests)];
}
