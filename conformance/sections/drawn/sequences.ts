/** What the budget leaves buys drawn sequences of requests, and the shortest of those that break a requirement. */

import fc from 'fast-check';
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
import { type Ask, type Command, commandsFor, type Model, tagToCome } from './commands.ts';

const longestSequence = 8;
/** Shrinking one failure costs no more requests than this. */
const mostShrinking = 40;

/** Thrown where a sequence breaks a requirement; the library then looks for a shorter one. */
class Broken extends Error {}

/** What has been drawn and found in one sequence and all the shorter ones that come from it. */
interface Search {
  readonly session: Session;
  readonly judge: Judge;
  /** Requirements that are known to fail: they need no other example. */
  readonly known: ReadonlySet<RequirementId>;
  /** What was asked before is not asked again, but taken from the evidence: shrinking tries it first. */
  readonly recorded: Map<string, Exchange>;
  found: Pick<Counterexample, 'finding' | 'exchanges'> | undefined;
  shrinkingRequests: number;
  /** What ended the search early; an interrupted search proves nothing, what it sent is evidence all the same. */
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
  const body = request.body?.replace(tagToCome, () => session.newName());
  const credential = request.credential ?? validKey(session.keys.api);
  const exchange = await session.send({ ...request, credential, ...(body === undefined ? {} : { body }) });
  search.recorded.set(keyOf(request), exchange);
  return exchange;
}

/** What the exchanges of a sequence break: when shrinking only the failure that was found counts. */
function brokenBy({ judge, known, found }: Search, exchanges: readonly Exchange[]): Failing | undefined {
  return judge(exchanges, found?.finding.requirement)
    .filter(isFailing)
    .find((finding) => (found === undefined ? !known.has(finding.requirement) : isSameFailure(finding, found.finding)));
}

/** Sends one sequence of commands; throws Broken where it breaks a requirement. */
async function sendSequence(search: Search, commands: Iterable<Command>): Promise<void> {
  const exchanges = new Set<Exchange>();
  const ask: Ask = async (request) => {
    const exchange = await sendDrawn(search, request);
    exchanges.add(exchange);
    return exchange;
  };
  await fc.asyncModelRun(() => ({ model: { ids: [] }, real: ask }), commands);
  const inOrder = [...exchanges].sort((one, other) => one.number - other.number);
  const finding = brokenBy(search, inOrder);
  if (finding === undefined) return;
  // The library goes on from every failing sequence that it is shown, so each is shorter or plainer than the last.
  search.found = { finding, exchanges: inOrder };
  throw new Broken();
}

/** Draws one sequence; where it breaks a requirement that was not known to fail, shrinks it. */
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
  const sequences = fc.commands<Model, Ask, false>([...commandsFor(session)], {
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

/** Asks the shortest sequence once more and notes it. */
async function noteFound(
  session: Session,
  inquiry: ScenarioContext,
  { found, ended, isCutOff }: Search,
): Promise<void> {
  if (found === undefined) return;
  const shrinking = ended !== undefined || isCutOff ? 'stopped' : 'finished';
  // Not every request of the sequence need be among the evidence.
  const shortest = shortestSequence(inquiry.judge, found.exchanges, found.finding);
  await noteAndRecheck(session, inquiry, { ...shortest, shrinking });
}

/**
 * Draws sequences until the budget has no more than `left` requests: as many side by side as the settings allow, and as
 * the requests suffice for.
 */
export async function explore(session: Session, inquiry: ScenarioContext, left: number): Promise<void> {
  const failing = inquiry.judge(session.exchanges).filter(isFailing);
  const known = new Set(failing.map(({ requirement }) => requirement));
  const drawUntilSpent = async (): Promise<void> => {
    while (session.budget.requestsLeft() > left) {
      const search = await drawSequence(session, inquiry.judge, known);
      await noteFound(session, inquiry, search);
      if (search.found !== undefined) known.add(search.found.finding.requirement);
      if (search.ended instanceof RunStopped) throw search.ended;
    }
  };
  const most = Math.max(1, Math.floor((session.budget.requestsLeft() - left) / longestSequence));
  await session.doAll(Array.from({ length: Math.min(session.settings.concurrency, most) }, () => drawUntilSpent));
}
