/** Draws sequences of requests while the budget lasts, and shrinks those that show a new failure. */

import fc from 'fast-check';
import type { RequirementId } from '../../../spec/requirements.ts';
import type { Exchange } from '../../http/exchange.ts';
import { BudgetSpent } from '../../run/budget.ts';
import { RunStopped, runTasks } from '../../run/pace.ts';
import { noteCounterexamples } from '../../run/recheck.ts';
import type { Session } from '../../run/session.ts';
import type { RunState } from '../../run/suite.ts';
import { shortestSequence } from '../../verdict/counterexample.ts';
import { type Counterexample, isFailing, type Judge } from '../../verdict/finding.ts';
import { type Command, commandsFor, type Send } from './commands.ts';

const longestSequence = 8;

interface Drawn {
  /** The requests that it has sent are evidence, even where something ended it early. */
  found: Pick<Counterexample, 'finding' | 'exchanges'> | undefined;
  ended: BudgetSpent | RunStopped | undefined;
}

/** Sends one sequence of commands; resolves with its exchanges. */
async function sendSequence(session: Session, commands: Iterable<Command>): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const send: Send = async (request) => {
    const exchange = await session.send(request);
    exchanges.push(exchange);
    return exchange;
  };
  await fc.asyncModelRun(() => ({ model: session, real: send }), commands);
  return exchanges;
}

/** Draws one sequence; finds the failure of a requirement that has none yet. */
async function drawSequence(session: Session, judge: Judge, known: ReadonlySet<RequirementId>): Promise<Drawn> {
  const drawn: Drawn = { found: undefined, ended: undefined };
  const sequences = fc.commands<Session, Send, false>([...commandsFor(session)], {
    maxCommands: longestSequence,
    size: 'max',
  });
  const property = fc.asyncProperty(sequences, async (commands) => {
    try {
      const exchanges = await sendSequence(session, commands);
      const finding = judge(exchanges)
        .filter(isFailing)
        .find(({ requirement }) => !known.has(requirement));
      if (finding !== undefined) drawn.found = shortestSequence(judge, exchanges, finding);
    } catch (error) {
      if (!(error instanceof BudgetSpent) && !(error instanceof RunStopped)) throw error;
      drawn.ended = error;
    }
  });
  const seed = Math.floor(session.random() * 2 ** 31);
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: 1, endOnFailure: true });
  if (failed) throw errorInstance;
  return drawn;
}

/**
 * Draws sequences until the budget is spent, as many concurrently as the settings allow and the requests suffice for.
 */
export async function explore(session: Session, state: RunState): Promise<void> {
  const failing = state.judge(session.exchanges).filter(isFailing);
  const known = new Set(failing.map(({ requirement }) => requirement));
  const drawUntilSpent = async (): Promise<void> => {
    while (session.budget.requestsLeft() > 0) {
      const { found, ended } = await drawSequence(session, state.judge, known);
      if (found !== undefined) {
        known.add(found.finding.requirement);
        await noteCounterexamples(session, state, [found]);
      }
      if (ended instanceof RunStopped) throw ended;
      if (ended?.what === 'requests') return;
    }
  };
  const most = Math.max(1, Math.floor(session.budget.requestsLeft() / longestSequence));
  const workers = Math.min(session.settings.concurrency, most);
  const tasks = Array.from({ length: workers }, () => drawUntilSpent);
  await runTasks(tasks, workers);
}
