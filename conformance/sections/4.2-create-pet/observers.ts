/** §2, §4.2 Observes what creations show: each departs from an accepted one, and its answer shows how that is treated. */

import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { hasFieldTwice, isInt64, isJsonObject, type JsonObject } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { readNewPet, readRequestJson } from '../../http/read-request.ts';
import { animalsOf, statusOf } from '../../http/read-response.ts';
import { type History, isAuthorized } from '../../verdict/history.ts';
import { isPlainName, shapeOf } from '../../verdict/names.ts';
import { collectAnswers, type Observe, refusalAnswer } from '../observation.ts';
import { acceptedIn, attemptsIn } from './accepted.ts';

/** How a creation departs from one with a plain name and an accepted category. */
type Departure =
  | 'category'
  | 'name'
  | 'namesake'
  | 'id'
  | 'more-fields'
  | 'decimal'
  | 'media-type'
  | 'chunked'
  | 'form';

export interface Creation {
  readonly exchange: Exchange;
  readonly name: string;
  readonly categoryId: bigint;
  /** A refusal is attributed to a departure only if it is the only one. */
  readonly departures: readonly Departure[];
}

function fieldsOf(exchange: Exchange): JsonObject | undefined {
  if (exchange.operation !== 'createPet' || !isAuthorized(exchange)) return undefined;
  if (readNewPet(exchange).kind === 'invalid') return undefined;
  const reading = readRequestJson(exchange.request);
  // If a field occurs twice, either may count.
  const isClear = 'value' in reading && isJsonObject(reading.value) && !hasFieldTwice(exchange.request.body ?? '');
  return isClear ? reading.value : undefined;
}

export function isAccepted({ exchange }: Pick<Creation, 'exchange'>): boolean {
  return statusOf(exchange) === 201;
}

/** The exchanges before the target began to refuse what it had accepted, as a full store does. */
function beforeFull(history: History): readonly Exchange[] {
  const { answered, created } = history;
  const { shapes, categories } = acceptedIn(history);
  const last = created.at(-1)?.exchange.sent ?? 0;
  const full = attemptsIn(history).find(
    ({ exchange, shape, categoryId, isRefused }) =>
      isRefused && exchange.sent > last && shapes.has(shape) && categories.has(categoryId),
  );
  return full === undefined ? answered : answered.filter(({ sent }) => sent < full.exchange.sent && sent <= last);
}

/** The creations with a string as name and an int64 as category, whatever else they hold, in order. */
export const creationsOf = memoize((history: History): readonly Creation[] => {
  const { settings } = history;
  const bodies = beforeFull(history).flatMap((exchange) => {
    const fields = fieldsOf(exchange);
    const { name, categoryId } = fields ?? {};
    // A lone surrogate is no text, so its refusal says nothing about names.
    return fields !== undefined && typeof name === 'string' && name.isWellFormed() && isInt64(categoryId)
      ? [{ exchange, fields, name, categoryId }]
      : [];
  });
  const accepted = new Set(bodies.filter(isAccepted).map(({ name }) => name));
  const acceptedCategories = new Set(bodies.filter(isAccepted).map(({ categoryId }) => categoryId));
  const isPlain = (name: string): boolean => isPlainName(name, settings);
  const plainShapes = new Set([...accepted].filter(isPlain).map(shapeOf));
  const sent = new Set<string>();
  return bodies.map(({ exchange, fields, name, categoryId }) => {
    const { request } = exchange;
    const contentType = request.headers['content-type'] ?? '';
    const isJsonType = /^application\/json\b/i.test(contentType);
    const more = Object.keys(fields).filter((field) => !['name', 'categoryId', 'status', 'id'].includes(field));
    const departs: Readonly<Record<Departure, boolean>> = {
      category: !acceptedCategories.has(categoryId),
      name: !accepted.has(name) && !(isPlain(name) && plainShapes.has(shapeOf(name))),
      namesake: sent.has(name),
      id: Object.hasOwn(fields, 'id'),
      'more-fields': more.length > 0,
      decimal: /"categoryId"\s*:\s*-?\d+[.eE]/.test(request.body ?? ''),
      'media-type': !isJsonType,
      chunked: request.headers['transfer-encoding'] !== undefined,
      // A refusal may be due to a parameter of the media type, or to the size of many fields.
      form:
        (isJsonType && contentType !== 'application/json') || (more.length > 0 && (request.body ?? '').length > 256),
    };
    sent.add(name);
    const departures = (Object.keys(departs) as Departure[]).filter((departure) => departs[departure]);
    return { exchange, name, categoryId, departures };
  });
});

/** The creations that show how a departure is treated: those accepted with it, and those refused for nothing else. */
export function departingIn(history: History, departure: Departure): readonly Exchange[] {
  return creationsOf(history)
    .filter(
      (creation) =>
        creation.departures.includes(departure) && (isAccepted(creation) || creation.departures.length === 1),
    )
    .map(({ exchange }) => exchange);
}

export const duplicateNames: Observe<'duplicate-names'> = (history) =>
  collectAnswers(departingIn(history, 'namesake'), (exchange) =>
    isAccepted({ exchange }) ? 'accepted' : refusalAnswer(exchange, 400, 409, 422),
  );

/** Whether an unknown field of a creation comes back, at once or later. */
function isKept(history: History, exchange: Exchange): boolean {
  const known = ['id', 'name', 'categoryId', 'status'];
  const more = Object.keys(fieldsOf(exchange) ?? {}).filter((field) => !known.includes(field));
  const [created] = animalsOf(exchange);
  const returned = history.answered
    .filter((later) => later === exchange || happenedBefore(exchange, later))
    .flatMap(animalsOf)
    .filter(({ id }) => id === created?.['id']);
  return returned.some((animal) => more.some((field) => Object.hasOwn(animal, field)));
}

export const extraBodyFields: Observe<'extra-body-fields'> = (history) =>
  collectAnswers(departingIn(history, 'more-fields'), (exchange) => {
    if (!isAccepted({ exchange })) return refusalAnswer(exchange, 400, 422);
    return isKept(history, exchange) ? 'kept' : 'ignored';
  });

export const clientSentId: Observe<'client-sent-id'> = (history) =>
  collectAnswers(departingIn(history, 'id'), (exchange) => {
    if (!isAccepted({ exchange })) return refusalAnswer(exchange, 400, 409, 422);
    const [created] = animalsOf(exchange);
    const sent = fieldsOf(exchange)?.['id'];
    // An id of another type could not become the animal's, so ignoring it tells nothing.
    return typeof sent !== 'bigint' || created?.['id'] === sent ? undefined : 'ignored';
  });

export const integerWrittenAsDecimal: Observe<'integer-written-as-decimal'> = (history) =>
  collectAnswers(departingIn(history, 'decimal'), (exchange) =>
    isAccepted({ exchange }) ? 'accepted' : refusalAnswer(exchange, 400, 422),
  );

export const otherMediaType: Observe<'other-media-type'> = (history) =>
  collectAnswers(departingIn(history, 'media-type'), (exchange) => {
    if (isAccepted({ exchange })) return 'accepted';
    // The interface does not describe the body of a 415.
    return statusOf(exchange) === 415 ? 'refused-415' : refusalAnswer(exchange, 400, 422);
  });

export const chunkedBodies: Observe<'chunked-bodies'> = (history) =>
  collectAnswers(departingIn(history, 'chunked'), (exchange) => {
    if (isAccepted({ exchange })) return 'accepted';
    // The interface does not describe the body of a 411 or 413.
    const status = statusOf(exchange);
    return status === 411 || status === 413 ? `refused-${status}` : refusalAnswer(exchange, 400);
  });

export const locationHeader: Observe<'location-header'> = (history) =>
  collectAnswers(
    history.created.map(({ exchange }) => exchange),
    (exchange) => {
      const location = exchange.response?.headers['location'];
      if (location === undefined) return 'none';
      const [animal] = animalsOf(exchange);
      return location.endsWith(`/pets/${animal?.['id']}`) ? 'sent' : 'another-address';
    },
  );
