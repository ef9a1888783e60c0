/** Changes of queries and pages: of what they hold, how soon an animal is shown, and to whom. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { isAllowedLimit, type OperationName, pageLimit } from '../../spec/operations.ts';
import { seededRandom } from '../../spec/random.ts';
import { isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import {
  type Call,
  changes,
  errorAnswer,
  isListing,
  isListingOrRead,
  isRead,
  layers,
  readCall,
  type Wrap,
  withHeader,
} from './wraps.ts';

type ShownPage = readonly JsonObject[];

export function changeQuery(change: (query: URLSearchParams) => void): Wrap {
  return changes.request((request, { operation, query }) => {
    if (operation !== 'listPets') return request;
    change(query);
    return { ...request, target: `/v1/pets?${query}` };
  });
}

/** Changes the entries of pages. */
export function changePage(change: (page: ShownPage, call: Call) => JsonValue | undefined): Wrap {
  return changes.json(
    (json, call) => (Array.isArray(json) ? change(json.filter(isJsonObject), call) : undefined),
    (call, { status }) => isListing(call) && status === 200,
  );
}

/** Asks the server for the largest page and answers with the part that `pick` takes from it. */
export function fromWholeCatalogue(pick: (page: ShownPage, query: URLSearchParams) => ShownPage): Wrap {
  return (handle, keys) => (request, now) => {
    const whole = changeQuery((query) => query.set('limit', `${pageLimit.most}`))(handle, keys);
    const { query } = readCall(request, now, keys);
    if (!isAllowedLimit(query.get('limit'))) return handle(request, now);
    return changePage((page) => pick(page, query))(whole, keys)(request, now);
  };
}

/** Ends each page before the animal with which its text would exceed so many bytes; it holds one at least. */
export function endPagesAt(bytes: number): Wrap {
  return changePage((page) => {
    let left = bytes;
    return page.filter((pet, at) => {
      left -= Buffer.byteLength(writeJson(pet));
      return at === 0 || left >= 0;
    });
  });
}

/** Shows one animal on each page: the one that it showed first, or else the first of the page. */
export const featureOne: Wrap = (handle, keys) => {
  let featured: JsonValue | undefined;
  return changePage((page) => {
    featured ??= page[0]?.['id'];
    const at = page.findIndex(({ id }) => id === featured);
    return at === -1 ? page.slice(0, 1) : page.slice(at, at + 1);
  })(handle, keys);
};

/** Answers each listing with another part of its page: the first animal, and as many of the next ones as chance has it. */
export const varyPages: Wrap = (handle, keys) => {
  const random = seededRandom(1);
  return changePage((page) => page.slice(0, 1 + Math.floor(random() * page.length)))(handle, keys);
};

/** Notes the animals that are created, as they are answered. */
export function onCreation(note: (pet: JsonObject, call: Call) => void): Wrap {
  return changes.created((pet, call) => void note(pet, call));
}

/** Lists and finds only the animals that are to be shown. */
export function showOnly(isShown: (pet: JsonObject, call: Call) => boolean): Wrap {
  return layers(
    fromWholeCatalogue((page, query) => page.slice(0, Number(query.get('limit') ?? pageLimit.usual))),
    changePage((page, call) => page.filter((pet) => isShown(pet, call))),
    changes.answer(
      (answer, call) => {
        const reading = readJson(answer.body);
        const isFound = 'value' in reading && isJsonObject(reading.value) && isShown(reading.value, call);
        return isFound ? answer : errorAnswer(404, answer);
      },
      (call, { status }) => isRead(call) && status === 200,
    ),
  );
}

/**
 * Answers some requests from a replica that shows an animal `ms` milliseconds after the first request that missed it: however
 * fast a client is, it meets the delay. `every`: only one of so many animals is late.
 */
export function lagging(ms: number, isAnsweredLate: (call: Call) => boolean, every = 1): Wrap {
  return (handle, keys) => {
    const from = new Map<JsonValue, number | undefined>();
    const noted = onCreation(({ id = null }) => from.set(id, undefined))(handle, keys);
    const late = showOnly(({ id = null }, { now }) => {
      if (!from.has(id) || Number(id) % every !== 0) return true;
      const start = from.get(id) ?? now;
      from.set(id, start);
      return now - start >= ms;
    })(noted, keys);
    return (request, now) => (isAnsweredLate(readCall(request, now, keys)) ? late : noted)(request, now);
  };
}

interface CacheOptions {
  /** The status of the answers that it keeps: 200 by default. */
  readonly keeps?: number;
  readonly only?: OperationName;
  /**
   * `age`: answers say how old and for how long fresh they are. `headers`: a copy keeps those of the first answer, of §8 too,
   * which else are new. `anybody`: a copy is answered to requests with any key. `emptied`: no copy outlives a creation.
   */
  readonly traits?: readonly ('age' | 'headers' | 'anybody' | 'emptied')[];
}

/** A cache that answers GET requests of the interface within the limit. */
export function cache(ttlMs: number, { keeps = 200, only, traits = [] }: CacheOptions = {}): Wrap {
  return (handle, keys) => {
    const copies = new Map<string, { readonly answer: StoreResponse; readonly storedAt: number }>();
    return changes.answer(
      (fresh, { request, authorization, now }) => {
        const key = `${request.target} ${traits.includes('anybody') ? '' : authorization}`;
        const copy = copies.get(key);
        const isFresh = copy !== undefined && now - copy.storedAt < ttlMs;
        const answered = { answer: withHeader(fresh, 'Date', new Date(now).toUTCString()), storedAt: now };
        if (!isFresh && fresh.status === keeps) copies.set(key, answered);
        const { answer: served, storedAt } = isFresh ? copy : answered;
        const answer = traits.includes('headers') ? served : { ...fresh, status: served.status, body: served.body };
        if (!traits.includes('age')) return answer;
        const aged = withHeader(answer, 'Age', String(Math.floor((now - storedAt) / 1_000)));
        return withHeader(aged, 'Cache-Control', `max-age=${ttlMs / 1_000}`);
      },
      (call, { status }) => isListingOrRead(call) && status !== 429 && (only ?? call.operation) === call.operation,
    )(traits.includes('emptied') ? onCreation(() => copies.clear())(handle, keys) : handle, keys);
  };
}
