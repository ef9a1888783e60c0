/**
 * Confirm: the one mechanism for what a single answer cannot prove. A claim asks its question and its control again, at once
 * and at later moments, and becomes a failure only if every look shows it while the control holds.
 */

import type { RequirementId } from '../../spec/requirements.ts';
import { askAgainAtMs, longestCopyMs, refreshMs, secondMs } from '../http/tolerances.ts';
import { inOrder } from '../verdict/counterexample.ts';
import { type Failing, failsRun } from '../verdict/finding.ts';
import { BudgetSpent } from './budget.ts';
import type { Session } from './session.ts';
import type { RunState } from './suite.ts';

/**
 * What one look shows. `stands`: the answers show the claim and its control holds; `claim` is the claim with this look.
 * `settled`: they do not show it, or prove nothing at this moment. `unprovable`: no later look can prove it, as for a page that
 * may have a cap. `moved`: the control is gone.
 */
export type Look =
  | { readonly sight: 'stands'; readonly claim: Claim }
  | { readonly sight: 'settled' | 'unprovable' | 'moved' };

export const settled: Look = { sight: 'settled' };
export const unprovable: Look = { sight: 'unprovable' };
export const moved: Look = { sight: 'moved' };

/** Which look of a claim this is. The first and the last look may let a page grow; the looks between repeat the question. */
export type PlaceOfLook = 'first' | 'between' | 'last';

/** A suspicion that one exchange cannot prove, with the looks that have shown it so far. A look returns the next one. */
export interface Claim {
  readonly requirement: RequirementId;
  /** Claims with one key ask one question. */
  readonly key: string;
  /** Since when the answer should be another, Unix milliseconds. */
  readonly since: number;
  /** Whether the answer may become right by itself: how soon a new animal is shown is open (§4). */
  readonly takesTime: boolean;
  /** The requests that one look takes at most. */
  readonly cost: number;
  /** The further requests that the first look and the last look take at most, each. */
  readonly costOfProof: number;
  readonly look: (session: Session, place: PlaceOfLook) => Promise<Look>;
  /** What the looks so far prove; the last of them was so many seconds after `since`. */
  readonly failures: (seconds: number) => readonly Failing[];
}

/**
 * The moments between the first look and the last two, milliseconds after the first. They settle most claims sooner. The last two
 * come when copies have expired, and a little later: a cache may answer the first of them with its old copy and refresh that.
 */
function earlierMoments({ settings: { settleMs } }: Session): readonly number[] {
  const [soonMs, laterMs] = askAgainAtMs;
  return [settleMs, Math.max(settleMs, soonMs), laterMs, laterMs + refreshMs];
}

/** The requests that the last looks at some claims take at most, if each has so many. */
function costOfLast(claims: readonly Claim[], looks: number): number {
  if (looks === 0) return 0;
  return claims.reduce((sum, { cost, costOfProof }) => sum + looks * cost + costOfProof, 0);
}

/** Notes a claim that no later look can show. */
function close({ exchanges }: Session, state: RunState, claim: Claim, { sight }: Look): void {
  if (sight === 'settled') return;
  state.closedClaims.add(claim.key);
  if (sight !== 'moved') return;
  const last = exchanges.at(-1)?.number ?? 0;
  state.unsettled.set(claim.requirement, `animals of this run disappeared by request ${last}`);
}

/**
 * Looks at claims one after the other, when each needs `looksAfter` more looks, and returns those that still stand. A claim that
 * the budget cannot carry to its end, after the claims before it, is dropped.
 */
async function lookAt(
  session: Session,
  state: RunState,
  claims: readonly Claim[],
  place: PlaceOfLook,
  looksAfter: number,
): Promise<readonly Claim[]> {
  const standing: Claim[] = [];
  for (const claim of claims) {
    const ofThisLook = claim.cost + (place === 'between' ? 0 : claim.costOfProof);
    const ofLaterLooks = costOfLast([...standing, claim], looksAfter);
    if (ofThisLook + ofLaterLooks > session.budget.requestsLeft()) continue;
    const look = await claim.look(session, place);
    if (look.sight === 'stands') standing.push(look.claim);
    else close(session, state, claim, look);
  }
  return standing;
}

/** The claims that can have a look which their failure does not need: the budget carries the last two of all of them after it. */
function affordableIn({ budget }: Session, claims: readonly Claim[]): readonly Claim[] {
  let left = budget.requestsLeft() - costOfLast(claims, 2);
  return claims.filter(({ cost }) => {
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/** Waits for what a cache or a replica may still show. */
export const waitToAppear = ({ wait }: Session, ms: number): Promise<void> => wait(ms, 'what seems missing may appear');

/**
 * Waits for a moment; resolves with the reason where the run should not wait so long: a run that fails by proof waits for no
 * claim beyond the settle time.
 */
async function waitUntil(session: Session, state: RunState, ms: number): Promise<string | undefined> {
  const { settings, exchanges } = session;
  if (ms <= 0) return undefined;
  if (ms > settings.settleMs && [...state.confirmed, ...state.judge(exchanges)].some(failsRun))
    return 'the run fails anyway';
  if (ms > settings.maxWaitMs) return 'that takes a wait longer than --max-wait';
  await waitToAppear(session, ms);
  return undefined;
}

/** Notes the failures that a claim proves. */
function fail({ clock }: Session, state: RunState, claim: Claim): void {
  const { closedClaims, confirmed, counterexamples } = state;
  closedClaims.add(claim.key);
  const seconds = Math.floor((clock.now() - claim.since) / secondMs);
  for (const finding of claim.failures(seconds)) {
    const { requirement, exchanges } = finding;
    // The first claim of a requirement asks the plainest question.
    if (confirmed.every((other) => other.requirement !== requirement))
      counterexamples.set(requirement, { finding, exchanges: inOrder(exchanges), recheck: 'fails-again' });
    confirmed.push(finding);
  }
}

/** Looks at claims that no time settles, as often as a failure needs. */
async function askAtOnce(session: Session, state: RunState, claims: readonly Claim[]): Promise<void> {
  const first = await lookAt(session, state, claims, 'first', 2);
  const second = await lookAt(session, state, first, 'between', 1);
  const last = await lookAt(session, state, second, 'last', 0);
  for (const claim of last) fail(session, state, claim);
}

/** Looks at claims until they are settled, or until every look has shown them: those fail. */
async function askOverTime(session: Session, state: RunState, claims: readonly Claim[]): Promise<void> {
  let open = await lookAt(session, state, claims, 'first', 2);
  // A replica or a cache may fetch an animal only when it is asked for it, so the first look counts, not the creation.
  const startedAt = session.clock.now();
  const untilMoment = (ms: number): number => startedAt + ms - session.clock.now();
  /** Waits, or gives up; resolves with whether the claims can be looked at. */
  async function reach(ms: number): Promise<boolean> {
    const reason = await waitUntil(session, state, ms);
    if (reason === undefined) return true;
    for (const { requirement } of open)
      state.unsettled.set(requirement, `what seems missing was not asked for again, since ${reason}`);
    return false;
  }
  for (const moment of earlierMoments(session)) {
    const affordable = affordableIn(session, open);
    const ms = untilMoment(moment);
    if (ms <= 0 || affordable.length === 0) continue;
    if (!(await reach(ms))) return;
    const others = open.filter((claim) => !affordable.includes(claim));
    open = [...(await lookAt(session, state, affordable, 'between', 2)), ...others];
  }
  if (open.length === 0 || !(await reach(untilMoment(longestCopyMs)))) return;
  open = await lookAt(session, state, open, 'between', 1);
  if (open.length === 0 || !(await reach(refreshMs))) return;
  open = await lookAt(session, state, open, 'last', 0);
  for (const claim of open) fail(session, state, claim);
}

/** The first claim of each requirement, then the second of each: where the budget is short, every requirement has its turn. */
function inTurn(claims: readonly Claim[]): readonly Claim[] {
  const byRequirement = [...Map.groupBy(claims, ({ requirement }) => requirement).values()];
  const turns = claims.map((_claim, turn) => byRequirement.flatMap((ofOne) => ofOne[turn] ?? []));
  return turns.flat();
}

/** Confirms claims, as far as the budget carries them. */
export async function confirm(session: Session, state: RunState, claims: readonly Claim[]): Promise<void> {
  const { closedClaims, confirmed } = state;
  const hasFailed = (id: RequirementId): boolean => confirmed.some(({ requirement }) => requirement === id);
  const open = claims.filter(({ key, requirement }) => !closedClaims.has(key) && !hasFailed(requirement));
  try {
    const { now = [], later = [] } = Object.groupBy(inTurn(open), ({ takesTime }) => (takesTime ? 'later' : 'now'));
    await askAtOnce(session, state, now);
    await askOverTime(session, state, later);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
}
