/** The one mechanism for what a single answer cannot prove: question and control, asked again at later moments. */

import type { RequirementId } from '../../spec/requirements.ts';
import { readRetryAfter } from '../http/read-response.ts';
import { longestCopyMs, refreshMs, secondMs } from '../http/tolerances.ts';
import type { Claim, Look, Means } from '../sections/judge.ts';
import type { Failing } from '../verdict/finding.ts';
import type { World } from '../world/world.ts';
import { BudgetSpent } from './budget.ts';
import type { Session } from './session.ts';

export interface Confirmed {
  readonly failures: readonly Failing[];
  /** Requirements whose control was gone as well: the ground has moved. */
  readonly moved: ReadonlyMap<RequirementId, string>;
}

/** When a claim that time may settle is looked at again, after the settle time: the last covers a cache of a minute. */
const furtherMomentsMs = [5 * secondMs, 15 * secondMs, longestCopyMs, longestCopyMs + refreshMs] as const;
const longestAnnouncedMs = 30 * secondMs;
const smallBudget = 30;
/** So many claims are carried to their end at once. */
const mostClaims = 8;
const mostOfRequirement = 3;

function interleave<Value>(groups: readonly (readonly Value[])[]): Value[] {
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_nothing, at) =>
    groups.flatMap((group) => (at < group.length ? [group[at]!] : [])),
  ).flat();
}

/** Claims of each requirement in turn, of each question in turn, as many as can be carried to their end. */
function chosen(claims: readonly Claim[], left: number, looks: number): readonly Claim[] {
  const byRequirement = [...Map.groupBy(claims, ({ requirement }) => requirement).values()];
  const inTurn = interleave(
    byRequirement.map((group) =>
      interleave([...Map.groupBy(group, ({ key }) => key).values()]).slice(0, mostOfRequirement),
    ),
  );
  const costOf = ({ cost, takesTime, proof, condition }: Claim): number =>
    cost * (takesTime ? looks : 1) + (proof ? 2 : 0) + (condition ? 2 : 0);
  let rest = left;
  return inTurn
    .filter((claim, at) => {
      const cost = costOf(claim);
      if (at > 0 && cost > rest) return false;
      rest -= cost;
      return true;
    })
    .slice(0, mostClaims);
}

/** How long the answers say that they may be copies. */
function announcedMs({ exchange: { response } }: Claim): number {
  if (response === undefined) return 0;
  const seconds = Number(/max-age=(\d{1,6})/.exec(response.headers['cache-control'] ?? '')?.[1] ?? 0);
  return Math.min(longestAnnouncedMs, Math.max(seconds * secondMs, readRetryAfter(response, 0) ?? 0));
}

/**
 * Asks at once, after the settle time, and later. A run that already fails by proof waits no longer than the settle time,
 * and reports what every look has shown until then.
 */
export async function confirm(
  session: Session,
  claims: readonly Claim[],
  world: () => World,
  isFailing: boolean,
  keep: number,
): Promise<Confirmed> {
  const { settings, budget, clock } = session;
  const last = isFailing ? [] : furtherMomentsMs;
  const announced = Math.max(0, ...claims.map(announcedMs));
  const all = [0, settings.settleMs, ...last.map((ms) => Math.max(ms, announced))];
  // A small budget looks at once, and once no cache can have an older copy any more.
  const left = budget.requestsLeft() - keep;
  const isSmall = left < smallBudget;
  const moments = isSmall && !isFailing ? [0, ...all.slice(-2)] : all;
  const affordable = chosen(claims, left, moments.length);
  const looksOf = new Map(affordable.map((claim) => [claim, [] as Look[]]));
  const stands = (claim: Claim): boolean => looksOf.get(claim)!.every(({ result }) => result === 'shown');
  const means: Means = { ask: session.send, world, newName: session.newName };
  const startedAt = clock.now();
  const spent = async (work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      return false;
    } catch (error) {
      if (error instanceof BudgetSpent) return true;
      throw error;
    }
  };
  session.enter('confirm');
  for (const claim of [...looksOf.keys()]) {
    let isMet = claim.condition === undefined;
    const isSpent = await spent(async () => {
      isMet ||= await claim.condition!(means);
    });
    if (isSpent || !isMet) looksOf.delete(claim);
  }
  for (const [at, moment] of moments.entries()) {
    const open = [...looksOf.keys()].filter((claim) => stands(claim) && (claim.takesTime || at === 0));
    if (open.length === 0) break;
    const ms = startedAt + moment - clock.now();
    if (ms > 0 && ms > settings.maxWaitMs) break;
    if (ms > 0) await session.wait(ms, 'what seems missing may appear');
    const isSpent = await spent(async () => {
      for (const claim of open) looksOf.get(claim)!.push(await claim.look(means));
    });
    if (isSpent) break;
  }
  const failures: Failing[] = [];
  const moved = new Map<RequirementId, string>();
  for (const [claim, looks] of looksOf) {
    // What time may settle is proven by looks at all moments only; a run that fails anyway leaves it open.
    const fewest = claim.takesTime ? (isFailing ? Number.POSITIVE_INFINITY : moments.length) : 1;
    const lastLook = looks.at(-1);
    if (lastLook?.result === 'moved')
      moved.set(
        claim.requirement,
        `what #${claim.exchange.number} seems to lack is gone: animals of this run disappeared`,
      );
    if (lastLook?.result !== 'shown' || looks.length < fewest || !stands(claim)) continue;
    let isProven = claim.proof === undefined;
    const isSpent = await spent(async () => {
      isProven ||= await claim.proof!(means);
    });
    if (isProven && !isSpent) failures.push({ ...lastLook.failing, isConfirmed: true });
  }
  return { failures, moved };
}
