/** `explain ID`: a statement with how it is judged and what proves that; an open question; or what a failure says. */

import { clientStatements } from '../../spec/client-statements.ts';
import { failureCodes } from '../../spec/failure-codes.ts';
import { type Gap, gaps } from '../../spec/gaps.ts';
import { type Requirement, type RequirementId, requirements } from '../../spec/requirements.ts';
import { checks } from '../checks/index.ts';
import { carelessClients } from '../clients/careless/index.ts';
import { turns } from '../clients/worlds/index.ts';
import type { Invocation } from '../command-line/configuration.ts';
import { print } from '../command-line/files.ts';
import { suggest } from '../command-line/suggest.ts';
import { UsageError } from '../command-line/usage-error.ts';
import { faults } from '../faults/index.ts';

function titlesOf(kind: 'invariant' | 'scenario', id: RequirementId): readonly string[] {
  return checks.flatMap((check) =>
    check.kind === kind && check.verifies.includes(id) ? [`  ${check.id}: ${check.title}`] : [],
  );
}

function explainRequirement(requirement: Requirement & { readonly id: RequirementId }): string {
  const { id, section, level, statement, untested } = requirement;
  const heading = `§${section} ${id} (${level})\n${statement}\n`;
  if (untested !== undefined) return `${heading}\nNot tested: ${untested}\n`;
  const proofs = faults.filter(({ breaks }) => breaks[0] === id).map((fault) => `  ${fault.id}`);
  const sent = titlesOf('scenario', id);
  const parts = [
    ['Judged by', titlesOf('invariant', id)],
    ['Shown by what these send', sent.length === 0 ? ['  every request of a run'] : sent],
    [`Proven by ${proofs.length} faults`, proofs],
  ] as const;
  return `${[heading, ...parts.map(([title, lines]) => `${title}:\n${lines.join('\n')}\n`)].join('\n')}`;
}

/** A statement about clients, with what a service does that shows it, and the careless clients that prove it. */
function explainClientStatement({ id, section, level, statement }: (typeof clientStatements)[number]): string {
  const shownBy = turns.filter((turn) => turn.statement === id).map((turn) => `  ${turn.id}: ${turn.meaning}`);
  const proofs = carelessClients.filter(({ breaks }) => breaks.includes(id)).map((one) => `  ${one.id}: ${one.title}`);
  const parts = [
    ['Shown by a service in which', shownBy.length === 0 ? ['  nothing differs: requests show it'] : shownBy],
    [`Proven by ${proofs.length} careless ${proofs.length === 1 ? 'client' : 'clients'}`, proofs],
  ] as const;
  const heading = `§${section} ${id} (of clients, ${level})\n${statement}\n`;
  return [heading, ...parts.map(([title, lines]) => `${[`${title}:`, ...lines].join('\n')}\n`)].join('\n');
}

function explainGap({ id, section, question, answers, others = {}, reference, unobservable }: Gap): string {
  const rows = Object.entries({ ...answers, ...others }).map(([answer, meaning]) => {
    const note = answer === reference ? ' (the reference server)' : '';
    return `  ${answer}: ${meaning}${note}`;
  });
  const parts = unobservable === undefined ? ['Answers:', ...rows] : [unobservable];
  return `${[`§${section} ${id} (left open, never judged)`, question, '', ...parts].join('\n')}\n`;
}

/** What an id names, in words; undefined where it names nothing. */
function explanationOf(id: string): string | undefined {
  const requirement = requirements.find((one) => one.id === id);
  if (requirement !== undefined) return explainRequirement(requirement);
  const ofClients = clientStatements.find((one) => one.id === id);
  if (ofClients !== undefined) return explainClientStatement(ofClients);
  const gap = gaps.find((one) => one.id === id);
  if (gap !== undefined) return explainGap(gap);
  return Object.hasOwn(failureCodes, id) ? `${id} (code of a failure)\n${failureCodes[id]}\n` : undefined;
}

export async function explain({ words: [id = ''] }: Invocation<'explain'>): Promise<number> {
  const explanation = explanationOf(id);
  if (explanation === undefined) {
    const named = [...requirements, ...clientStatements, ...gaps].map((one) => one.id);
    const known = [...named, ...Object.keys(failureCodes)];
    throw new UsageError(
      `explain takes the id of a statement, of a gap or of a failure, not "${id}"; petstore-conformance list shows the first.${suggest(id, known)}`,
    );
  }
  await print(explanation);
  return 0;
}
