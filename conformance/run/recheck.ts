/** Rechecks failures: sends the requests that show them again, and then smaller ones. */

import { type RequirementId, requirements } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { shortestSequence, smallestFailures, stepOf } from '../verdict/counterexample.ts';
import { type Counterexample, type Finding, isFailing, type Recheck } from '../verdict/finding.ts';
import { isOutage, lastingOutages } from '../world/evidence.ts';
import { BudgetSpent } from './budget.ts';
import { NotRepeatable, resend } from './resend.ts';
import type { Session } from './session.ts';
import { type Allowance, allowanceFor, shrink } from './shrinking.ts';
import type { RunState } from './suite.ts';

/** Longer sequences are not sent again: the requests are better spent on what has not been tried yet. */
const longestRecheck = 8;

/** Whether a requirement fails in the new exchanges, alone or together with the rest of the run. */
function failsAgain(
  session: Session,
  { judge }: RunState,
  again: readonly Exchange[],
  requirement: RequirementId,
): boolean {
  const failuresIn = (exchanges: readonly Exchange[]): readonly Finding[] =>
    judge(exchanges, requirement).filter((one) => isFailing(one) && one.requirement === requirement);
  const isCited = (one: Finding): boolean => one.exchanges.some((exchange) => again.includes(exchange));
  return failuresIn(again).length > 0 || failuresIn(session.exchanges).some(isCited);
}

/** Sends a failing sequence once more, if it is short and the budget allows. */
async function recheck(
  session: Session,
  state: RunState,
  { finding, exchanges }: Pick<Counterexample, 'finding' | 'exchanges'>,
): Promise<Recheck> {
  // These requests have been repeated several times already.
  if (finding.isConfirmed || lastingOutages(exchanges).size > 0) return 'fails-again';
  const isTooCostly =
    exchanges.length > Math.min(longestRecheck, session.budget.requestsLeft()) ||
    exchanges.some(({ credential }) => credential.kind === 'rate-limit');
  if (isTooCostly) return 'not-asked-again';
  try {
    const again = await resend(session, state.suite, exchanges.map(stepOf));
    if (again.some(isOutage)) return 'not-asked-again';
    return failsAgain(session, state, again, finding.requirement) ? 'fails-again' : 'flaky';
  } catch (error) {
    if (error instanceof BudgetSpent || error instanceof NotRepeatable) return 'not-asked-again';
    throw error;
  }
}

function note({ counterexamples }: RunState, found: Counterexample): void {
  counterexamples.set(found.finding.requirement, found);
}

async function noteAndRecheck(
  session: Session,
  state: RunState,
  found: Omit<Counterexample, 'recheck'>,
): Promise<void> {
  note(state, { ...found, recheck: 'not-asked-again' });
  note(state, { ...found, recheck: await recheck(session, state, found) });
}

/** Notes the smallest counterexample that is found, if the known one failed again. */
async function noteSmaller(
  session: Session,
  state: RunState,
  requirement: RequirementId,
  allowance: Allowance,
): Promise<void> {
  const known = state.counterexamples.get(requirement);
  if (known?.recheck !== 'fails-again' || known.finding.isConfirmed) return;
  const smallest = await shrink(session, state, known, allowance);
  note(state, { ...smallest, recheck: known.recheck });
}

export async function noteAndShrink(
  session: Session,
  state: RunState,
  found: Omit<Counterexample, 'recheck'>,
): Promise<void> {
  await noteAndRecheck(session, state, found);
  await noteSmaller(session, state, found.finding.requirement, allowanceFor(session));
}

const advised: ReadonlySet<RequirementId> = new Set(
  requirements.filter(({ level }) => level === 'advised').map(({ id }) => id),
);

/** Finds, rechecks and shrinks a counterexample for every failing required requirement that has none yet. */
export async function recheckFailures(session: Session, state: RunState): Promise<void> {
  const failures = smallestFailures(state.judge(session.exchanges)).filter(
    ({ requirement }) => !state.counterexamples.has(requirement) && !advised.has(requirement),
  );
  const evidence = [...session.exchanges];
  for (const failing of failures) {
    await noteAndRecheck(session, state, shortestSequence(state.judge, evidence, failing));
  }
  const allowance = allowanceFor(session);
  for (const { requirement } of failures) await noteSmaller(session, state, requirement, allowance);
}
