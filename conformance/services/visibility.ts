/** Changes that show an animal late, cap pages, or show animals to some keys only. */

import { isPetStatus } from '../../reference-server/index.ts';
import { isJsonObject, type JsonValue, readJson } from '../http/json.ts';
import { changePage, changeQuery, fromWholeCatalogue, hasStatus, limitIn } from './page-changes.ts';
import { type Call, changeJson, errorAnswer, nameOf, readCall, requestHeader, sentPet, type Wrap } from './wraps.ts';

export const isListing = ({ operation }: Call): boolean => operation === 'listPets';
export const isRead = ({ operation }: Call): boolean => operation === 'getPet';
export const isListingOrRead = (call: Call): boolean => isListing(call) || isRead(call);

function idOf(entry: JsonValue | undefined): JsonValue {
  return isJsonObject(entry) ? (entry['id'] ?? null) : null;
}

/** Notes the ids of animals that are created. */
function onCreation(note: (id: JsonValue, call: Call) => void): Wrap {
  return changeJson((json, call, { status }) => {
    if (call.operation === 'createPet' && status === 201) note(idOf(json), call);
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
export function oneOfThreeLags(ms: number): Wrap {
  return (handle, keys) => {
    let reads = 0;
    return lagging(ms, (call) => {
      if (isRead(call)) reads += 1;
      return isRead(call) && reads % 3 === 0;
    })(handle, keys);
  };
}

export function cappedAt(most: number): Wrap {
  return changeQuery((query) => {
    const limit = limitIn(query, 20);
    if (limit > most && limit <= 100) query.set('limit', String(most));
  });
}

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
  const replaced = new Set<JsonValue>();
  const noted = onCreation((id, call) => {
    const name = nameOf(sentPet(call));
    const before = newest.get(name);
    if (before !== undefined) replaced.add(before);
    newest.set(name, id);
  })(handle, keys);
  return showOnly((id) => !replaced.has(id))(noted, keys);
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
