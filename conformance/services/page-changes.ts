/** Changes of queries and pages. */

import { isJsonObject, type JsonValue } from '../http/json.ts';
import { type Call, changeJson, changeRequest, type Wrap, withTarget } from './wraps.ts';

export function changeQuery(change: (query: URLSearchParams) => void): Wrap {
  return changeRequest((request, { operation, query }) => {
    if (operation !== 'listPets') return request;
    change(query);
    return withTarget(request, `/v1/pets?${query}`);
  });
}

/** Changes the entries of pages; `count` is the number of requests so far, this one included. */
export function changePage(
  change: (page: readonly JsonValue[], call: Call, count: number) => JsonValue | undefined,
): Wrap {
  return changeJson((json, call, { status }, count) =>
    call.operation === 'listPets' && status === 200 && Array.isArray(json) ? change(json, call, count) : undefined,
  );
}

/** The limit in a query, or `usual` where there is none. */
export function limitIn(query: URLSearchParams, usual: number): number {
  const text = query.get('limit');
  return text !== null && /^\d+$/.test(text) ? Number(text) : usual;
}

/** Asks the server for the largest page and answers with the part that `pick` takes from it. */
export function fromWholeCatalogue(
  pick: (page: readonly JsonValue[], query: URLSearchParams) => readonly JsonValue[],
): Wrap {
  return (handle, keys) => (request, now) => {
    const whole = changeQuery((query) => query.set('limit', '100'))(handle, keys);
    const query = new URLSearchParams(request.target.split('?')[1] ?? '');
    const isAllowed = /^([1-9]\d?|100)$/.test(query.get('limit') ?? '20');
    return isAllowed ? changePage((page) => pick(page, query))(whole, keys)(request, now) : handle(request, now);
  };
}

export function hasStatus(status: string): (entry: JsonValue) => boolean {
  return (entry) => isJsonObject(entry) && entry['status'] === status;
}

/** Exchanges a field of the last two animals of every page, where both have it. */
export function exchanging(field: 'id' | 'name' | 'categoryId' | 'status'): Wrap {
  return changePage((page) => {
    const [one, other] = page.slice(-2).filter(isJsonObject);
    const [ofOne, ofOther] = [one?.[field], other?.[field]];
    if (ofOne === undefined || ofOther === undefined) return undefined;
    return [...page.slice(0, -2), { ...one, [field]: ofOther }, { ...other, [field]: ofOne }];
  });
}
