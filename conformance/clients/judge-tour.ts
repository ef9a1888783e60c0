/** Folds a tour into one verdict for each statement about clients. */

import { type ClientStatement, type ClientStatementId, clientStatements } from '../../spec/client-statements.ts';
import { type Gap, gaps } from '../../spec/gaps.ts';
import type { Exchange } from '../engine/evidence/exchange.ts';
import type { Verdict } from '../engine/report/verdict.ts';
import { clientChecks } from './checks/index.ts';
import type { Breakage } from './explorer.ts';
import type { ClientFinding } from './finding.ts';
import { concerns } from './relevance.ts';
import { goesOn, type Tour } from './tour.ts';
import type { Visit } from './visit.ts';
import type { Turn } from './world.ts';
import { turns } from './worlds/index.ts';

export interface ClientFailure {
  readonly code: string;
  readonly message: string;
  readonly exchanges: readonly Exchange[];
}

export interface ClientVerdict {
  readonly statement: ClientStatement & { readonly id: ClientStatementId };
  readonly verdict: Verdict;
  /** How many exchanges bear it out. */
  readonly evidence: number;
  readonly reason?: string;
  readonly failures: readonly ClientFailure[];
  /** Set where a world was visited twice, and the client failed in it. */
  readonly recheck?: 'fails-again' | 'flaky';
}

/** Requests that show best what a client met: the last that the statement concerns. */
const exchangesShown = 3;

/** What a client relies on that fails with a turn, in words. */
function relianceOn({ statement }: Turn): string {
  const gap = (gaps as readonly Gap[]).find((one) => statement === `any-${one.id}`);
  if (gap?.reference === undefined) {
    const { section } = clientStatements.find((one) => one.id === statement)!;
    return statement.startsWith('any-') ? `the interface leaves that open (§${section})` : `see §${section}`;
  }
  return `it relies on ${gap.id}: ${gap.reference}, and the interface does not say so (§${gap.section})`;
}

function failureOf({ turns: own, visit }: Breakage, statement: ClientStatementId): ClientFailure {
  const { ending, output, exchanges } = visit;
  const where = own.map(({ id, meaning }) => `${id} (${meaning})`).join(' together with ');
  const reliance = own.map(relianceOn).join('; ');
  const see = output === undefined ? '' : `; see ${output}`;
  const shown = exchanges.filter((exchange) => concerns(statement, exchange)).slice(-exchangesShown);
  return {
    code: own.length === 1 ? 'relies-on-an-answer' : 'relies-on-answers',
    message: `expected the client to work with ${where}, received ${ending}: ${reliance}${see}`,
    exchanges: shown.length > 0 ? shown : exchanges.slice(-exchangesShown),
  };
}

/** The exchanges of visits that a client passed and that have a turn of a statement. */
function borneBy(statement: ClientStatementId, visits: readonly Visit[]): readonly Exchange[] {
  return visits
    .filter(({ world, isPassed }) => isPassed && world.turns.some((turn) => turn.statement === statement))
    .flatMap(({ exchanges }) => exchanges.filter((exchange) => concerns(statement, exchange)));
}

interface Excuse {
  readonly verdict: 'skipped' | 'not-applicable' | 'inconclusive';
  readonly reason: string;
}

/** Why a statement has neither evidence nor a failure. */
function excuseOf(statement: ClientStatementId, tour: Tour): Excuse {
  const own = turns.filter((turn) => turn.statement === statement);
  const isVisited = (turn: Turn): boolean => tour.visits.some(({ world }) => world.turns.includes(turn));
  if (statement.startsWith('any-') && own.length === 0) {
    return { verdict: 'not-applicable', reason: 'no world differs in it' };
  }
  if (own.some((turn) => turn.isSlow && isVisited(turn)) && !goesOn(tour)) {
    return { verdict: 'inconclusive', reason: 'the client does not go on after any 429' };
  }
  if (own.length > 0 && !own.some(isVisited)) return { verdict: 'skipped', reason: 'its worlds were not visited' };
  return { verdict: 'not-applicable', reason: 'the client sent nothing that it concerns' };
}

/** A breakage that says nothing of its own: who does not go on after the plainest 429 does not after another. */
function isImplied({ turns: own }: Breakage, tour: Tour): boolean {
  return own.every(({ isSlow, statement }) => isSlow && statement !== 'client-goes-on') && !goesOn(tour);
}

function judgeStatement(
  statement: (typeof clientStatements)[number],
  findings: readonly ClientFinding[],
  tour: Tour,
): ClientVerdict {
  const broken = tour.breakages
    .filter((breakage) => breakage.turns.some((turn) => turn.statement === statement.id))
    .filter((breakage) => !isImplied(breakage, tour));
  const failures = [
    ...broken.map((breakage) => failureOf(breakage, statement.id)),
    ...findings.flatMap(({ failure, exchanges }) => (failure === undefined ? [] : [{ ...failure, exchanges }])),
  ];
  const recheck =
    broken.length === 0 ? {} : ({ recheck: broken.every(({ isFlaky }) => isFlaky) ? 'flaky' : 'fails-again' } as const);
  if (failures.length > 0) {
    const evidence = new Set(failures.flatMap(({ exchanges }) => exchanges)).size;
    const verdict = statement.level === 'required' ? 'fail' : 'warn';
    return { statement, verdict, evidence, failures, ...recheck };
  }
  const bearing = new Set([...findings.flatMap(({ exchanges }) => exchanges), ...borneBy(statement.id, tour.visits)]);
  const base = { statement, evidence: bearing.size, failures };
  return bearing.size > 0 ? { ...base, verdict: 'pass' } : { ...base, ...excuseOf(statement.id, tour) };
}

/** One verdict for each statement, in the order of the interface. */
export function judgeTour(tour: Tour): readonly ClientVerdict[] {
  const findings = tour.visits.flatMap((visit) => clientChecks.flatMap(({ judge }) => [...judge(visit)]));
  const byStatement = Map.groupBy(findings, ({ statement }) => statement);
  return clientStatements.map((statement) => judgeStatement(statement, byStatement.get(statement.id) ?? [], tour));
}
