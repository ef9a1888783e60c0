/** The legal services that `petstore-server --service ID` serves: those of the self-test, and those that `client` tries. */

import type { LegalService } from '../../reference-server/twin/cli.ts';
import { defined } from '../../spec/defined.ts';
import { aheadOf } from '../clients/client-run.ts';
import { usualRefusals } from '../clients/refusals.ts';
import {
  amongOthers,
  type LegalService as ClientService,
  knownCategory,
  reference,
  services,
} from '../clients/services.ts';
import { slowAnswerMs } from '../http/tolerances.ts';
import { shown } from '../options/readers.ts';
import { suggest } from '../options/suggest.ts';
import { UsageError } from '../run/usage-error.ts';
import { services as catalogue } from '../services/index.ts';
import { layers } from '../services/wraps.ts';

const ofClients = [reference, amongOthers, ...services, ...usualRefusals];

function serviceOf(service: ClientService): LegalService {
  const { meaning, wrap, gaps, isSlow } = service;
  const aheadMs = aheadOf(service, Date.now());
  return {
    meaning: `${meaning} The category ${knownCategory} is known.`,
    wrap: layers(...(wrap === undefined ? [] : [wrap])),
    // Pages are among the clients that this is for.
    gaps: { ...gaps, cors: 'any-origin' },
    animals: service === reference ? [] : (service.animals ?? amongOthers.animals!),
    clock: () => Date.now() + aheadMs,
    latencyMs: isSlow ? slowAnswerMs : 0,
  };
}

/** The service with an id; throws a UsageError that suggests a similar id where there is none. */
export function findService(id: string): LegalService {
  const named = ofClients.find((one) => one.id === id);
  if (named !== undefined) return serviceOf(named);
  const found = catalogue.find((service) => service.id === id);
  if (found === undefined) {
    const known = [...ofClients, ...catalogue].map((one) => one.id);
    throw new UsageError(`--service takes the id of a service, not "${shown(id)}".${suggest(id, known)}`);
  }
  const { gaps, animals, wrap = layers(), skewMs = 0, latencyMs, startsAt } = found;
  const aheadMs = skewMs + (startsAt === undefined ? 0 : startsAt - Date.now());
  return {
    wrap,
    ...defined({ gaps, animals, latencyMs }),
    clock: () => Date.now() + aheadMs,
  };
}
