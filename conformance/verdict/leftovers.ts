/** The animals that a run leaves behind, with what is known of each. */

import type { Exchange } from '../http/exchange.ts';
import { isJsonObject } from '../http/json.ts';
import { readNewPet } from '../http/read-request.ts';
import { bodyOf, statusOf } from '../http/read-response.ts';
import type { World } from '../world/world.ts';
import type { Report } from './report.ts';

/** Whoever cleans up finds an animal by its id, or else by the name that was sent, or else by the one that came back. */
export function leftoversOf({ exchanges, created }: Pick<World, 'exchanges' | 'created'>): Report['created'] {
  const ids = new Map<Exchange, string>(created.map(({ exchange, id }) => [exchange, String(id)]));
  return exchanges
    .filter((exchange) => exchange.operation === 'createPet' && statusOf(exchange) === 201)
    .map((exchange) => {
      const [reading, body] = [readNewPet(exchange), bodyOf(exchange)];
      const returned = isJsonObject(body) ? String(body['name'] ?? '') : '';
      const name = reading.kind === 'invalid' ? returned : (reading.pet?.name ?? returned);
      const id = ids.get(exchange);
      return id === undefined ? { name } : { id, name };
    });
}
