/**
 * Sends drawn sequences while the budget lasts: one that holds every kind of pair, then any. Each is judged by itself, and what
 * fails for the first time is rechecked.
 */

import fc from 'fast-check';
import { runConcurrently } from '../http/concurrency.ts';
import type { Exchange } from '../http/exchange.ts';
import { BudgetSpent } from '../run/budget.ts';
import { recheckFailures } from '../run/recheck.ts';
import type { Session } from '../run/session.ts';
import type { RunState } from '../run/suite.ts';
import { type Finding, isFailing } from '../verdict/finding.ts';
import { anySequence, type DrawnRequest, everyPair } from './drawn-requests.ts';

/** Sends requests, as many concurrently as the settings allow, until the budget is spent. */
async function sendAll(session: Session, requests: readonly DrawnRequest[]): Promise<readonly Exchange[]> {
  const sent: Exchange[] = [];
  const tasks = requests.map((requestOf) => async () => {
    const request = requestOf(session);
    if (request !== undefined) sent.push(await session.send(request));
  });
  try {
    await runConcurrently(tasks, session.settings.concurrency);
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error;
  }
  return sent;
}

export async function explore(session: Session, state: RunState): Promise<void> {
  const { budget, random } = session;
  const sequences = anySequence(session);
  let next = everyPair(session);
  while (budget.requestsLeft() > 0) {
    const [requests = []] = fc.sample(next, { seed: Math.floor(random() * 2 ** 31), numRuns: 1 });
    const sent = await sendAll(session, requests);
    const isNew = ({ requirement }: Finding): boolean => !state.counterexamples.has(requirement);
    if (state.judge(sent).filter(isFailing).some(isNew)) await recheckFailures(session, state);
    next = sequences;
  }
}
