/** Changes of queries and pages; services that show animals late, cap pages, or show animals to some keys only. */

import { isPetStatus, type NewPet, type PetStatus } from '../../reference-server/index.ts';
import { isJsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import {
  type Call,
  changeCreated,
  changeJson,
  changeRequest,
  errorAnswer,
  harmless,
  nameOf,
  readCall,
  requestHeader,
  sentPet,
  type Wrap,
  withBody,
  withKey,
  withTarget,
} from './wraps.ts';

type Page = readonly JsonValue[];
export const isListing = ({ operation }: Call): boolean => operation === 'listPets';
export const isRead = ({ operation }: Call): boolean => operation === 'getPet';
export const isListingOrRead = (call: Call): boolean => isListing(call) || isRead(call);

export function changeQuery(change: (query: URLSearchParams) => void): Wrap {
  return changeRequest((request, { operation, query }) => {
    if (operation !== 'listPets') return request;
    change(query);
    return withTarget(request, `/v1/pets?${query}`);
  });
}

/** Changes the entries of pages. */
export function changePage(change: (page: Page, call: Call) => JsonValue | undefined): Wrap {
  return changeJson(
    (json, call) => (Array.isArray(json) ? change(json, call) : undefined),
    (call, { status }) => isListing(call) && status === 200,
  );
}

/** The limit in a query, or `usual` where there is none. */
export function limitIn(query: URLSearchParams, usual: number): number {
  const text = query.get('limit');
  return text !== null && /^\d+$/.test(text) ? Number(text) : usual;
}

/** Asks the server for the largest page and answers with the part that `pick` takes from it. */
export function fromWholeCatalogue(pick: (page: Page, query: URLSearchParams) => Page): Wrap {
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

function idOf(entry: JsonValue | undefined): JsonValue {
  return isJsonObject(entry) ? (entry['id'] ?? null) : null;
}

/** Notes the ids of animals that are created. */
function onCreation(note: (id: JsonValue, call: Call) => void): Wrap {
  return changeCreated((pet, call) => {
    note(idOf(pet), call);
    return undefined;
  });
}

/** Lists and finds only the animals that are to be shown. */
function showOnly(isShown: (id: JsonValue, call: Call) => boolean): Wrap {
  return (handle, keys) => (request, now) => {
    const call = readCall(request, now, keys);
    if (isListing(call)) {
      const shown = changePage((page) => page.filter((entry) => isShown(idOf(entry), call)))(handle, keys);
      return fromWholeCatalogue((page, query) => page.slice(0, limitIn(query, 20)))(shown, keys)(request, now);
    }
    const answer = handle(request, now);
    if (!isRead(call) || answer.status !== 200) return answer;
    const reading = readJson(answer.body);
    return 'value' in reading && isShown(idOf(reading.value), call) ? answer : errorAnswer(404, answer);
  };
}

/** Shows an animal `ms` milliseconds after its creation, or after the first request that missed it, in some answers. */
const showingLate =
  (since: 'creation' | 'first look') =>
  (ms: number, isAnsweredLate: (call: Call) => boolean): Wrap =>
  (handle, keys) => {
    const from = new Map<JsonValue, number | undefined>();
    const noted = onCreation((id, { now }) => from.set(id, since === 'creation' ? now : undefined))(handle, keys);
    const late = showOnly((id, { now }) => {
      if (!from.has(id)) return true;
      const start = from.get(id) ?? now;
      from.set(id, start);
      return now - start >= ms;
    })(noted, keys);
    return (request, now) => (isAnsweredLate(readCall(request, now, keys)) ? late : noted)(request, now);
  };
/** Answers some requests from a replica that receives each animal `ms` milliseconds after its 201. */
export const lagging = showingLate('creation');
/** Answers some requests from a cache that shows an animal `ms` milliseconds after the first request that missed it. */
export const laggingFromFirstLook = showingLate('first look');

/** Every third read meets a replica that is late. */
export const oneOfThreeLags =
  (ms: number): Wrap =>
  (handle, keys) => {
    let reads = 0;
    return lagging(ms, (call) => {
      if (isRead(call)) reads += 1;
      return isRead(call) && reads % 3 === 0;
    })(handle, keys);
  };

export const filteredAt = (most: number): Wrap =>
  changePage((page, { query }) => (query.has('status') ? page.slice(0, most) : undefined));

/** Applies the limit first and the filter to what it leaves. */
export const limitBeforeFilter: Wrap = (handle, keys) => (request, now) => {
  const status = readCall(request, now, keys).query.get('status');
  if (!isPetStatus(status)) return handle(request, now);
  const unfiltered = changeQuery((query) => query.delete('status'))(handle, keys);
  return changePage((page) => page.filter(hasStatus(status)))(unfiltered, keys)(request, now);
};

/** Each key has animals of its own. */
export const perKey: Wrap = (handle, keys) => {
  const keyOf = ({ request }: Call) => requestHeader(request, 'authorization')?.replace(/^Bearer +/i, '');
  const owners = new Map<JsonValue, string | undefined>();
  const noted = onCreation((id, call) => owners.set(id, keyOf(call)))(handle, keys);
  return showOnly((id, call) => owners.get(id) === keyOf(call))(noted, keys);
};

/** The newest animal of a name takes the place of the one before. */
export const namesakesReplace: Wrap = (handle, keys) => {
  const newest = new Map<string, JsonValue>();
  const replaced = new Set<JsonValue | undefined>();
  const noted = onCreation((id, call) => {
    const name = nameOf(sentPet(call));
    replaced.add(newest.get(name));
    newest.set(name, id);
  })(handle, keys);
  return showOnly((id) => !replaced.has(id))(noted, keys);
};

const statuses: readonly (PetStatus | undefined)[] = ['available', 'pending', 'sold', undefined];

/** A catalogue that others have filled. */
export function manyAnimals(count: number): readonly NewPet[] {
  return Array.from({ length: count }, (_nothing, at) => {
    return { name: `old-${at}`, categoryId: BigInt((at % 10) + 1), status: statuses[at % 4] };
  });
}

/** Another client that adds an animal before every third listing. */
export const busy: Wrap = (handle, keys) => {
  let requests = 0;
  return (request, now) => {
    requests += 1;
    if (isListing(readCall(request, now, keys)) && requests % 3 === 0) {
      const pet = { name: `other-${requests}`, categoryId: 1n, status: statuses[requests % 3]! };
      const creation = withBody({ ...request, method: 'POST', target: '/v1/pets' }, writeJson(pet));
      const others = creation.headers.filter(([name]) => name.toLowerCase() !== 'content-type');
      const headers = [...others, ['content-type', 'application/json']] as const;
      handle(withKey({ ...creation, headers }, keys.rateLimit), now);
    }
    return handle(request, now);
  };
};

/** Another client that uses the same key: remaining falls by more than one. */
export const sharedKey: Wrap = (handle, keys) => (request, now) => {
  if (readCall(request, now, keys).isAuthorized) handle(harmless(request), now);
  return handle(request, now);
};

/** Other clients remove their twelve animals, one with every tenth request, by an operation that is not shown. */
export const othersVanish: Wrap = (handle, keys) => {
  let requests = 0;
  const shown = showOnly((id) => typeof id !== 'bigint' || id > 12n || Number(id) > requests / 10)(handle, keys);
  return (request, now) => {
    requests += 1;
    return shown(request, now);
  };
};
