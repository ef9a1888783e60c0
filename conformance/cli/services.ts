/** The legal services that `petstore-server --service ID` serves: those of the self-test, and those that `client` tries. */

import type { LegalService } from '../../reference-server/twin/cli.ts';
import { defined } from '../../spec/defined.ts';
import { aheadOf, gapsOf } from '../clients/compared-answers.ts';
import { categoryIn } from '../clients/serve-variant.ts';
import { animalsOf, referenceVariant, type ServiceVariant, variantWith } from '../clients/service-variant.ts';
import { variations } from '../clients/variations/index.ts';
import { slowAnswerMs } from '../http/tolerances.ts';
import { shown } from '../options/readers.ts';
import { suggest } from '../options/suggest.ts';
import { variants } from '../proof/variants/index.ts';
import { UsageError } from '../run/usage-error.ts';
import { layers } from '../sections/fault.ts';

/** Without earlier runs of the client, a 429 meets its first request of the operation. */
const usual = [
  { operation: 'listPets', nth: 1 },
  { operation: 'createPet', nth: 1 },
  { operation: 'getPet', nth: 1 },
] as const;

/** One variation or more, as a report shows them, with a plus sign between them. */
function readVariations(id: string): ServiceVariant | undefined {
  if (id === referenceVariant.id) return referenceVariant;
  const named = id.split(/\s\+\s/).map((one) => variations.find((variation) => variation.id === one.trim()));
  return named.includes(undefined) ? undefined : variantWith(named.flatMap((one) => one ?? []));
}

function serviceOf(variant: ServiceVariant): LegalService {
  const categoryId = categoryIn(variant);
  const otherHost = 'http://localhost:9/v1';
  const context = { usual, repeated: usual[0], longestPauseMs: 0, categoryId, otherHost };
  const isSlow = variant.variations.some((variation) => variation.isSlow);
  const aheadMs = aheadOf(variant, Date.now());
  return {
    meaning: [...variant.variations.map(({ meaning }) => meaning), `The category ${categoryId} is known.`].join(' '),
    wrap: layers(...variant.variations.flatMap(({ wrap }) => wrap?.(context) ?? [])),
    // Pages are among the clients that this is for.
    gaps: { ...gapsOf(variant), cors: 'any-origin' },
    animals: animalsOf(variant),
    clock: () => Date.now() + aheadMs,
    networkConditions: isSlow ? { latency: { ms: slowAnswerMs, jitterMs: 0 } } : {},
  };
}

/** The service with an id; throws a UsageError that suggests a similar id where there is none. */
export function findService(id: string): LegalService {
  const named = readVariations(id);
  if (named !== undefined) return serviceOf(named);
  const found = variants.find((variant) => variant.id === id);
  if (found === undefined) {
    const known = [referenceVariant.id, ...variations.map((one) => one.id), ...variants.map((one) => one.id)];
    throw new UsageError(`--service takes the id of a service, not "${shown(id)}".${suggest(id, known)}`);
  }
  const { gaps, animals, wrap = layers(), skewMs = 0, latencyMs, startsAt } = found;
  const aheadMs = skewMs + (startsAt === undefined ? 0 : startsAt - Date.now());
  return {
    wrap,
    ...defined({ gaps, animals }),
    clock: () => Date.now() + aheadMs,
    networkConditions: latencyMs === undefined ? {} : { latency: { ms: latencyMs, jitterMs: 0 } },
  };
}
