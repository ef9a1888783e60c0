/** The shape of a check: a pure function over the requests of a client, with one finding for each requirement it judges. */

import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type Finding, fails } from '../../verdict/finding.ts';

/** The requests of a client in one run, or in a record of its traffic. */
export interface SentRequests {
  /** Requests to the base address, in the order in which they arrived. */
  readonly exchanges: readonly Exchange[];
  /** Requests to another host that an answer named; empty if the record shows none. */
  readonly toOtherHost: readonly Exchange[];
  /** The address of that host, if answers name it. */
  readonly otherHost?: string;
  /** Whether the service lives on another day than the client, which therefore cannot know what is deprecated there. */
  readonly isAnotherDay: boolean;
  /** How late timers fired on this machine in the meantime, milliseconds: requests may have arrived as late as that. */
  readonly latenessMs: number;
}

export type ClientFinding = Finding<ClientRequirementId>;

export interface ClientCheck {
  readonly verifies: readonly ClientRequirementId[];
  readonly judge: (requests: SentRequests) => Iterable<ClientFinding>;
}

export { holds } from '../../verdict/finding.ts';
export const breaks = fails<ClientRequirementId>;
