/** Draws sequences of requests while the budget lasts, and shrinks those that break a requirement. */

import fc from 'fast-check';
import { defined } from '../../../spec/defined.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import { validKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import { BudgetSpent } from '../../run/budget.ts';
import { RunStopped } from '../../run/pace.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import { noteAndRecheck } from '../../run/recheck.ts';
import type { ScenarioContext } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { isSameFailure, shortestSequence } from '../../verdict/counterexample.ts';
import { type Counterexample, type Failing, isFailing, type Judge } from '../../verdict/finding.ts';
import { type Command, commandsFor, type Model, namePlaceholder, type Send } from './commands.ts';

const longestSequence = 8;
/** The most requests that shrinking one failure may cost. */
const mostShrinking = 40;

/** Thrown when a sequence breaks a requirement, so that the library shrinks it. */
class Broken extends Error {}

/** The state of one drawn sequence and of the shorter ones that shrinking makes from it. */
interface Search {
  readonly session: Session;
  readonly judge: Judge;
  /** Requirements that already have a counterexample. */
  readonly known: ReadonlySet<RequirementId>;
  /** The exchanges so far; while shrinking, a request that was sent before is not sent again. */
  readonly recorded: Map<string, Exchange>;
  found: Pick<Counterexample, 'finding' | 'exchanges'> | undefined;
  shrinkingRequests: number;
  /** Why the search ended early. The requests it sent are evidence all the same. */
  ended: BudgetSpent | RunStopped | undefined;
  isCutOff: boolean;
}

function keyOf({ method, target, body, credential }: PlannedRequest): string {
  return JSON.stringify([method, target, body, credential?.shown.id]);
}

async function sendDrawn(search: Search, request: PlannedRequest): Promise<Exchange> {
  if (search.found !== undefined) {
    const known = search.recorded.get(keyOf(request));
    if (known !== undefined) return known;
    if (search.shrinkingRequests >= mostShrinking) {
      search.isCutOff = true;
      throw new BudgetSpent('requests');
    }
    search.shrinkingRequests += 1;
  }
  const { session } = search;
  const body = request.body?.replace(namePlaceholder, () => session.newName());
  const credential = request.credential ?? validKey(session.keys.api);
  const exchange = await session.send({ ...request, ...defined({ credential, body }) });
  search.recorded.set(keyOf(request), exchange);
  return exchange;
}

/** The failure that exchanges show: any new one at first, only the found one while shrinking. */
function failureIn({ judge, known, found }: Search, exchanges: readonly Exchange[]): Failing | undefined {
  return judge(exchanges, found?.finding.requirement)
    .filter(isFailing)
    .find((finding) => (found === undefined ? !known.has(finding.requirement) : isSameFailure(finding, found.finding)));
}

/** Sends one sequence of commands; throws Broken where it breaks a requirement. */
async function sendSequence(search: Search, commands: Iterable<Command>): Promise<void> {
  const exchanges = new Set<Exchange>();
  const send: Send = async (request) => {
    const exchange = await sendDrawn(search, request);
    exchanges.add(exchange);
    return exchange;
  };
  await fc.asyncModelRun(() => ({ model: { ids: [] }, real: send }), commands);
  const inOrder = [...exchanges].sort((one, other) => one.number - other.number);
  const finding = failureIn(search, inOrder);
  if (finding === undefined) return;
  // The library shrinks from the last failing sequence, so each is simpler than the one before.
  search.found = { finding, exchanges: inOrder };
  throw new Broken();
}

/** Draws one sequence, and shrinks it where it shows a new failure. */
async function drawSequence(session: Session, judge: Judge, known: ReadonlySet<RequirementId>): Promise<Search> {
  const search: Search = {
    session,
    judge,
    known,
    recorded: new Map(),
    found: undefined,
    shrinkingRequests: 0,
    ended: undefined,
    isCutOff: false,
  };
  const sequences = fc.commands<Model, Send, false>([...commandsFor(session)], {
    maxCommands: longestSequence,
    size: 'max',
  });
  const property = fc.asyncProperty(sequences, async (commands) => {
    if (search.ended !== undefined || search.isCutOff) return;
    try {
      await sendSequence(search, commands);
    } catch (error) {
      if (search.isCutOff) return;
      if (!(error instanceof BudgetSpent) && !(error instanceof RunStopped)) throw error;
      search.ended = error;
    }
  });
  const seed = Math.floor(session.random() * 2 ** 31);
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: 1 });
  if (failed && !(errorInstance instanceof Broken)) throw errorInstance;
  return search;
}

/** Notes the shortest sequence and rechecks it. */
async function noteFound(
  session: Session,
  context: ScenarioContext,
  { found, ended, isCutOff }: Search,
): Promise<void> {
  if (found === undefined) return;
  const shrinking = ended !== undefined || isCutOff ? 'stopped' : 'finished';
  const shortest = shortestSequence(context.judge, found.exchanges, found.finding);
  await noteAndRecheck(session, context, { ...shortest, shrinking });
}

/**
 * Draws sequences until the budget is spent, as many concurrently as the settings allow and the requests suffice for.
 */
export async function explore(session: Session, context: ScenarioContext): Promise<void> {
  const failing = context.judge(session.exchanges).filter(isFailing);
  const known = new Set(failing.map(({ requirement }) => requirement));
  const drawUntilSpent = async (): Promise<void> => {
    while (session.budget.requestsLeft() > 0) {
      const search = await drawSequence(session, context.judge, known);
      await noteFound(session, context, search);
      if (search.found !== undefined) known.add(search.found.finding.requirement);
      if (search.ended instanceof RunStopped) throw search.ended;
      if (search.ended?.what === 'requests') return;
    }
  };
  const most = Math.max(1, Math.floor(session.budget.requestsLeft() / longestSequence));
  await session.doAll(Array.from({ length: Math.min(session.settings.concurrency, most) }, () => drawUntilSpent));
}
