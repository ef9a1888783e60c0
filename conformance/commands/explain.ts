/** `explain ID`: a statement with how it is judged and what proves that; an open question; or what a failure says. */

import { type ClientStatement, clientStatements } from '../../spec/client-statements.ts';
import { failureCodes } from '../../spec/failure-codes.ts';
import { type Gap, gaps } from '../../spec/gaps.ts';
import { type Requirement, type RequirementId, requirements } from '../../spec/requirements.ts';
import { checks } from '../checks/index.ts';
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

function explainGap({ id, section, question, answers, others = {}, reference, unobservable }: Gap): string {
  const rows = Object.entries({ ...answers, ...others }).map(([answer, meaning]) => {
    const note = answer === reference ? ' (the reference server)' : '';
    return `  ${answer}: ${meaning}${note}`;
  });
  const parts = unobservable === undefined ? ['Answers:', ...rows] : [unobservable];
  return `${[`§${section} ${id} (left open, never judged)`, question, '', ...parts].join('\n')}\n`;
}

function explainClientStatement({ id, section, level, statement }: ClientStatement): string {
  const sent = 'what a client sends while petstore-conformance client runs it.';
  const met = 'running a client under one legal service after another: petstore-conformance client.';
  const judged = id.startsWith('any-') ? met : sent;
  return `§${section} ${id} (of clients, ${level})\n${statement}\n\nJudged by ${judged}\n`;
}

/** What an id names, in words; undefined where it names nothing. */
function explanationOf(id: string): string | undefined {
  const requirement = requirements.find((one) => one.id === id);
  if (requirement !== undefined) return explainRequirement(requirement);
  const gap = gaps.find((one) => one.id === id);
  if (gap !== undefined) return explainGap(gap);
  const ofClients = clientStatements.find((one) => one.id === id);
  if (ofClients !== undefined) return explainClientStatement(ofClients);
  return Object.hasOwn(failureCodes, id) ? `${id} (code of a failure)\n${failureCodes[id]}\n` : undefined;
}

export async function explain({ words: [id = ''] }: Invocation<'explain'>): Promise<number> {
  const explanation = explanationOf(id);
  if (explanation === undefined) {
    const stated = [...requirements, ...gaps, ...clientStatements].map((one) => one.id);
    const known = [...stated, ...Object.keys(failureCodes)];
    throw new UsageError(
      `explain takes the id of a statement, of a gap or of a failure, not "${id}"; petstore-conformance list shows the first.${suggest(id, known)}`,
    );
  }
  await print(explanation);
  return 0;
}
