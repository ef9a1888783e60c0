/** What probes need to know of a run so far, kept up to date with each exchange. */

import { readNewPet } from '../http/read-request.ts';
import { animalsOf, statusOf } from '../http/read-response.ts';
import { likelyCategories, type Scene } from '../sections/probes.ts';
import type { Session } from './session.ts';

/** The likeliest category that the target has accepted so far, or else the likeliest of all. */
export function plainCategory({ exchanges, settings }: Pick<Session, 'exchanges' | 'settings'>): bigint {
  const likely = likelyCategories({ exchanges, settings });
  for (const exchange of exchanges) {
    if (exchange.operation !== 'createPet' || statusOf(exchange) !== 201) continue;
    const reading = readNewPet(exchange);
    const accepted = reading.kind === 'invalid' ? undefined : reading.pet?.categoryId;
    if (accepted !== undefined && likely.includes(accepted)) return accepted;
  }
  return likely[0]!;
}

export function createScene(session: Session): Scene {
  let plain: bigint | undefined;
  const { settings, keys, exchanges, random, newName } = session;
  return {
    settings,
    keys,
    exchanges,
    random,
    newName,
    created: [],
    ids: new Set(),
    lastRead: undefined,
    plainCategory() {
      if (plain !== undefined) return plain;
      const found = plainCategory(session);
      // Until an animal is created, another category may turn out to be the accepted one.
      if (exchanges.some((one) => statusOf(one) === 201 && animalsOf(one).length > 0)) plain = found;
      return found;
    },
    takesAnyCategory: false,
  };
}
