/**
 * Confirm: the one mechanism for what a single answer cannot prove. A claim asks its question and its control again, at once
 * and at later moments, and becomes a failure only if every look shows it while the control holds.
 */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { askAgainAtMs, longestCopyMs, refreshMs, secondMs } from '../http/tolerances.ts';
import { inOrder } from '../verdict/counterexample.ts';
import { type Failing, failsRun } from '../verdict/finding.ts';
import { BudgetSpent } from './budget.ts';
import type { Session } from './session.ts';
import type { RunState } from './suite.ts';

/**
 * What one look shows. `shown`: the question shows the claim and the control holds; `settled`: it does not, or proves
 * nothing any more; `unprovable`: no later look can prove it, as for a page that may have a cap; `moved`: the control is gone.
 */
export interface Look {
  readonly sight: 'shown' | 'settled' | 'unprovable' | 'moved';
  readonly exchanges: readonly Exchange[];
  /** Set where the answer itself shows that it is no old copy of a cache. */
  readonly isFresh?: boolean;
}

/** A look that shows the claim no longer. */
export const settled: Look = { sight: 'settled', exchanges: [] };

/** A suspicion that one exchange cannot prove. */
export interface Claim {
  readonly requirement: RequirementId;
  /** Claims with one key ask one question. */
  readonly key: string;
  /** Since when the answer should be another, Unix milliseconds: how soon a new animal is shown is open (§4). */
  readonly since: () => number;
  /** The requests that one look takes at most. */
  readonly cost: number;
  /** Set where a page must have room for one more animal, as the first and the last look show by requests of their own. */
  readonly needsRoom?: boolean;
  readonly look: (session: Session, showsRoom: boolean) => Promise<Look>;
  readonly failures: (looks: readonly Look[], seconds: number) => readonly Failing[];
}

/**
 * When claims are looked at again, milliseconds after they arose: twice at each of the later moments, since a cache may answer
 * the first look of a pair with its old copy and refresh it. A fresh answer needs no time for old copies to expire.
 */
function momentsOf({ settings: { settleMs } }: Session, isFresh: boolean): readonly number[] {
  const [soonMs, laterMs] = askAgainAtMs;
  const inPairs = [laterMs, ...(isFresh ? [] : [longestCopyMs])].flatMap((ms) => [ms, ms + refreshMs]);
  return [settleMs, Math.max(settleMs, soonMs), ...inPairs];
}

/** A claim fails only after so many looks: the first, and one at each of the last two moments. */
const fewestLooks = 3;
/** With more requests left, a later confirmation asks again. */
const fewestForLater = 150;
/** What showing room takes where the page grows at once. */
const costOfRoom = 2;

interface Open {
  readonly claim: Claim;
  readonly looks: readonly Look[];
}

/** Whether the budget carries so many looks at a claim, and those that are left of the claims before it. */
function canAfford({ budget }: Session, claim: Claim, looks: number, before: readonly Open[]): boolean {
  const costOf = (one: Claim, times: number): number =>
    times * one.cost + (one.needsRoom && times > 0 ? costOfRoom : 0);
  const kept = before.map((open) => costOf(open.claim, looks - 1));
  return kept.reduce((sum, one) => sum + one, costOf(claim, looks)) <= budget.requestsLeft();
}

/**
 * Looks at open claims, one after the other, when each needs so many more looks. Keeps those that still stand, and closes
 * those that no later look can show. A claim that is settled early leaves its part of the budget to the next.
 */
async function lookAt(
  session: Session,
  { closedClaims, left }: RunState,
  open: readonly Open[],
  looksLeft: number,
): Promise<readonly Open[]> {
  const standing: Open[] = [];
  for (const one of open) {
    const { claim, looks } = one;
    const isFirst = looks.length === 0;
    if (!canAfford(session, claim, looksLeft, standing)) {
      if (looksLeft === fewestLooks && !isFirst) standing.push(one);
      continue;
    }
    const look = await claim.look(session, isFirst || looksLeft === 1);
    if (look.sight === 'shown') standing.push({ claim, looks: [...looks, look] });
    else if (look.sight !== 'settled') closedClaims.add(claim.key);
    const last = session.exchanges.at(-1)?.number ?? 0;
    if (look.sight === 'moved') left.set(claim.requirement, `animals of this run disappeared by request ${last}`);
  }
  return standing;
}

/** Waits for what a cache or a replica may still show. */
export const waitToAppear = ({ wait }: Session, ms: number): Promise<void> => wait(ms, 'what seems missing may appear');

/** Looks at claims until they are settled, or until every look has shown them; those whose page had room until then fail. */
async function carry(session: Session, state: RunState, claims: readonly Claim[], isEarly: boolean): Promise<void> {
  const { clock, settings, exchanges, budget } = session;
  const unseen = claims.map((claim): Open => ({ claim, looks: [] }));
  let open = await lookAt(session, state, unseen, fewestLooks);
  // A cache may have answered a listing with an old copy, which expires while other requests are sent.
  if (isEarly && budget.requestsLeft() > fewestForLater)
    open = open.filter(({ claim }) => !claim.requirement.startsWith('list-'));
  const isFresh = open.every(({ looks: [first] }) => first!.isFresh === true);
  const all = momentsOf(session, isFresh);
  let failsAlready: boolean | undefined;
  for (const [at, moment] of all.entries()) {
    if (open.length === 0) return;
    const left = all.length - at;
    const due = Math.max(...open.map(({ claim }) => claim.since())) + moment - clock.now();
    if (left >= fewestLooks && (due <= 0 || !canAfford(session, open[0]!.claim, fewestLooks, []))) continue;
    const ms = left === 1 ? Math.max(due, refreshMs) : due;
    // A run that fails by proof waits for no claim beyond the settle time.
    if (ms > settings.settleMs) failsAlready ??= [...state.confirmed, ...state.judge(exchanges)].some(failsRun);
    if (failsAlready || ms > settings.maxWaitMs) {
      const why = failsAlready ? 'the run fails anyway' : 'that takes a wait longer than --max-wait';
      for (const { claim } of open)
        state.left.set(claim.requirement, `what seems missing was not asked for again, since ${why}`);
      return;
    }
    if (ms > 0) await waitToAppear(session, ms);
    open = await lookAt(session, state, open, Math.min(left, fewestLooks));
  }
  for (const { claim, looks } of open) {
    state.closedClaims.add(claim.key);
    const seconds = Math.floor((clock.now() - claim.since()) / secondMs);
    for (const finding of claim.failures(looks, seconds)) {
      const { requirement, exchanges: shown } = finding;
      // The first claim of a requirement asks the plainest question.
      if (state.confirmed.every((other) => other.requirement !== requirement))
        state.counterexamples.set(requirement, { finding, exchanges: inOrder(shown), recheck: 'fails-again' });
      state.confirmed.push(finding);
    }
  }
}

/** Confirms claims, as far as the budget carries them. An early confirmation leaves pages that may be old copies to a later one. */
export async function confirm(
  session: Session,
  state: RunState,
  claims: readonly Claim[],
  isEarly: boolean,
): Promise<void> {
  const open = claims.filter(({ key }) => !state.closedClaims.has(key));
  try {
    await carry(session, state, open, isEarly);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
}
