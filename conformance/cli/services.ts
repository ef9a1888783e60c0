/** The legal services that `petstore-server --service ID` serves: those of the self-test, and those that `client` tries. */

import type { ServerOptions } from '../../reference-server/twin/index.ts';
import { defined } from '../../spec/defined.ts';
import { refusalsTo } from '../clients/refusals.ts';
import { amongOthers, knownCategory, clientServices as ofClients, referenceService } from '../clients/services.ts';
import { shown } from '../options/readers.ts';
import { suggest } from '../options/suggest.ts';
import { UsageError } from '../run/usage-error.ts';
import { services } from '../services/index.ts';
import type { Service } from '../services/service.ts';
import { layers } from '../services/wraps.ts';

type Served = Partial<Service> & { readonly id: string; readonly meaning?: string };

/** The services that `client` tries, with animals of others, and open to web pages, since a page may be the client. */
const forClients = [referenceService, amongOthers, ...ofClients, ...refusalsTo()].map((service): Served => {
  const { meaning, gaps, animals = amongOthers.animals } = service;
  const more = { gaps: { ...gaps, cors: 'any-origin' as const }, ...defined({ animals }) };
  return { ...service, ...more, meaning: `${meaning} The category ${knownCategory} is known.` };
});
const known: readonly Served[] = [...forClients, ...services];

/** The service with an id; throws a UsageError that suggests a similar id where there is none. */
export function findServerOptions(id: string): ServerOptions & { readonly meaning?: string } {
  const found = known.find((service) => service.id === id);
  if (found === undefined) {
    const ids = known.map((one) => one.id);
    throw new UsageError(`--service takes the id of a service, not "${shown(id)}".${suggest(id, ids)}`);
  }
  const { wrap = layers(), gaps, behaviour, animals, product, skewMs = 0, latencyMs, startsAt } = found;
  const meaning = found.meaning ?? (product && `As of: ${product}.`);
  const aheadMs = skewMs + (startsAt === undefined ? 0 : startsAt - Date.now());
  return {
    ...defined({ gaps, behaviour, animals, meaning, latencyMs }),
    faults: [{ id, breaks: [], wrap }],
    clock: () => Date.now() + aheadMs,
  };
}
