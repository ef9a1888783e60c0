/** What one look at the requests of a client gives for one statement, and how a check is written. */

import type { ClientStatementId } from '../../spec/client-statements.ts';
import type { Exchange } from '../engine/evidence/exchange.ts';
import type { Visit } from './visit.ts';

export interface ClientFinding {
  readonly statement: ClientStatementId;
  readonly exchanges: readonly Exchange[];
  /** `code` is stable; `message` has the form "expected …, received …". */
  readonly failure?: { readonly code: string; readonly message: string };
}

/** A pure function over what a client sent in one world. */
export interface ClientCheck {
  readonly verifies: readonly ClientStatementId[];
  readonly judge: (visit: Visit) => Iterable<ClientFinding>;
}

export function holds(statement: ClientStatementId, ...exchanges: readonly Exchange[]): ClientFinding {
  return { statement, exchanges };
}

export function breaks(
  statement: ClientStatementId,
  code: string,
  message: string,
  ...exchanges: readonly Exchange[]
): ClientFinding {
  return { statement, exchanges, failure: { code, message } };
}
