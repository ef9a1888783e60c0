/** Legal ways to accept few names and categories, to assign ids, and to change what was created. */

import { isPetStatus } from '../../../reference-server/index.ts';
import { isInt64, isJsonObject, type JsonValue, readJson, writeJson } from '../../http/json.ts';
import { changeAnimals, changeAnswer, errorAnswer, requestHeader, type Wrap, withBody } from '../../sections/fault.ts';

/** An animal as a request names it, where it is a valid one. */
interface Sent {
  readonly name: string;
  readonly categoryId: bigint;
}

/** What is refused with a status and an Error, or undefined where all is well. */
type Refuse = (sent: Sent, count: number) => string | undefined;

/** Refuses valid animals before they are stored; `count` tells how many were taken before. */
export function refusing(status: number, refuse: Refuse): Wrap {
  return (handle) => {
    let count = 0;
    return (request, now) => {
      const reading = readJson(new TextDecoder().decode(request.body));
      const json = 'value' in reading ? reading.value : null;
      const { name, categoryId, status: state = 'sold' } = isJsonObject(json) ? json : {};
      const isValid = typeof name === 'string' && isInt64(categoryId) && isPetStatus(state);
      const why = request.method === 'POST' && isValid ? refuse({ name, categoryId }, count) : undefined;
      // What is no animal is answered as always, with all its headers.
      const answer = handle(why === undefined ? request : withBody(request, '{}'), now);
      if (answer.status === 201) count += 1;
      if (why === undefined || answer.status !== 400) return answer;
      return { ...answer, status, body: writeJson({ code: 'refused', message: why, status: BigInt(status) }) };
    };
  };
}

/** Takes only names that match. */
export function names(status: number, pattern: RegExp, why = 'The name has characters that are not allowed.'): Wrap {
  return refusing(status, ({ name }) => (pattern.test(name) ? undefined : why));
}

/** Takes each name once. */
export function uniqueNames(status: number): Wrap {
  return (handle) => {
    const taken = new Set<string>();
    return refusing(status, ({ name }) => {
      const isTaken = taken.has(name);
      taken.add(name);
      return isTaken ? 'There is such an animal.' : undefined;
    })(handle);
  };
}

/** Knows only some categories. */
export function categories(status: number, ...known: readonly bigint[]): Wrap {
  return refusing(status, ({ categoryId }) => (known.includes(categoryId) ? undefined : 'There is no such category.'));
}

/** Has room for so many animals of the run. */
export function roomFor(most: number): Wrap {
  return refusing(409, (_sent, count) => (count < most ? undefined : 'The store is full.'));
}

/** Wants to know the length of a body beforehand (RFC 9110, 15.5.12). */
export const wantsLengths: Wrap = (handle) => (request, now) => {
  if (requestHeader(request, 'transfer-encoding') === undefined) return handle(request, now);
  const answer = handle(withBody(request, '{}'), now);
  return answer.status === 400 ? errorAnswer(411, answer) : answer;
};

/** Refuses what it is sent beside the listed fields, with a status of its own. */
export const refusesMoreFields: Wrap = changeAnswer((answer, { operation, isAuthorized }) =>
  operation === 'createPet' && isAuthorized && answer.status === 400 && answer.body.includes('fields that a NewPet')
    ? errorAnswer(422, answer)
    : undefined,
);

/** Sells each animal once it has been read. */
export const soldWhenRead: Wrap = (handle) => {
  const read = new Set<JsonValue | undefined>();
  return (request, now) => {
    const before = new Set(read);
    const change = changeAnimals((animal) => {
      if (request.method === 'GET') read.add(animal['id']);
      return before.has(animal['id']) ? { ...animal, status: 'sold' } : animal;
    });
    const isFiltered = request.target.includes('status=');
    return (isFiltered ? handle : change(handle))(request, now);
  };
};
