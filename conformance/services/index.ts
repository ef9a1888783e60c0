/** The catalogue of legal services: servers that make other legal choices than the reference. No run may ever fail one. */

import { gapChoices } from '../../reference-server/twin/gaps.ts';
import { removalDay } from '../../spec/facts.ts';
import type { GapChoices, OpenGapId, ReferenceAnswers } from '../../spec/gaps.ts';
import { hourMs, secondMs } from '../http/tolerances.ts';
import { catalogueServices } from './catalogues.ts';
import { creationServices } from './creations.ts';
import { formServices } from './forms.ts';
import { gatewayServices } from './gateways.ts';
import { limitServices } from './limits.ts';
import type { Service } from './service.ts';

export { handleOf } from './service.ts';

/**
 * The answer that a run with the default budget observes for a choice. It does not search for what is wrong with a name; a
 * window reveals how it moves only to requests over more than a minute, and a ban shows only after many refusals.
 */
export function seenOf(gap: string, answer: string): string | null {
  if (gap === 'name-limits' && answer !== 'any') return 'refused-400';
  if (gap === 'rate-limit-window' && answer !== 'day') return 'at-most-a-minute';
  return gap === 'ban' ? null : answer;
}

/** The first day without getPet, about noon. */
const firstDayWithoutGetPet = removalDay + 12 * hourMs + 20 * secondMs;
/** The gap that only shows on another day. */
const afterRemoval = 'after-removal';

/** The reference server, all of whose answers a run observes, and a row for each other answer to a gap. */
const byGap: readonly Service[] = [
  {
    id: 'reference',
    gaps: Object.fromEntries(
      Object.entries(gapChoices).flatMap(([gap, [own]]) => (gap === afterRemoval ? [] : [[gap, own]])),
    ),
  },
  ...Object.entries(gapChoices).flatMap(([gap, answers]) =>
    answers.slice(gap === afterRemoval ? 0 : 1).map((answer) => ({
      id: `${gap}=${answer}`,
      gaps: { [gap]: answer } as Partial<GapChoices>,
      ...(gap === afterRemoval && { startsAt: firstDayWithoutGetPet }),
    })),
  ),
];

const serviceRows = [...catalogueServices, ...formServices, ...creationServices, ...limitServices, ...gatewayServices];

/** Every other answer to a gap, and every circumstance that a real product shows. */
export const services: readonly Service[] = [...byGap, ...serviceRows];

type OfGap = { [Gap in OpenGapId]: `${Gap}=${ReferenceAnswers[Gap] & string}` }[OpenGapId];
export type ServiceId = (typeof serviceRows)[number]['id'] | OfGap | 'reference';

/** The service with an id: for an answer to a gap, one that the reference does not give. */
export function findService(id: ServiceId): Service {
  return services.find((service) => service.id === id)!;
}
