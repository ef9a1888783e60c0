/** The verdict of each interaction: what the verifier says of its answer, and what the gateway knows of its request. */

import type { Pact, PactInteraction } from '../pact.ts';
import type { Attempt } from './attempts.ts';
import type { ReportedInteraction } from './kit.ts';
import type { NativeResult } from './verifier.ts';

type Verdict = Pick<ReportedInteraction, 'verdict' | 'messages' | 'isExcused'>;

function judge(result: NativeResult, attempt: Attempt | undefined): Verdict {
  if (attempt?.hindrance !== undefined) {
    const excused = attempt.isForUser ? { isExcused: true as const } : {};
    return { verdict: 'not-verifiable', messages: [attempt.hindrance], ...excused };
  }
  if (!attempt?.isAsked) {
    const why = result.messages[0] ?? 'the path leads elsewhere';
    return { verdict: 'not-verifiable', messages: [`its request did not reach the target: ${why}`] };
  }
  if (result.isPass) return { verdict: 'pass', messages: [] };
  if (attempt.excuse !== undefined) return { verdict: 'not-verifiable', messages: [attempt.excuse] };
  const { failure } = attempt;
  const messages = failure === undefined ? result.messages : [`the target gave no answer: ${failure}`];
  return { verdict: result.isPending ? 'pending' : 'fail', messages };
}

/** The verdict of an interaction that the verifier had. */
export function judgeInteraction(result: NativeResult, attempt: Attempt | undefined): ReportedInteraction {
  const { consumer, description, states } = result;
  return { consumer, description, states, exchanges: attempt?.exchanges ?? [], ...judge(result, attempt) };
}

/** The verdict of an interaction that the verifier did not get to, or cannot have. */
export function notVerified(
  { consumer }: Pact,
  { description, states }: PactInteraction,
  why: string,
): ReportedInteraction {
  const names = states.map(({ name }) => name);
  return { consumer, description, states: names, verdict: 'not-verifiable', messages: [why], exchanges: [] };
}
