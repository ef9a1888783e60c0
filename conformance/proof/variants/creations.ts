/** Legal ways to refuse names, categories and bodies, and to change animals later. */

import { isPetStatus } from '../../../reference-server/index.ts';
import { isInt64, isJsonObject, type JsonValue, readJson, writeJson } from '../../http/json.ts';
import {
  changeAnimals,
  changeAnswer,
  changeRequest,
  errorAnswer,
  refuseBodies,
  requestHeader,
  type Wrap,
  withBody,
} from '../../sections/fault.ts';

/** The name and category of a valid animal that a request sends. */
interface Sent {
  readonly name: string;
  readonly categoryId: bigint;
}

/** The message of a refusal, or undefined to accept; `count` is the number of animals accepted before. */
type Refuse = (sent: Sent, count: number) => string | undefined;

/** Refuses valid animals before they are stored. */
export function refusing(status: number, refuse: Refuse): Wrap {
  return (handle) => {
    let count = 0;
    return (request, now) => {
      const reading = readJson(new TextDecoder().decode(request.body));
      const json = 'value' in reading ? reading.value : null;
      const { name, categoryId, status: state = 'sold' } = isJsonObject(json) ? json : {};
      const isValid = typeof name === 'string' && isInt64(categoryId) && isPetStatus(state);
      const why = request.method === 'POST' && isValid ? refuse({ name, categoryId }, count) : undefined;
      // The answer to an empty object has the headers that a refusal needs.
      const answer = handle(why === undefined ? request : withBody(request, '{}'), now);
      if (answer.status === 201) count += 1;
      if (why === undefined || answer.status !== 400) return answer;
      return { ...answer, status, body: writeJson({ code: 'refused', message: why, status: BigInt(status) }) };
    };
  };
}

/** Accepts only names that match. */
export function names(status: number, pattern: RegExp, why = 'The name has characters that are not allowed.'): Wrap {
  return refusing(status, ({ name }) => (pattern.test(name) ? undefined : why));
}

/** Accepts each name once. */
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

/** Accepts so many animals, and then refuses all. */
export function roomFor(most: number, status = 409): Wrap {
  return refusing(status, (_sent, count) => (count < most ? undefined : 'The store is full.'));
}

/** Refuses chunked bodies, since it requires Content-Length (RFC 9110, 15.5.12). */
export function refusesChunked(status: number): Wrap {
  return refuseBodies(({ request }) => requestHeader(request, 'transfer-encoding') !== undefined, status);
}

/** Detects UTF-16 by its zero bytes or its byte order mark, as JSON allowed until RFC 8259. */
export const readsUtf16: Wrap = changeRequest((request) => {
  const [first, second] = request.body;
  const order = first === 0 || first === 0xfe ? 'utf-16be' : second === 0 || second === 0xfe ? 'utf-16le' : undefined;
  return order === undefined ? request : withBody(request, new TextDecoder(order).decode(request.body));
});

/** Refuses unlisted fields with 422. */
export const refusesMoreFields: Wrap = changeAnswer((answer, { operation, isAuthorized }) =>
  operation === 'createPet' && isAuthorized && answer.status === 400 && answer.body.includes('fields that a NewPet')
    ? errorAnswer(422, answer)
    : undefined,
);

/** Changes the status of each animal to sold once it has been read. */
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
