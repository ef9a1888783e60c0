/** A run: preflight, the planner's probes, confirmation, the limit, what is drawn, and one report. */

import { defined } from '../../spec/defined.ts';
import { petStatuses } from '../../spec/operations.ts';
import { needsOf, type RequirementId, requirements } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { JsonObject } from '../http/json.ts';
import { statusOf } from '../http/read-response.ts';
import { whyNothingIsCreated } from '../sections/4.2-create-pet/refusals.ts';
import { claimsIn, createJudging, judgeWorld, observe, type Suite } from '../sections/index.ts';
import {
  drawnProbe,
  fullStoreProbes,
  learn,
  likelyCategories,
  type Probe,
  plainCreation,
  type Scene,
} from '../sections/probes.ts';
import { counterexamplesFor, isSameFailure, requiredCreations, stepOf } from '../verdict/counterexample.ts';
import { createReport } from '../verdict/create-report.ts';
import type { Failing, Finding } from '../verdict/finding.ts';
import { isFailing, type Recheck } from '../verdict/finding.ts';
import { leftoversOf } from '../verdict/leftovers.ts';
import type { VerdictOptions } from '../verdict/outcome.ts';
import { reason } from '../verdict/reasons.ts';
import type { EvidenceScope, Report, ReportedInteraction, UnusedBudget } from '../verdict/report.ts';
import type { Settings } from '../verdict/settings.ts';
import { judgeRequirements } from '../verdict/verdict.ts';
import { describeOutages } from '../world/evidence.ts';
import { createPet, getPet, listPets } from '../world/requests.ts';
import { countUnanswered, isRemoved, readWorld, type World } from '../world/world.ts';
import { type Budget, BudgetSpent, createBudget } from './budget.ts';
import { confirm } from './confirm.ts';
import { probeLimit } from './limit-probe.ts';
import { RunStopped } from './pace.ts';
import { planFor, shuffled } from './planner.ts';
import { NotStarted, preflight, stopIfExpired } from './preflight.ts';
import { closedBudget, raiseBudget } from './raised-budget.ts';
import { NotRepeatable, resend } from './resend.ts';
import { createScene } from './scene.ts';
import { createSession, type Session, type SessionOptions } from './session.ts';
import { shrink } from './shrink.ts';

/** Everything that a run depends on. `judge` fills it in for programs. */
export interface RunOptions extends Omit<SessionOptions, 'budget'> {
  readonly suite: Suite;
  readonly verdictOptions?: VerdictOptions;
  readonly scope?: EvidenceScope;
  /** The commit of the kit's own sources, for the report. */
  readonly commit?: string;
  /** Whether the deadline has passed: no signal is delivered while the judges judge. */
  readonly isOverdue?: () => boolean;
  /** The most requests that the run may send: when it starts, and when the first answers have raised it. */
  readonly onBudget?: (maxRequests: number) => void;
  /** The probes of a kind start. */
  readonly onScenario?: (kind: { readonly id: string; readonly title: string }) => void;
  /** Sends what is wanted before the probes, or instead of them. */
  readonly before?: { readonly send: Sending['send']; readonly isAlone: boolean };
}

const allRequirements: VerdictOptions = { requiresAll: false };

/** What the parts of a run share. */
export interface Work {
  readonly session: Session;
  readonly world: () => World;
  readonly suite: Suite;
  readonly note: (requirement: RequirementId, reason: string) => void;
  /** The requirements that are wanted, unless all are. */
  readonly only: ReadonlySet<string> | undefined;
  /** Why the larger budget was not spent. */
  readonly noteUnusedBudget: (unused: UnusedBudget | undefined) => void;
  /** Whether proven failures have come again. */
  readonly rechecked: Map<RequirementId, Recheck>;
  /** Failures that confirmation has proven. */
  readonly confirmed: Failing[];
}

/** With fewer requests left, probes are sent one by one, so that the first ones get what they need. */
const leastForConcurrency = 30;

/** Sends probes in their order while the budget has more than `reserve`; resolves with those that were put off. */
async function sendProbes(
  { session }: Work,
  scene: Scene,
  probes: readonly Probe[],
  reserve: number,
): Promise<readonly Probe[]> {
  let waiting: Probe[] = [...probes];
  const sendOne = async (probe: Probe, later: Probe[]): Promise<boolean> => {
    if (session.budget.requestsLeft() <= reserve) return false;
    const request = probe.request(scene);
    if (request?.method === 'POST' && session.settings.isReadOnly) return false;
    if (request === undefined) {
      later.push(probe);
      return false;
    }
    const own = session.forCheck(probe.id.replace(/ \d+$/, ''));
    try {
      const exchange = await own.send(request);
      later.push(...(probe.instead?.(exchange, scene) ?? []));
    } catch (error) {
      // A spent budget of creations leaves requests of other kinds.
      if (!(error instanceof BudgetSpent)) throw error;
    }
    await stopIfExpired(own).catch((error: unknown) => {
      if (!(error instanceof BudgetSpent)) throw error;
    });
    return true;
  };
  for (let isMoving = true; isMoving && waiting.length > 0; ) {
    const later: Probe[] = [];
    const { concurrency } = session.settings;
    if (concurrency > 1 && session.budget.requestsLeft() >= leastForConcurrency) {
      isMoving = (await session.doAll(waiting.map((probe) => () => sendOne(probe, later)))).includes(true);
    } else {
      isMoving = false;
      for (const probe of waiting) isMoving = (await sendOne(probe, later)) || isMoving;
    }
    waiting = later;
  }
  return waiting;
}

/** Creates the first animal: with the likeliest categories, and then with plainer names. */
async function createFirst({ session }: Work, scene: Scene): Promise<boolean> {
  if (session.settings.isReadOnly) return false;
  session.enter('create-first');
  const [likeliest, ...others] = likelyCategories(session);
  const attempt = async (categoryId: bigint, fields: JsonObject): Promise<number> =>
    statusOf(await session.send(createPet({ name: session.newName(), categoryId, ...fields }))) ?? 0;
  const tried = [likeliest!, likeliest!, likeliest!, ...others.slice(0, 3)];
  for (const [at, categoryId] of tried.entries()) {
    if (at === 2 && !session.usePlainerNames()) continue;
    const status = await attempt(categoryId, at === 1 ? {} : { status: 'pending' });
    if (status === 201) return true;
    if (status === 401 || status === 403 || status < 400 || status >= 500) break;
  }
  return scene.created.length > 0;
}

/** Kept for question and control. */
const reserveOf = (requests: number): number =>
  Math.max(3, Math.min(40, Math.round(requests * (requests < 100 ? 0.2 : 0.1))));
/** What the end of a stage looks at: the newest animal, and one page of each kind. */
const endings = [[undefined], ['20'], ['100'], ['100', 'available'], ['100', 'pending'], ['100', 'sold']] as const;

/** A target that refuses an ordinary creation as it refuses invalid bodies, with another status than 400, may have read none. */
async function showWhetherRead(session: Session, scene: Scene): Promise<void> {
  const isDoubtful = ({ operation, credential, response }: Exchange): boolean => {
    const status = response?.status ?? 0;
    return operation === 'createPet' && credential.kind === 'valid' && status > 401 && status < 500 && status !== 429;
  };
  if (session.exchanges.some(isDoubtful)) await session.send(plainCreation(scene, 'sold')).catch(ignoreSpent);
}

/** What only shows with the last animal of each kind: what is missing now leaves a claim. */
async function lookAtEnd({ session }: Work, scene: Scene, reserve: number): Promise<void> {
  const newest = scene.created.at(-1);
  session.enter('look-at-end');
  const most = Math.max(2, session.budget.requestsLeft() - reserve);
  await showWhetherRead(session, scene);
  const queries = endings.map(([limit, status]) =>
    listPets(
      [...(limit === undefined ? [] : [`limit=${limit}`]), ...(status === undefined ? [] : [`status=${status}`])].join(
        '&',
      ),
    ),
  );
  const requests = [
    ...(newest === undefined || isRemoved(session) ? [] : [getPet(newest.id)]),
    queries[2]!,
    queries[5]!,
    ...(scene.ids.size > 10 ? [queries[0]!, queries[1]!] : queries.slice(3, 5)),
    ...(scene.ids.size > 10 && most > 8 ? queries.slice(3, 5) : []),
  ];
  for (const request of requests.slice(0, most)) await session.send(request);
}

async function confirmClaims(work: Work, keep: number): Promise<void> {
  const { session, world, suite, confirmed, note } = work;
  const claims = claimsIn(world(), suite);
  if (claims.length === 0) return;
  const proven = judgeWorld(world(), suite).some((one) => isFailing(one) && isRequired(one));
  const { failures, moved } = await confirm(session, claims, world, proven || confirmed.length > 0, keep);
  confirmed.push(...failures);
  for (const [requirement, reason] of moved) note(requirement, reason);
}

/**
 * Asks for each failure that an exchange has proven once more, only to say whether it reproduces: with names and ids of its
 * own, as far as the budget allows.
 */
async function recheckProven({ session, suite, world, rechecked }: Work, keep: number): Promise<void> {
  const { budget } = session;
  const proven = judgeWorld(world(), suite);
  const steps = session.exchanges.map(stepOf);
  session.enter('re-check');
  for (const [requirement, { finding, exchanges }] of counterexamplesFor(proven)) {
    const own = exchanges.filter(({ credential }) => credential.kind !== 'rate-limit').map(stepOf);
    const needed = [...requiredCreations(own, steps), ...own];
    const isRepeatable = own.length === exchanges.length && needed.length <= mostRepeated;
    if (rechecked.has(requirement) || !isRepeatable || budget.requestsLeft() - keep < needed.length) continue;
    const isShown = (since: number): boolean => {
      const sent = new Set(session.exchanges.slice(since));
      return judgeWorld(world(), suite, createJudging(), requirement).some(
        (one) => isSameFailure(one, finding) && one.exchanges.some((exchange) => sent.has(exchange)),
      );
    };
    const from = session.exchanges.length;
    try {
      await resend(session, suite, needed);
      rechecked.set(requirement, isShown(from) ? 'fails-again' : 'flaky');
      if (isShown(from)) await shrink(session, finding, isShown, keep);
    } catch (error) {
      if (!(error instanceof NotRepeatable) && !(error instanceof BudgetSpent)) throw error;
    }
  }
}

/** A longer sequence is not sent again. */
const mostRepeated = 6;

const levels = new Map<string, string>(requirements.map(({ id, level }) => [id, level]));
const isRequired = ({ requirement }: Finding): boolean => levels.get(requirement) === 'required';

/** A store beyond a hundred animals shows what only a full page can. */
const fullStore = 101;
const leastForFullStore = 500;
/** Requests of the probe of the limit, at least, for a key of few requests. */
const leastForLimit = 100;

async function sendAll(work: Work, { onBudget }: RunOptions): Promise<void> {
  const { session, note } = work;
  const { budget, settings } = session;
  await preflight(session);
  const scene = createScene(session);
  for (const exchange of session.exchanges) learn(scene, exchange);
  scenes.set(session, scene);
  const isCreated = await createFirst(work, scene);
  work.noteUnusedBudget(raiseBudget(session));
  onBudget?.(budget.size().maxRequests);
  const total = budget.requestsLeft();
  const reserve = reserveOf(total);
  const forLimit =
    session.keys.rateLimit !== undefined && total >= leastForLimit ? Math.min(32, Math.round(total * 0.24)) : 0;
  const isLarge = total >= leastForFullStore && isCreated;
  const first = isLarge ? Math.round(total * 0.42) : total;
  const share = isLarge
    ? first
    : Math.max(4, total - reserve - forLimit - (total < 100 ? 5 : 8) - (total > 200 ? Math.round(total / 10) : 0));
  const { probes, left } = planFor(session, share, work.only);
  const keep = total - share;
  const postponed = await sendProbes(work, scene, probes, keep);
  await sendProbes(work, scene, [...postponed, ...left.slice(0, total)], keep);
  if (!isCreated && !settings.isReadOnly) {
    const why = whyNothingIsCreated(session);
    if (why !== undefined)
      for (const requirement of requirements) if (needsOf(requirement).includes('creation')) note(requirement.id, why);
  }
  await lookAtEnd(work, scene, reserve);
  await recheckProven(work, forLimit);
  await confirmClaims(work, forLimit);
  if (forLimit > 0)
    await probeLimit(session, note).catch((error: unknown) => {
      if (!(error instanceof BudgetSpent)) throw error;
      for (const requirement of ['rate-exceeded', 'rate-retry-after', 'rate-recovery'] as const)
        note(requirement, error.message);
    });
  const unsent = left.slice(Math.max(0, share - probes.length));
  if (isLarge) await fillStore(work, scene, unsent, reserve);
  await sendRest(work, scene, unsent);
}

/** Fills the store beyond a full page, and looks at it. */
async function fillStore(work: Work, scene: Scene, unsent: readonly Probe[], reserve: number): Promise<void> {
  const { session } = work;
  const creations = unsent.filter(({ id }) => id.startsWith('create '));
  for (let at = 0; scene.ids.size <= fullStore && session.budget.creationsLeft() > 10 && at < 120; at += 1) {
    const plain: Probe = { id: 'fill', rank: 0, covers: [], request: () => plainCreation(scene, petStatuses[at % 3]) };
    await sendProbes(work, scene, [creations[at] ?? plain], reserve);
  }
  if (scene.ids.size > fullStore)
    await sendProbes(work, scene, shuffled(fullStoreProbes, session.settings.seed), reserve);
}

/** Spends what is left: half on the rows that were not sent, the rest on what fast-check draws; then confirms once more. */
async function sendRest(work: Work, scene: Scene, unsent: readonly Probe[]): Promise<void> {
  const { session } = work;
  const { budget, settings } = session;
  const left = budget.requestsLeft();
  const reserve = Math.min(24, Math.round(left / 6));
  const further = left > 300 ? Math.round(left * 0.55) : settings.maxRequests < 200 ? left : 0;
  const sent = new Set(session.exchanges.map(({ check }) => check));
  if (further > 0) {
    const creates = unsent.filter(({ id }) => !id.startsWith('create ') || !sent.has(id));
    await sendProbes(work, scene, creates.slice(0, further), budget.requestsLeft() - further);
  }
  if (left < 60 && budget.requestsLeft() < 6) return;
  for (let at = 0; at < left * 2 && budget.requestsLeft() > reserve + 4; at += 1)
    await sendProbes(work, scene, [drawnProbe(settings.seed, at)], reserve + 4);
  if (left < 12) return;
  await lookAtEnd(work, scene, reserve).catch(ignoreSpent);
  await recheckProven(work, 0);
  await confirmClaims(work, 0);
}

const ignoreSpent = (error: unknown): void => {
  if (!(error instanceof BudgetSpent)) throw error;
};

const scenes = new WeakMap<Session, Scene>();

/** The part of a run that sends, and its additions to the report. */
export interface Sending {
  /** Rejects with a RunStopped if something ends the run early. */
  readonly send: (work: Work) => Promise<void>;
  readonly interactions?: () => readonly ReportedInteraction[];
}

/** Resolves with the reason why the work ended early, if it did. */
async function workUntilStopped({ send }: Sending, work: Work): Promise<RunStopped | undefined> {
  try {
    await send(work);
    return undefined;
  } catch (error) {
    if (error instanceof RunStopped) return error;
    if (error instanceof BudgetSpent) return undefined;
    throw error;
  }
}

/** With --only, each requirement gets at most so many requests, unless it needs a key to exhaust. */
const requestsPerRequirement = 30;

function mostRequests({ maxRequests }: Settings, { only }: VerdictOptions): number {
  if (only === undefined || only === 'shown') return maxRequests;
  const isProbing = requirements.some((one) => only.has(one.id) && needsOf(one).includes('rate-limit-key'));
  return isProbing ? maxRequests : Math.min(maxRequests, requestsPerRequirement * only.size);
}

/** A few requests that are left cannot show what many did not. */
const hardlyAny = 12;

/** The budgets that are spent, creations first. */
function spentBudgets(budget: Budget): readonly (readonly ['requests' | 'creations', number])[] {
  const { maxRequests, maxCreates } = budget.size();
  return [
    ...(budget.creationsLeft() === 0 ? [['creations', maxCreates] as const] : []),
    ...(budget.requestsLeft() < hardlyAny ? [['requests', maxRequests] as const] : []),
  ];
}

/** Does the work, and judges its exchanges. Rejects only for our own errors. */
export async function judgeWork(options: RunOptions, sending: Sending): Promise<Report> {
  const { settings, clock, suite, verdictOptions = allRequirements } = options;
  const startedAt = clock.now();
  const budget = createBudget(mostRequests(settings, verdictOptions), settings.maxCreates);
  options.onBudget?.(budget.size().maxRequests);
  const judging = createJudging(options.isOverdue);
  const waits: { readonly at: number; readonly ms: number; readonly why: string }[] = [];
  let scene: Scene | undefined;
  const session = createSession({
    ...options,
    budget,
    onExchange(exchange: Exchange) {
      scene ??= scenes.get(session);
      if (scene !== undefined) learn(scene, exchange);
      options.onExchange?.(exchange);
    },
    onWait(ms, why) {
      waits.push({ at: clock.now(), ms, why });
      options.onWait?.(ms, why);
    },
  });
  const notes = new Map<RequirementId, string>();
  const world = (): World => readWorld(session.exchanges, settings);
  let unusedBudget: UnusedBudget | undefined;
  const noteUnusedBudget: Work['noteUnusedBudget'] = (unused) => {
    unusedBudget = unused;
  };
  const { only } = verdictOptions;
  const work: Work = {
    session,
    only: only === 'shown' ? undefined : only,
    noteUnusedBudget,
    world,
    suite,
    rechecked: new Map(),
    confirmed: [],
    note: (requirement, reason) => void notes.set(requirement, reason),
  };
  const stopped = await workUntilStopped(sending, work);
  for (const [what, most] of spentBudgets(budget)) {
    const { message } = new BudgetSpent(what, most);
    for (const one of requirements)
      if (!notes.has(one.id) && (what === 'requests' || needsOf(one).includes('creation'))) notes.set(one.id, message);
  }
  const last = world();
  const proven = stopped instanceof NotStarted ? [] : judgeWorld(last, suite, judging);
  const findings = stopped instanceof NotStarted ? [] : [...proven, ...work.confirmed];
  const ended = stopped?.reason ?? (judging.isOverdue() ? reason('overdue', {}) : undefined);
  const endedAt = clock.now();
  return createReport(
    defined({
      settings: settings.raisedBudget === undefined ? settings : { ...settings, ...budget.size() },
      verdictOptions,
      verdicts: judgeRequirements(findings, { settings, notes, errors: judging.errors, ended }),
      exchanges: session.exchanges,
      counterexamples: counterexamplesFor(findings, work.rechecked),
      observed: observe(last, suite),
      created: leftoversOf(last),
      interactions: sending.interactions?.(),
      // The end of a run also ends its last wait.
      waits: waits.map(({ at, ms, why }) => ({
        startedAt: new Date(at).toISOString(),
        durationMs: Math.min(ms, endedAt - at),
        why,
      })),
      requests: budget.requests(),
      unusedBudget: unusedBudget ?? closedBudget(budget, settings),
      ...defined({ scope: options.scope }),
      creates: budget.creations(),
      unanswered: countUnanswered(session.exchanges),
      ended,
      remark: describeOutages(last.outages, budget.requests()),
      startedAt,
      endedAt,
      commit: options.commit,
    }),
  );
}

/** Runs the kit against a target and judges it. */
export function runConformance(options: RunOptions): Promise<Report> {
  const { before } = options;
  return judgeWork(options, {
    async send(work) {
      if (before === undefined) return sendAll(work, options);
      await preflight(work.session);
      await before.send(work);
      if (!before.isAlone) await sendAll(work, options);
    },
  });
}
