/** Rechecks what failed: sends the requests that show a failure once more, and then smaller ones in their place. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { animalsOf } from '../http/read-response.ts';
import {
  isSameFailure,
  plainestFailures,
  type RequestStep,
  shortestSequence,
  stepOf,
} from '../verdict/counterexample.ts';
import { type Counterexample, type Finding, isFailing, type Recheck } from '../verdict/finding.ts';
import { isOutage, lastingOutages } from '../world/evidence.ts';
import { BudgetSpent } from './budget.ts';
import { resend } from './resend.ts';
import type { Session } from './session.ts';
import { isSmall, smallerSteps } from './smaller-requests.ts';
import type { RunState } from './suite.ts';

/** Longer sequences are not sent again: the requests are better spent on what has not been tried yet. */
const longestRecheck = 8;
/** The most requests that one recheck spends on shrinking, for all failures together. */
const mostToShrink = 40;

/** Sends steps again; resolves with nothing where the budget ends before their last. */
async function sendAgain(
  session: Session,
  { suite }: RunState,
  steps: readonly RequestStep[],
): Promise<readonly Exchange[]> {
  try {
    return await resend(session, suite, steps);
  } catch (error) {
    if (error instanceof BudgetSpent) return [];
    throw error;
  }
}

/** Whether a page shows as many animals as before; what is no page has no such state. */
function isSameState(before: Exchange, again: Exchange): boolean {
  return before.operation !== 'listPets' || animalsOf(before).length === animalsOf(again).length;
}

/** Whether a failure shows in exchanges that were sent again, on their own or together with the rest of the run. */
function failsAgain(
  session: Session,
  { judge }: RunState,
  requirement: RequirementId,
  again: readonly Exchange[],
): boolean {
  const isAgain = ({ exchanges }: Finding): boolean => exchanges.some((exchange) => again.includes(exchange));
  return [again, session.exchanges].some((shown) => {
    const failures = judge(shown, requirement).filter(isFailing);
    return failures.some((failing) => failing.requirement === requirement && isAgain(failing));
  });
}

/** Sends a failing sequence once more, if it is short and the budget allows. */
async function recheck(session: Session, state: RunState, known: Counterexample): Promise<Recheck> {
  const { finding, exchanges } = known;
  // These requests have been repeated several times already.
  if (lastingOutages(exchanges).size > 0) return 'fails-again';
  if (exchanges.length > Math.min(longestRecheck, session.budget.requestsLeft())) return 'not-asked-again';
  if (exchanges.some(({ credential }) => credential.kind === 'rate-limit')) return 'not-asked-again';
  const again = await sendAgain(session, state, exchanges.map(stepOf));
  if (again.length === 0 || again.some(isOutage)) return 'not-asked-again';
  if (failsAgain(session, state, finding.requirement, again)) return 'fails-again';
  // A page of other animals is another question: only what was asked again in the same state can be flaky.
  return again.every((one, at) => isSameState(exchanges[at]!, one)) ? 'flaky' : 'not-asked-again';
}

/** Sends smaller sequences in place of one, the smallest first, until one shows the failure as well. */
async function shrink(
  session: Session,
  state: RunState,
  first: Counterexample,
  allowance: { left: number },
): Promise<Counterexample> {
  const steps = first.exchanges.map(stepOf);
  if (steps.every(isSmall)) return first;
  const alone = first.exchanges.map(animalsOf).filter(({ length }) => length === 1);
  const received = alone.map(([animal]) => String(animal!['name'] ?? ''));
  const sequences = steps.flatMap((step, at) =>
    smallerSteps(session.settings, step, received).map((smaller) => steps.with(at, smaller)),
  );
  for (const sequence of sequences) {
    if (allowance.left < sequence.length) break;
    allowance.left -= sequence.length;
    const exchanges = await sendAgain(session, state, sequence);
    const findings = state.judge(exchanges, first.finding.requirement);
    const finding = findings.filter(isFailing).find((other) => isSameFailure(other, first.finding));
    if (finding !== undefined) return { ...first, finding, exchanges };
  }
  return first;
}

/** Notes the shortest sequence that shows the failure, for every failing requirement that has none yet. */
export function noteCounterexamples(
  { counterexamples, judge }: RunState,
  findings: readonly Finding[],
  exchanges: readonly Exchange[],
): readonly Counterexample[] {
  const failures = plainestFailures(findings).filter(({ requirement }) => !counterexamples.has(requirement));
  return failures.map((failing) => {
    const noted = { ...shortestSequence(judge, exchanges, failing), recheck: 'not-asked-again' } as const;
    counterexamples.set(failing.requirement, noted);
    return noted;
  });
}

/** Finds, rechecks and shrinks a counterexample for every failing requirement that has none yet. */
export async function recheckFailures(session: Session, state: RunState): Promise<void> {
  const { counterexamples, judge } = state;
  const again: Counterexample[] = [];
  for (const noted of noteCounterexamples(state, judge(session.exchanges), session.exchanges)) {
    const known = { ...noted, recheck: await recheck(session, state, noted) };
    counterexamples.set(noted.finding.requirement, known);
    if (known.recheck === 'fails-again') again.push(known);
  }
  const allowance = { left: Math.min(session.budget.requestsLeft(), mostToShrink) };
  for (const known of again) {
    counterexamples.set(known.finding.requirement, await shrink(session, state, known, allowance));
  }
}
