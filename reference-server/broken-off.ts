/** Answers that never come: a handle says so by throwing, and whoever serves breaks the connection. */

import type { StoreResponse } from './answer.ts';

/** Thrown by a handle instead of an answer; no handle of a store that keeps the interface throws it. */
export class BrokenOff extends Error {}

/** What a handle answers, or undefined where it breaks off. */
export function answerOrBreak(answer: () => StoreResponse): StoreResponse | undefined {
  try {
    return answer();
  } catch (error) {
    if (error instanceof BrokenOff) return undefined;
    throw error;
  }
}
