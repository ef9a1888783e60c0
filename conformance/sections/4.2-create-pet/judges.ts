/** §4.2 Judges creations: a valid body is answered 201 with the animal, an invalid one 400, and neither stores more. */

import { hasLargeBody } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isJsonObject, showJson } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { type InvalidPet, readNewPet, readRequestJson } from '../../http/read-request.ts';
import { animalsOf, bodyOf, isAnimal, statusOf } from '../../http/read-response.ts';
import type { Check } from '../../run/suite.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { isFull, listedPages } from '../../world/animals.ts';
import { isPlainName, ownNameIn, shapeOf } from '../../world/names.ts';
import type { Settings } from '../../world/settings.ts';
import { isAuthorized, type World } from '../../world/world.ts';
import { type Attempt, attemptsIn, learnedIn, takesCategory } from './attempts.ts';

/** Whether a refusal may be due to the size of the body or to the way it was sent, which the interface leaves open. */
export function mayBeTransportRefusal(exchange: Exchange): boolean {
  const { headers } = exchange.request;
  const status = statusOf(exchange) ?? 0;
  if (status < 400 || status >= 500) return false;
  return (
    hasLargeBody(exchange) ||
    headers['transfer-encoding'] !== undefined ||
    (status === 415 && headers['content-type'] !== 'application/json')
  );
}

/** What a service answers to a key that may not create, before it reads the body: scopes are not shown (§5). */
const forbidden = 403;

/**
 * The statuses with which a service may refuse a body before it reads it. If the run has created animals, a quota may be used
 * up: the statuses with which ordinary bodies were refused. If it has created none, the key may only read: 403, where ordinary
 * bodies get it.
 */
const statusesBeforeBody = memoize((world: World): ReadonlySet<number | undefined> => {
  const hasCreated = learnedIn(world).categories.size > 0;
  const refused = attemptsIn(world).filter(({ isPlain, isRefused }) => isPlain && isRefused);
  const ordinary = refused.filter(({ exchange, categoryId }) =>
    hasCreated ? takesCategory(world, categoryId) : statusOf(exchange) === forbidden,
  );
  return new Set(ordinary.map(({ exchange }) => statusOf(exchange)));
});

/** Whether the target is known to accept the rest of an invalid body, so that only its fault can be refused. */
function isRestAccepted(world: World, { request }: Exchange): boolean {
  if (request.target.includes('?')) return false;
  const reading = readRequestJson(request);
  if (!('value' in reading) || !isJsonObject(reading.value)) return true;
  const { name, categoryId, status: _status, ...unknown } = reading.value;
  // Unknown fields may be refused, with any 4xx.
  if (Object.keys(unknown).length > 0) return false;
  if (typeof name === 'string' && !(learnedIn(world).isPlainAccepted && isPlainName(name, world.settings)))
    return false;
  return typeof categoryId !== 'bigint' || takesCategory(world, categoryId);
}

/** A body that lacks required fields or has invalid values gets 400 (§4.2); 201 or any other answer fails. */
function judgeInvalid(world: World, exchange: Exchange, invalid: InvalidPet): readonly Finding[] {
  const { requirement, fault, input } = invalid;
  const status = statusOf(exchange) ?? 0;
  if (status === 400) return [holds(requirement, exchange)];
  if (status === 401 || mayBeTransportRefusal(exchange)) return [];
  const isRefusal = status > 400 && status < 500;
  if (isRefusal && (!isRestAccepted(world, exchange) || statusesBeforeBody(world).has(status))) return [];
  const code = status === 201 ? 'accepted' : 'unexpected-status';
  return [fails(requirement, code, { expected: `400 to ${fault}`, received: `${status}`, status, input }, exchange)];
}

/** A valid body gets 201 with the created animal (§4.2). One refusal proves nothing: limits of names and categories are not shown. */
function judgeCreation(world: World, exchange: Exchange): readonly Finding[] {
  const reading = readNewPet(exchange);
  if (reading.kind === 'invalid') return judgeInvalid(world, exchange, reading);
  const status = statusOf(exchange) ?? 0;
  if (status === 201) {
    const body = bodyOf(exchange);
    // §1 reports a body that is no JSON.
    if (isAnimal(body) || body === undefined) return [holds('create-answer', exchange)];
    const facts = { expected: 'an animal in the 201', received: showJson(body) };
    return [fails('create-answer', 'not-an-animal', facts, exchange)];
  }
  // A single refusal proves nothing.
  if (reading.kind !== 'valid' || (status >= 400 && status < 500)) return [];
  const facts = { expected: '201 or a refusal (4xx) to a valid body', received: `${status}`, status };
  return [fails('create-answer', 'unexpected-status', facts, exchange)];
}

/** The statuses with which a router answers a path or a method that it does not have. */
const unrouted: readonly (number | undefined)[] = [404, 405, 410];

/** Fails createPet as a whole where every creation, an invalid one included, gets the same answer of a router. */
function judgeMissing(creations: readonly Exchange[]): readonly Finding[] {
  const [first] = creations;
  const status = first && statusOf(first);
  if (first === undefined || !unrouted.includes(status)) return [];
  if (creations.some((exchange) => statusOf(exchange) !== status)) return [];
  const isInvalid = (exchange: Exchange): boolean => readNewPet(exchange).kind === 'invalid';
  const valid = creations.find((one) => !isInvalid(one));
  const invalid = creations.find(isInvalid);
  // A valid body may get 404 for a category that the service does not know; an invalid one gets it only from a router.
  if (valid === undefined || invalid === undefined) return [];
  const expected = '201 or 400 from POST /pets, by its body';
  const facts = { expected, received: `${status} to each of ${creations.length} bodies`, status };
  return [fails('create-answer', 'unexpected-status', facts, invalid, valid)];
}

/** The properties that a service may not refuse: the status, and how the body is written. */
function fixedPropertiesOf({ status, exchange: { request } }: Attempt): string {
  return `${status} ${JSON.stringify(request.headers)} ${shapeOf(request.body ?? '')}`;
}

function differenceInBody(refused: Attempt, accepted: Attempt): string {
  if (refused.status === accepted.status) return 'the way its JSON is written and sent';
  return refused.status === undefined ? 'its missing status' : `the status ${refused.status}`;
}

/** Whether no animal may have had the name of a creation before: names may have to be unique. */
function hasNewName({ name, exchange }: Attempt, similar: readonly Attempt[]): boolean {
  return !similar.some((other) => {
    if (other.name !== name) return false;
    // What is repeated after an outage may have been carried out.
    if (other.exchange.repeats !== undefined) return true;
    return other.isAccepted && happenedBefore(other.exchange, exchange);
  });
}

/**
 * Any name and any category may be refused. Bodies that are `alike`, and differ from `similar` ones only in status or writing,
 * may not: they fail if they were refused under two new names, and a similar body was accepted before and after.
 */
function judgeAlikeBodies(alike: readonly Attempt[], similar: readonly Attempt[]): readonly Finding[] {
  if (alike.some(({ isAccepted }) => isAccepted)) return [];
  const refused = alike.filter((one) => {
    return one.isRefused && !mayBeTransportRefusal(one.exchange) && hasNewName(one, similar);
  });
  if (new Set(refused.map(({ name }) => name)).size < 2) return [];
  const accepted = similar.filter(({ isAccepted }) => isAccepted);
  for (const one of refused) {
    const before = accepted.findLast((other) => happenedBefore(other.exchange, one.exchange));
    const after = accepted.find((other) => happenedBefore(one.exchange, other.exchange));
    if (before === undefined || after === undefined) continue;
    const status = statusOf(one.exchange);
    const expected = `201 as for a body that differs only in ${differenceInBody(one, after)}`;
    // A refused one comes last: a report shows how to send the last exchange again.
    const evidence = [before, after, ...refused].map(({ exchange }) => exchange);
    return [fails('create-answer', 'valid-refused', { expected, received: `${status}`, status }, ...evidence)];
  }
  return [];
}

/** Compares creations with plain names and the same category, so that a refusal has neither for a reason. */
function judgeRefusedBodies(world: World): readonly Finding[] {
  const plain = attemptsIn(world).filter(({ isPlain }) => isPlain);
  const ofCategories = Map.groupBy(plain, ({ categoryId }) => categoryId);
  return [...ofCategories.values()].flatMap((similar) => {
    const byProperties = Map.groupBy(similar, fixedPropertiesOf);
    return [...byProperties.values()].flatMap((alike) => judgeAlikeBodies(alike, similar));
  });
}

/** A category that was drawn to mark a body without a name: from 2^40 to 2^41. */
const drawnCategory = /"categoryId":([12]\d{12})\b/;

/** The marks by which an animal of a body is known: the tag in its name, which may be written in escapes, and its drawn category. */
function marksIn(text: string, settings: Settings): readonly string[] {
  const plain = text.replace(/\\u([\da-f]{4})/gi, (_escape, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return [ownNameIn(plain, settings), drawnCategory.exec(plain)?.[1]].filter((mark) => mark !== undefined);
}

/** The marks of animals that the service may have stored: a gateway may lose the answer to a creation that was carried out. */
function marksOfStored(creations: readonly Exchange[], settings: Settings): ReadonlySet<string> {
  const mayBeStored = creations.filter((exchange) => {
    const status = statusOf(exchange);
    return status === undefined || status === 201 || status >= 500;
  });
  return new Set(mayBeStored.flatMap(({ request }) => marksIn(request.body ?? '', settings)));
}

/** The last page or read with the key that shows an animal with each mark. */
function lastShownByMark({ answered, settings }: World): ReadonlyMap<string, Exchange> {
  const views = answered
    .filter((exchange) => isAuthorized(exchange) && exchange.operation !== 'createPet')
    .toSorted((one, other) => one.sent - other.sent);
  const lastShown = new Map<string, Exchange>();
  for (const view of views) {
    for (const { name, categoryId } of animalsOf(view)) {
      for (const mark of marksIn(`"${name}" "categoryId":${categoryId}`, settings)) lastShown.set(mark, view);
    }
  }
  return lastShown;
}

/** A refused request stores nothing (§4.2, §5): no later answer shows an animal with its mark. */
function judgeStored(world: World): readonly Finding[] {
  const { settings } = world;
  const creations = world.exchanges.filter(({ operation }) => operation === 'createPet');
  const ofStored = marksOfStored(creations, settings);
  const lastShown = lastShownByMark(world);
  const lastWholePage = listedPages(world).findLast((page) => page.status === 'any' && !isFull(page))?.exchange;
  return creations.flatMap((exchange) => {
    const status = statusOf(exchange) ?? 0;
    const [mark] = marksIn(exchange.request.body ?? '', settings);
    if (status < 400 || mark === undefined || ofStored.has(mark)) return [];
    const requirement = isAuthorized(exchange) ? 'create-refused-stores-nothing' : 'auth-refused-stores-nothing';
    const found = lastShown.get(mark);
    if (found !== undefined && happenedBefore(exchange, found)) {
      const facts = { expected: `no animal from a request refused with ${status}`, received: 'one' };
      return [fails(requirement, 'refused-yet-stored', facts, exchange, found)];
    }
    if (lastWholePage === undefined || !happenedBefore(exchange, lastWholePage)) return [];
    return [holds(requirement, exchange, lastWholePage)];
  });
}

export const createPetChecks: readonly Check[] = [
  {
    id: 'creations-answer',
    verifies: [
      'create-answer',
      'create-required-fields',
      'create-invalid-values',
      'create-malformed-body',
      'create-body-utf8',
    ],
    judge: (world) => {
      const creations = world.answered.filter((one) => one.operation === 'createPet' && isAuthorized(one));
      return [
        ...creations.flatMap((exchange) => judgeCreation(world, exchange)),
        ...judgeMissing(creations),
        ...judgeRefusedBodies(world),
      ];
    },
  },
  {
    id: 'refused-stores-nothing',
    verifies: ['create-refused-stores-nothing', 'auth-refused-stores-nothing'],
    judge: judgeStored,
  },
];
