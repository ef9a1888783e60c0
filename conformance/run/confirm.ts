/**
 * Confirm: the one mechanism for what a single answer cannot prove. A claim asks its question and its control again, at once
 * and at later moments, and becomes a failure only if every look shows it while the control holds.
 */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { longestCopyMs, refreshMs, secondMs } from '../http/tolerances.ts';
import { type Failing, isFailing } from '../verdict/finding.ts';
import { BudgetSpent } from './budget.ts';
import type { Session } from './session.ts';
import type { RunState } from './suite.ts';

/**
 * What one look shows. `shown`: the question shows the claim and the control holds; `settled`: it does not, or proves
 * nothing any more; `moved`: the control is gone as well.
 */
export interface Look {
  readonly sight: 'shown' | 'settled' | 'moved';
  readonly exchanges: readonly Exchange[];
}

/** A look that shows the claim no longer. */
export const settled: Look = { sight: 'settled', exchanges: [] };

/** A suspicion that one exchange cannot prove. */
export interface Claim {
  readonly requirement: RequirementId;
  /** Claims with one key ask one question. */
  readonly key: string;
  /** Since when the answer should be another, Unix milliseconds: how soon a new animal is shown is open (§4). */
  readonly since: number;
  /** Set where the same channel has shown new animals at once several times, so that no copy and no lag explains it. */
  readonly isPrompt: boolean;
  /** The requests that one look takes at most. */
  readonly cost: number;
  readonly look: (session: Session) => Promise<Look>;
  /** Shows, by requests of its own, that a page has room for one more animal; before the first wait and after the last look. */
  readonly hasRoom?: (session: Session) => Promise<boolean>;
  readonly failures: (looks: readonly Look[], seconds: number) => readonly Failing[];
}

/** When a claim is looked at again, after `since`; a cache may answer the first look of a pair with its old copy and refresh it. */
function momentsOf({ isPrompt }: Claim, settleMs: number): readonly number[] {
  const soon = [settleMs, Math.max(settleMs, 5 * secondMs)];
  return isPrompt ? soon : [...soon, ...[15 * secondMs, longestCopyMs].flatMap((ms) => [ms, ms + refreshMs])];
}

/** The looks without which a claim is not carried to its end. */
const fewestLooks = 3;

interface Open {
  readonly claim: Claim;
  /** When it is looked at again, milliseconds after `since`, in order. */
  readonly moments: readonly number[];
  readonly looks: readonly Look[];
}

/** The claims that the budget can carry to their end, in their order. */
function affordable(claims: readonly Claim[], left: number): readonly Claim[] {
  let rest = left;
  return claims.filter((claim) => {
    const needed = fewestLooks * claim.cost;
    if (needed > rest) return false;
    rest -= needed;
    return true;
  });
}

const sentences = {
  moved: ({ exchanges }: Session) => `animals of this run disappeared by request ${exchanges.at(-1)?.number ?? 0}`,
  fails: 'what seems missing was not asked for again, since the run fails anyway',
  isLong: 'what seems missing was not asked for again, since that takes a wait longer than --max-wait',
} as const;

/** Looks at open claims; keeps those that still stand, and closes those whose control is gone. */
async function lookAt(session: Session, state: RunState, open: readonly Open[]) {
  const standing: Open[] = [];
  for (const one of open) {
    const { claim, looks } = one;
    const look = await claim.look(session);
    if (look.sight === 'shown') standing.push({ ...one, looks: [...looks, look] });
    if (look.sight !== 'moved') continue;
    state.closedClaims.add(claim.key);
    state.notes.set(claim.requirement, sentences.moved(session));
  }
  return standing;
}

async function withRoom(session: Session, { closedClaims }: RunState, open: readonly Open[]): Promise<readonly Open[]> {
  const standing: Open[] = [];
  for (const one of open) {
    const hasRoom = one.claim.hasRoom === undefined || (await one.claim.hasRoom(session));
    if (hasRoom) standing.push(one);
    else closedClaims.add(one.claim.key);
  }
  return standing;
}

/** Whether the run fails by proof already, so that it waits for no claim beyond the settle time. */
function isFailingAlready({ exchanges }: Session, { judge, confirmed }: RunState): boolean {
  return confirmed.length > 0 || judge(exchanges).some(isFailing);
}

/** What showing room takes. */
const costOfRoom = 2;

/** Whether one more look leaves enough of the budget for the last two, and for showing that there is room. */
function canAfford({ budget }: Session, open: readonly Open[]): boolean {
  const needed = open.map(({ claim }) => 3 * claim.cost + (claim.hasRoom === undefined ? 0 : costOfRoom));
  return needed.reduce((sum, one) => sum + one, 0) <= budget.requestsLeft();
}

/** Reports the claims that every look has shown, if the page had room for what it lacks until the end. */
async function report(session: Session, state: RunState, shown: readonly Open[]): Promise<void> {
  for (const { claim, looks } of await withRoom(session, state, shown)) {
    state.closedClaims.add(claim.key);
    const seconds = Math.floor((session.clock.now() - claim.since) / secondMs);
    for (const failing of claim.failures(looks, seconds)) state.confirmed.push({ ...failing, isConfirmed: true });
  }
}

async function carry(session: Session, state: RunState, claims: readonly Claim[]): Promise<void> {
  const { clock, settings } = session;
  const all = claims.map((claim) => ({ claim, moments: momentsOf(claim, settings.settleMs), looks: [] }));
  let open = await withRoom(session, state, await lookAt(session, state, all));
  let mayWait: boolean | undefined;
  const inOrder = open.flatMap(({ moments }) => moments).toSorted((one, other) => one - other);
  for (const moment of new Set(inOrder)) {
    const due = open.filter(({ moments }) => moments.includes(moment));
    if (due.length === 0) continue;
    const isAtEnd = (from: number): boolean => due.some(({ moments }) => moments.slice(from).includes(moment));
    const ms = Math.max(...due.map(({ claim }) => claim.since)) + moment - clock.now();
    if (!isAtEnd(-2) && (ms <= 0 || !canAfford(session, due))) continue;
    const waitMs = isAtEnd(-1) ? Math.max(ms, refreshMs) : ms;
    if (waitMs > settings.settleMs) mayWait ??= !isFailingAlready(session, state);
    if (waitMs > settings.maxWaitMs || mayWait === false) {
      const why = mayWait === false ? sentences.fails : sentences.isLong;
      for (const { claim } of open) state.left.set(claim.requirement, why);
      return;
    }
    if (waitMs > 0) await session.wait(waitMs, 'what seems missing may appear');
    const shown = await lookAt(session, state, due);
    const isDone = ({ moments }: Open): boolean => moments.at(-1) === moment;
    await report(session, state, shown.filter(isDone));
    open = [...open.filter((one) => !due.includes(one)), ...shown.filter((one) => !isDone(one))];
  }
}

/** Confirms claims, as far as the budget carries them. */
export async function confirm(session: Session, state: RunState, claims: readonly Claim[]): Promise<void> {
  const open = claims.filter(({ key }) => !state.closedClaims.has(key));
  try {
    await carry(session, state, affordable(open, session.budget.requestsLeft()));
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
}
