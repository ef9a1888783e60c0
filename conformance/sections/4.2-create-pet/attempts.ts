/**
 * §4.2 The creations so far, and what they show of the names and categories that the target accepts, which the interface
 * leaves open: how each departs from accepted ones, and whether it was refused for that.
 */

import type { PetStatus } from '../../../spec/operations.ts';
import type { Exchange } from '../../http/exchange.ts';
import { hasFieldTwice, isInt64, isJsonMediaType, isJsonObject, type JsonObject, showJson } from '../../http/json.ts';
import { memoize, memoizeIncrementally } from '../../http/memoize.ts';
import { isPetStatus, readNewPet, readRequestJson } from '../../http/read-request.ts';
import { bodyOf, statusOf } from '../../http/read-response.ts';
import { isOfService } from '../../world/evidence.ts';
import { isPlainName } from '../../world/names.ts';
import type { Settings } from '../../world/settings.ts';
import { isAuthorized, type World } from '../../world/world.ts';

/** An answered creation with a string as name and an int64 as category. */
export interface Attempt {
  readonly exchange: Exchange;
  readonly fields: JsonObject;
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: PetStatus | undefined;
  /** Whether its name is one that the run makes, and nothing else. */
  readonly isPlain: boolean;
  /** Whether the interface says that it is valid; it is silent on some, such as those with an id. */
  readonly isValid: boolean;
  readonly isAccepted: boolean;
  /** Whether it was refused for its content. */
  readonly isRefused: boolean;
}

type CreationRecord = Pick<World, 'exchanges'> & { readonly settings: Pick<Settings, 'nameTemplate'> };

/** Whether a creation was refused for its content: with a 4xx other than 401, which is about the key. */
export function isContentRefused(creation: Exchange): boolean {
  const status = statusOf(creation) ?? 0;
  return status >= 400 && status < 500 && status !== 401;
}

function attemptOf(exchange: Exchange, { settings }: CreationRecord): Attempt | undefined {
  if (exchange.operation !== 'createPet' || !isAuthorized(exchange) || !isOfService(exchange)) return undefined;
  const { kind } = readNewPet(exchange);
  const reading = readRequestJson(exchange.request);
  // If a field occurs twice, either may count.
  const isClear = kind !== 'invalid' && 'value' in reading && !hasFieldTwice(exchange.request.body ?? '');
  const fields = isClear && isJsonObject(reading.value) ? reading.value : {};
  const { name, categoryId, status: petStatus } = fields;
  // A lone surrogate is no text, so its refusal says nothing about names.
  if (typeof name !== 'string' || !name.isWellFormed() || !isInt64(categoryId)) return undefined;
  return {
    exchange,
    fields,
    name,
    categoryId,
    status: isPetStatus(petStatus) ? petStatus : undefined,
    isPlain: isPlainName(name, settings),
    isValid: kind === 'valid',
    isAccepted: statusOf(exchange) === 201,
    isRefused: isContentRefused(exchange),
  };
}

/** The creations so far, and what the target has accepted. */
export const learnedIn = memoizeIncrementally(
  () => ({ attempts: [] as Attempt[], categories: new Set<bigint>(), isPlainAccepted: false }),
  (learned, exchange, evidence: CreationRecord) => {
    const attempt = attemptOf(exchange, evidence);
    if (attempt === undefined) return;
    learned.attempts.push(attempt);
    if (!attempt.isAccepted || !attempt.isValid) return;
    learned.categories.add(attempt.categoryId);
    learned.isPlainAccepted ||= attempt.isPlain;
  },
);

/** The valid creations with a valid key, in order. */
export const attemptsIn = (evidence: CreationRecord): readonly Attempt[] =>
  learnedIn(evidence).attempts.filter(({ isValid }) => isValid);

/** Why no animal could be created, and which options may help; undefined if one was created, or no creation was refused. */
export function whyNothingIsCreated(evidence: CreationRecord): string | undefined {
  const attempts = attemptsIn(evidence);
  const refused = attempts.filter(({ exchange }) => statusOf(exchange)! >= 400).at(-1)?.exchange;
  if (refused === undefined || attempts.some(({ isAccepted }) => isAccepted)) return undefined;
  const status = statusOf(refused)!;
  const body = bodyOf(refused);
  // A refusal of the key says nothing about animals.
  const advice = [401, 403].includes(status)
    ? 'if the key may only read, give --read-only; otherwise use a key that may create'
    : 'where it knows only some categories or names, give one with --category-id, or describe the names with --name TEMPLATE';
  const message = showJson(isJsonObject(body) ? body['message'] : refused.response?.body);
  return `the target refused every animal, the plainest with ${status} ${message}: ${advice}`;
}

/** A category farther from zero is accepted only where any category is. Categories that mark a body are nearer than this. */
const farthest = 2n ** 42n;

export function isFarFromZero(categoryId: bigint): boolean {
  return categoryId > farthest || categoryId < -farthest;
}

/** Whether the target accepts any category, as one far from zero has shown. */
export function takesAnyCategory(evidence: CreationRecord): boolean {
  return [...learnedIn(evidence).categories].some(isFarFromZero);
}

export function takesCategory(evidence: CreationRecord, categoryId: bigint): boolean {
  return learnedIn(evidence).categories.has(categoryId) || takesAnyCategory(evidence);
}

type Departure = 'category' | 'name' | 'namesake' | 'id' | 'fields' | 'decimal' | 'media-type' | 'chunked';

/** The fields of a creation that NewPet does not list, except for an id. */
export function unlistedIn({ fields: { name, categoryId, status, id, ...unlisted } }: Attempt): readonly string[] {
  return Object.keys(unlisted);
}

/** The name by which attempts are compared; undefined for plain names, which a service treats alike. */
const likenessOf = ({ name, isPlain }: Attempt): string | undefined => (isPlain ? undefined : name);

const departuresIn = memoize((world: World): ReadonlyMap<Attempt, readonly string[]> => {
  // A creation after the last one that was accepted may be refused because the store is full.
  const last = world.created.at(-1)?.exchange.sent ?? 0;
  const attempts = learnedIn(world).attempts.filter(({ exchange }) => exchange.sent <= last);
  const accepted = attempts.filter(({ isAccepted }) => isAccepted);
  const names = new Set(accepted.map(likenessOf));
  const categories = new Set(accepted.map(({ categoryId }) => categoryId));
  const sent = new Set<string>();
  return new Map(
    attempts.map((attempt) => {
      const { name, fields } = attempt;
      const { headers, body = '' } = attempt.exchange.request;
      const departs: Readonly<Record<Departure, boolean>> = {
        category: !categories.has(attempt.categoryId),
        name: !names.has(likenessOf(attempt)),
        // The first attempt of a creation that is sent again after an outage may have been carried out.
        namesake: sent.has(name) || attempt.exchange.repeats !== undefined,
        id: Object.hasOwn(fields, 'id'),
        fields: unlistedIn(attempt).length > 0,
        decimal: /"categoryId"\s*:\s*-?\d+[.eE]/.test(body),
        'media-type': !isJsonMediaType(headers['content-type']),
        chunked: headers['transfer-encoding'] !== undefined,
      };
      sent.add(name);
      return [attempt, Object.entries(departs).flatMap(([departure, is]) => (is ? [departure] : []))];
    }),
  );
});

/** The creations that show how a departure is treated: those accepted with it, and those refused for nothing else. */
export function departing(world: World, departure: Departure): readonly Attempt[] {
  return [...departuresIn(world)].flatMap(([attempt, departures]) =>
    departures.includes(departure) && (attempt.isAccepted || departures.length === 1) ? [attempt] : [],
  );
}
