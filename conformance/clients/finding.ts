/** What one look at the requests of a client gives for one requirement, and how a check is written. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { FailureCode } from '../../spec/failure-codes.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ClientRun } from './client-run.ts';

export interface ClientFinding {
  readonly requirement: ClientRequirementId;
  readonly exchanges: readonly Exchange[];
  /** `code` is stable; `message` has the form "expected …, received …". */
  readonly failure?: { readonly code: FailureCode; readonly message: string };
}

/** A pure function over what a client sent in one world. */
export interface ClientCheck {
  readonly verifies: readonly ClientRequirementId[];
  readonly judge: (visit: ClientRun) => Iterable<ClientFinding>;
}

export function holds(requirement: ClientRequirementId, ...exchanges: readonly Exchange[]): ClientFinding {
  return { requirement, exchanges };
}

export function breaks(
  requirement: ClientRequirementId,
  code: FailureCode,
  message: string,
  ...exchanges: readonly Exchange[]
): ClientFinding {
  return { requirement, exchanges, failure: { code, message } };
}
