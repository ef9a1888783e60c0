/** The legal services that `petstore-server --service ID` serves: those of the self-test, and those that `client` tries. */

import type { ServerOptions } from '../../reference-server/twin/index.ts';
import { defined } from '../../spec/defined.ts';
import { gaps } from '../../spec/gaps.ts';
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
  const { meaning, gaps: chosen, animals = amongOthers.animals } = service;
  const more = { gaps: { ...chosen, cors: 'any-origin' as const }, ...defined({ animals }) };
  return { ...service, ...more, meaning: `${meaning} The category ${knownCategory} is known.` };
});
const everyService: readonly Served[] = [...forClients, ...services];
/** Of two with one id, that for clients. */
const known = everyService.filter(({ id }, at) => everyService.findIndex((one) => one.id === id) === at);

function meaningOf({ id, meaning, product }: Served): string {
  if (meaning !== undefined) return meaning;
  if (product !== undefined) return `As of: ${product}.`;
  const [gap, answer = ''] = id.split('=');
  return gaps.find((one) => one.id === gap)?.answers[answer] ?? '';
}

function hintOf(containing: readonly string[]): string {
  if (containing.length === 0) return ' petstore-server --list services lists them.';
  return ` These have it in their ids: ${containing.slice(0, 5).join(', ')}.`;
}

/** Every service, with a sentence or a product that shows it. */
export const listedServices = known.map((service) => [service.id, meaningOf(service)] as const);

/** The service with an id; throws a UsageError that suggests a similar id where there is none. */
export function findServerOptions(id: string): ServerOptions & { readonly meaning?: string } {
  const found = known.find((service) => service.id === id);
  if (found === undefined) {
    const ids = known.map((one) => one.id);
    const near = suggest(id, ids) || hintOf(ids.filter((one) => id.length > 2 && one.includes(id)));
    throw new UsageError(`--service takes the id of a service, not "${shown(id)}".${near}`);
  }
  const { wrap = layers(), gaps: chosen, behaviour, animals, skewMs = 0, latencyMs, startsAt } = found;
  const meaning = meaningOf(found);
  const aheadMs = skewMs + (startsAt === undefined ? 0 : startsAt - Date.now());
  return {
    ...defined({ gaps: chosen, behaviour, animals, meaning, latencyMs }),
    faults: [{ id, breaks: [], wrap }],
    clock: () => Date.now() + aheadMs,
  };
}
