/** Finds answers that belong to the request before, as on a connection whose answers are out of step with its requests. */

import { type Exchange, happenedBefore } from '../http/exchange.ts';
import { isJsonObject } from '../http/json.ts';
import { isAllowed, readListing, readNewPet, readPetId } from '../http/read-request.ts';
import { bodyOf, statusOf } from '../http/read-response.ts';

/** Whether an answer can be that to a request; undefined where it may be, as may many others. */
function canAnswer(request: Exchange, answer: Exchange): boolean | undefined {
  const { kind } = request.credential;
  const [status, body] = [statusOf(answer), bodyOf(answer)];
  if (kind === 'missing' || kind === 'invalid' || kind === 'misplaced') return status === 401;
  if (kind !== 'valid' || status === undefined || status === 429) return undefined;
  const pet = isJsonObject(body) ? body : {};
  switch (request.operation) {
    case 'listPets':
      return isAllowed(readListing(request)) ? status === 200 && Array.isArray(body) : undefined;
    case 'createPet': {
      const sent = readNewPet(request);
      if (sent.kind === 'invalid') return status === 400;
      // A name or a category may be refused.
      if (sent.kind === 'open' || (status > 401 && status < 500)) return undefined;
      return status === 400 ? undefined : status === 201 && pet['name'] === sent.pet.name;
    }
    case 'getPet': {
      const id = readPetId(request);
      return typeof id === 'bigint' ? status === 404 || (status === 200 && pet['id'] === id) : undefined;
    }
    default:
      return undefined;
  }
}

/** So many answers to two operations, all of which fit the request before alone, are no coincidence. */
const [fewestAnswers, fewestOperations] = [4, 2];

export interface OutOfStep {
  /** The exchanges whose answer fits the exchange before alone, each after that one. */
  readonly shifted: readonly (readonly [before: Exchange, exchange: Exchange])[];
  /** All exchanges of such stretches, up to the first answer that shows the order restored: evidence of nothing else. */
  readonly disregarded: ReadonlySet<Exchange>;
}

/** Finds the stretches of requests in which answers fit the request before, and none its own alone. */
export function readOutOfStep(exchanges: readonly Exchange[]): OutOfStep {
  const [shifted, disregarded]: [OutOfStep['shifted'][number][], Set<Exchange>] = [[], new Set()];
  let stretch: number[] = [];
  const endBefore = (end: number): void => {
    const operations = new Set(stretch.map((at) => exchanges[at]!.operation));
    if (stretch.length >= fewestAnswers && operations.size >= fewestOperations) {
      for (const at of stretch) shifted.push([exchanges[at - 1]!, exchanges[at]!]);
      for (const exchange of exchanges.slice(stretch[0], end)) disregarded.add(exchange);
    }
    stretch = [];
  };
  for (const [at, exchange] of exchanges.entries()) {
    const before = exchanges[at - 1];
    if (before === undefined || !happenedBefore(before, exchange)) continue;
    const fitsBefore = canAnswer(before, exchange);
    if (fitsBefore === false) endBefore(at);
    else if (fitsBefore === true && canAnswer(exchange, exchange) === false) stretch.push(at);
  }
  endBefore(exchanges.length);
  return { shifted, disregarded };
}
