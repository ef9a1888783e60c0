/** Combines the verifier's result and the gateway's attempt into the verdict of an interaction. */

import type { ReportedInteraction } from '../../conformance/verdict/report.ts';
import { defined } from '../../spec/defined.ts';
import type { Pact, PactInteraction } from '../pact.ts';
import type { Attempt } from './attempts.ts';
import type { NativeResult } from './verifier.ts';

type Verdict = Pick<ReportedInteraction, 'verdict' | 'messages' | 'isExcused'>;

function judge(result: NativeResult, attempt: Attempt | undefined): Verdict {
  if (attempt?.blockedBy !== undefined) {
    const isExcused = attempt.isUserChoice ? (true as const) : undefined;
    return defined({ verdict: 'not-verifiable' as const, messages: [attempt.blockedBy], isExcused });
  }
  if (!attempt?.isSent) {
    const reason = result.messages[0] ?? 'its path leads elsewhere';
    return { verdict: 'not-verifiable', messages: [`its request did not reach the target: ${reason}`] };
  }
  if (result.isPass) return { verdict: 'pass', messages: [] };
  if (attempt.excuse !== undefined) return { verdict: 'not-verifiable', messages: [attempt.excuse] };
  const { failure } = attempt;
  const messages = failure === undefined ? result.messages : [`the target gave no answer: ${failure}`];
  return { verdict: result.isPending ? 'pending' : 'fail', messages };
}

export function judgeInteraction(result: NativeResult, attempt: Attempt | undefined): ReportedInteraction {
  const { consumer, description, states } = result;
  return { consumer, description, states, exchanges: attempt?.exchanges ?? [], ...judge(result, attempt) };
}

/** The result for a whole pact that cannot be read. */
export function pactNotVerified(reason: string): ReportedInteraction {
  return notVerified({ consumer: 'unreadable pact' }, { description: 'its interactions', states: [] }, reason);
}

/** The verdict of an interaction that the verifier did not or cannot run. */
export function notVerified(
  { consumer }: Pick<Pact, 'consumer'>,
  { description, states }: Pick<PactInteraction, 'description' | 'states'>,
  reason: string,
): ReportedInteraction {
  const names = states.map(({ name }) => name);
  return { consumer, description, states: names, verdict: 'not-verifiable', messages: [reason], exchanges: [] };
}
