/** `explain ID`: a requirement with how it is judged and what proves that; an open question; or what a failure says. */

import { clientRequirements } from '../../../spec/client-requirements.ts';
import { failureCodes, meaningOf } from '../../../spec/failure-codes.ts';
import { type Gap, gaps } from '../../../spec/gaps.ts';
import { type Requirement, type RequirementId, requirements } from '../../../spec/requirements.ts';
import { carelessClients } from '../../clients/careless/index.ts';
import { variations } from '../../clients/variations/index.ts';
import { faults } from '../../sections/faults.ts';
import { checks } from '../../sections/index.ts';
import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import { suggest } from '../suggest.ts';
import { UsageError } from '../usage-error.ts';

function titlesOf(kind: 'invariant' | 'scenario', id: RequirementId): readonly string[] {
  return checks.flatMap((check) =>
    check.kind === kind && check.verifies.includes(id) ? [`  ${check.id}: ${check.title}`] : [],
  );
}

function explainRequirement(requirement: Requirement & { readonly id: RequirementId }): string {
  const { id, section, level, text, untested } = requirement;
  const heading = `§${section} ${id} (${level})\n${text}\n`;
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

/** A client requirement, with what a service does that shows it, and the careless clients that prove it. */
function explainClientRequirement({
  id,
  section,
  level,
  text: requirement,
}: (typeof clientRequirements)[number]): string {
  const shownBy = variations.filter((turn) => turn.requirement === id).map((turn) => `  ${turn.id}: ${turn.meaning}`);
  const proofs = carelessClients.filter(({ breaks }) => breaks.includes(id)).map((one) => `  ${one.id}: ${one.title}`);
  const parts = [
    ['Shown by a service in which', shownBy.length === 0 ? ['  nothing differs: requests show it'] : shownBy],
    [`Proven by ${proofs.length} careless ${proofs.length === 1 ? 'client' : 'clients'}`, proofs],
  ] as const;
  const heading = `§${section} ${id} (of clients, ${level})\n${requirement}\n`;
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
  const ofClients = clientRequirements.find((one) => one.id === id);
  if (ofClients !== undefined) return explainClientRequirement(ofClients);
  const gap = gaps.find((one) => one.id === id);
  if (gap !== undefined) return explainGap(gap);
  const meaning = meaningOf(id);
  return meaning === undefined ? undefined : `${id} (failure code)\n${meaning}\n`;
}

export async function explain({ words: [id = ''] }: Invocation<'explain'>): Promise<number> {
  const explanation = explanationOf(id);
  if (explanation === undefined) {
    const named = [...requirements, ...clientRequirements, ...gaps].map((one) => one.id);
    const known = [...named, ...Object.keys(failureCodes)];
    throw new UsageError(
      `explain takes the id of a requirement, of a gap or of a failure, not "${id}"; petstore-conformance list shows the first.${suggest(id, known)}`,
    );
  }
  await print(explanation);
  return 0;
}
