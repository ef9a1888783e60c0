/** Changes that show an animal late, cap pages, or show animals to one key only. */

import { isPetStatus } from '../../reference-server/index.ts';
import { isJsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import { changePage, changeQuery, fromWholeCatalogue, hasStatus, limitIn } from './page-changes.ts';
import { answerError, type Call, changeJson, errorAnswer, readCall, requestHeader, type Wrap } from './wraps.ts';

export const isListing = ({ operation }: Call): boolean => operation === 'listPets';
export const isRead = ({ operation }: Call): boolean => operation === 'getPet';
export const isListingOrRead = (call: Call): boolean => isListing(call) || isRead(call);

function idOf(entry: JsonValue | undefined): JsonValue {
  return isJsonObject(entry) ? (entry['id'] ?? null) : null;
}

/** Notes the ids of animals that are created. */
export function onCreation(note: (id: JsonValue, call: Call) => void): Wrap {
  return changeJson((json, call, { status }) => {
    if (call.operation === 'createPet' && status === 201) note(idOf(json), call);
    return undefined;
  });
}

/** Lists and finds only the animals that are to be shown. */
export function showOnly(isShown: (id: JsonValue, call: Call) => boolean): Wrap {
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

/** Answers some requests from a replica that receives each animal `ms` milliseconds after its 201. */
export function lagging(ms: number, isAnsweredByIt: (call: Call) => boolean): Wrap {
  return (handle, keys) => {
    const createdAt = new Map<JsonValue, number>();
    const noted = onCreation((id, { now }) => createdAt.set(id, now))(handle, keys);
    const replica = showOnly((id, { now }) => now - (createdAt.get(id) ?? 0) >= ms)(noted, keys);
    return (request, now) => (isAnsweredByIt(readCall(request, now, keys)) ? replica : noted)(request, now);
  };
}

/** A cache that shows an animal `ms` milliseconds after the first request that missed it. */
export function laggingFromFirstLook(ms: number, isAnsweredByIt: (call: Call) => boolean): Wrap {
  return (handle, keys) => {
    const shownFrom = new Map<JsonValue, number | undefined>();
    const noted = onCreation((id) => shownFrom.set(id, undefined))(handle, keys);
    const cache = showOnly((id, { now }) => {
      if (!shownFrom.has(id)) return true;
      const from = shownFrom.get(id);
      if (from === undefined) shownFrom.set(id, now + ms);
      return from !== undefined && now >= from;
    })(noted, keys);
    return (request, now) => (isAnsweredByIt(readCall(request, now, keys)) ? cache : noted)(request, now);
  };
}

/** A listing that is rebuilt every `ms` milliseconds, and shows new animals from then on. */
export function refreshedEvery(ms: number): Wrap {
  return (handle, keys) => {
    const createdAt = new Map<JsonValue, number>();
    const noted = onCreation((id, { now }) => createdAt.set(id, now))(handle, keys);
    const listed = showOnly((id, { now }) => Math.floor(now / ms) * ms >= (createdAt.get(id) ?? 0))(noted, keys);
    return (request, now) => (isListing(readCall(request, now, keys)) ? listed : noted)(request, now);
  };
}

export function cappedAt(most: number): Wrap {
  return changeQuery((query) => {
    const limit = limitIn(query, 20);
    if (limit > most && limit <= 100) query.set('limit', String(most));
  });
}

/** Ends each page before the animal that would make it longer than so many bytes, but not before the first one. */
export function cappedAtBytes(most: number): Wrap {
  return changePage((page) => {
    let bytes = 1;
    const end = page.findIndex((entry, at) => {
      bytes += Buffer.byteLength(writeJson(entry)) + 1;
      return at > 0 && bytes > most;
    });
    return end === -1 ? undefined : page.slice(0, end);
  });
}

/** Applies the limit first and the filter to what it leaves. */
export const limitBeforeFilter: Wrap = (handle, keys) => (request, now) => {
  const status = readCall(request, now, keys).query.get('status');
  if (!isPetStatus(status)) return handle(request, now);
  const unfiltered = changeQuery((query) => query.delete('status'))(handle, keys);
  return changePage((page) => page.filter(hasStatus(status)))(unfiltered, keys)(request, now);
};

export const perKey: Wrap = (handle, keys) => {
  const keyOf = ({ request }: Call): string => requestHeader(request, 'authorization')?.replace(/^Bearer +/i, '') ?? '';
  const owned = new Map<string, JsonValue[]>();
  const ownedBy = (call: Call): readonly JsonValue[] => owned.get(keyOf(call)) ?? [];
  const noted = changeJson((json, call, { status }) => {
    if (call.operation === 'createPet' && status === 201) owned.set(keyOf(call), [...ownedBy(call), json]);
    return undefined;
  })(handle, keys);
  const listed = changePage((_page, call) => {
    const status = call.query.get('status');
    const matching = isPetStatus(status) ? ownedBy(call).filter(hasStatus(status)) : ownedBy(call);
    return matching.slice(0, limitIn(call.query, 20));
  })(noted, keys);
  const isOwned = (call: Call): boolean =>
    ownedBy(call).some((pet) => call.request.target.endsWith(`/${String(idOf(pet))}`));
  return answerError(404, (call, { status }) => isRead(call) && status === 200 && !isOwned(call))(listed, keys);
};
