/** §4.2 How each creation departs from an accepted one: its answer shows how the service treats that. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { hasFieldTwice, isInt64, isJsonObject, type JsonObject } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { readNewPet, readRequestJson } from '../../http/read-request.ts';
import { animalsOf, statusOf } from '../../http/read-response.ts';
import { type History, isAuthorized } from '../../world/history.ts';
import { isPlainName, shapeOf } from '../../world/names.ts';

type Departure = 'category' | 'name' | 'namesake' | 'id' | 'fields' | 'decimal' | 'media-type' | 'chunked' | 'form';

export interface Creation {
  readonly exchange: Exchange;
  readonly fields: JsonObject;
  readonly name: string;
  readonly categoryId: bigint;
  readonly isAccepted: boolean;
  /** A refusal is attributed to a departure only if it is the only one. */
  readonly departures: readonly Departure[];
}

const listed = ['name', 'categoryId', 'status', 'id'];

const unlistedIn = (fields: JsonObject): readonly string[] =>
  Object.keys(fields).filter((field) => !listed.includes(field));

/** The creations with a string as name and an int64 as category, whatever else they hold, in order. */
export const creationsOf = memoize((history: History): readonly Creation[] => {
  // What is refused after the last acceptance may be refused for want of room.
  const last = history.created.at(-1)?.exchange.sent ?? 0;
  const bodies = history.answered.flatMap((exchange) => {
    if (exchange.operation !== 'createPet' || !isAuthorized(exchange) || exchange.sent > last) return [];
    const { body = '' } = exchange.request;
    const reading = readRequestJson(exchange.request);
    // If a field occurs twice, either may count.
    const isClear = readNewPet(exchange).kind !== 'invalid' && 'value' in reading && !hasFieldTwice(body);
    const fields = isClear && isJsonObject(reading.value) ? reading.value : {};
    const { name, categoryId } = fields;
    // A lone surrogate is no text, so its refusal says nothing about names.
    if (typeof name !== 'string' || !name.isWellFormed() || !isInt64(categoryId)) return [];
    return [{ exchange, fields, name, categoryId, isAccepted: statusOf(exchange) === 201 }];
  });
  const accepted = bodies.filter(({ isAccepted }) => isAccepted);
  const isPlain = (name: string): boolean => isPlainName(name, history.settings);
  const names = new Set(accepted.map(({ name }) => (isPlain(name) ? shapeOf(name) : name)));
  const categories = new Set(accepted.map(({ categoryId }) => categoryId));
  const sent = new Set<string>();
  return bodies.map((creation) => {
    const { exchange, fields, name, categoryId } = creation;
    const { headers, body = '' } = exchange.request;
    const type = headers['content-type'] ?? '';
    const isJsonType = /^application\/json\b/i.test(type);
    const hasMore = unlistedIn(fields).length > 0;
    const departs: Readonly<Record<Departure, boolean>> = {
      category: !categories.has(categoryId),
      name: !names.has(isPlain(name) ? shapeOf(name) : name),
      namesake: sent.has(name),
      id: Object.hasOwn(fields, 'id'),
      fields: hasMore,
      decimal: /"categoryId"\s*:\s*-?\d+[.eE]/.test(body),
      'media-type': !isJsonType,
      chunked: headers['transfer-encoding'] !== undefined,
      // A refusal may be due to a parameter of the media type, or to the size of many fields.
      form: (isJsonType && type !== 'application/json') || (hasMore && body.length > 256),
    };
    sent.add(name);
    return { ...creation, departures: (Object.keys(departs) as Departure[]).filter((one) => departs[one]) };
  });
});

/** The creations that show how a departure is treated: those accepted with it, and those refused for nothing else. */
export function departing(history: History, departure: Departure): readonly Creation[] {
  return creationsOf(history).filter(
    ({ departures, isAccepted }) => departures.includes(departure) && (isAccepted || departures.length === 1),
  );
}

/** Whether an unknown field of a creation comes back, at once or later. */
export function isKept(history: History, { exchange, fields }: Creation): boolean {
  const [created] = animalsOf(exchange);
  const more = unlistedIn(fields);
  return history.answered
    .filter((later) => later === exchange || happenedBefore(exchange, later))
    .flatMap(animalsOf)
    .some((animal) => animal['id'] === created?.['id'] && more.some((field) => Object.hasOwn(animal, field)));
}
