/** `explain ID`: what one statement says, how it is judged, and which faults prove that it is; sends nothing. */

import { type Requirement, type RequirementId, requirements } from '../../spec/requirements.ts';
import { checks } from '../checks/index.ts';
import type { Invocation } from '../command-line/configuration.ts';
import { print } from '../command-line/files.ts';
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

export async function explain({ words: [id = ''] }: Invocation<'explain'>): Promise<number> {
  const requirement = requirements.find((one) => one.id === id);
  if (requirement === undefined) {
    throw new UsageError(`explain takes the id of a requirement, not "${id}"; petstore-conformance list shows them.`);
  }
  await print(explainRequirement(requirement));
  return 0;
}
