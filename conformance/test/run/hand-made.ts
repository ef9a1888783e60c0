/** Exchanges and verdicts made by hand, for tests of what folds them. */

import { type RequirementId, requirements } from '../../../spec/requirements.ts';
import { validKey } from '../../http/credentials.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { RequirementVerdict } from '../../verdict/verdict.ts';

/** A listing of no animals, each on a second of its own. */
export function exchangeOf(number: number, part: Partial<Exchange> = {}): Exchange {
  const startedAt = Date.UTC(2026, 10, 21, 12, 0, number);
  return {
    number,
    check: 'some-check',
    operation: 'listPets',
    credential: validKey('Hand-Made-Key-4711').shown,
    request: { method: 'GET', target: `/pets?limit=${number}`, headers: {} },
    response: { status: 200, headers: { 'content-type': 'application/json' }, body: '[]' },
    startedAt,
    endedAt: startedAt + 7,
    sent: 2 * number - 1,
    answered: 2 * number,
    ...part,
  };
}

export function requirementOf(id: RequirementId): Pick<RequirementVerdict, 'id' | 'section' | 'level' | 'text'> {
  const { section, level, text } = requirements.find((requirement) => requirement.id === id)!;
  return { id, section, level, text };
}

/** A verdict on a requirement, with two exchanges as its evidence. */
export function verdictOf(
  id: RequirementId,
  verdict: RequirementVerdict['verdict'],
  part: Partial<RequirementVerdict> = {},
): RequirementVerdict {
  const evidence = ['pass', 'fail', 'warn'].includes(verdict) ? 2 : 0;
  return { ...requirementOf(id), verdict, evidence, failures: [], ...part };
}
