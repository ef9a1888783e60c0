/** A failure as data, and the one sentence that says it to a person. */

import type { FailureCode } from '../../spec/failure-codes.ts';

/** The facts of a failure: no reader takes them out of a sentence. */
export interface FailureFacts {
  /** Completes "expected …". */
  readonly expected: string;
  /** Completes "received …". */
  readonly received: string;
  /** The status that was received, where it is the wrong one. */
  readonly status?: number | undefined;
  /** JSON pointer (RFC 6901) into the body of the last exchange: the value that the failure is about. */
  readonly pointer?: string | undefined;
  /** The input that was sent and led to the failure, such as a categoryId, a query or a credential by its id. */
  readonly input?: { readonly name: string; readonly value: string } | undefined;
}

/** The reason why a requirement is broken. `code` is stable. */
export interface Failure extends FailureFacts {
  readonly code: FailureCode;
}

export function sentenceOf({ expected, received }: Pick<FailureFacts, 'expected' | 'received'>): string {
  return `expected ${expected}, received ${received}`;
}
