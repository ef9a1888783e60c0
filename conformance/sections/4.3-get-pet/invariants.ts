/** §4.3 Get an animal, as long as it is there (§9). */

import { removalOfGetPet } from '../../../spec/facts.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isInt64, isJsonObject, showJson } from '../../http/json.ts';
import { readPetId } from '../../http/read-request.ts';
import { bodyOf, isJson, statusOf } from '../../http/read-response.ts';
import type { Check, Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { waitToSettle } from '../../run/settling.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type History, isAuthorized, isKnownBefore, isSettledBefore, mayBeGone } from '../../verdict/history.ts';
import { mayBeOutlived } from '../2-resources/kept-animals.ts';
import { drawUnknownId, getPet, knownIds } from '../requests.ts';

export function isRemoved(history: Pick<History, 'settings'>): boolean {
  return history.settings.today >= removalOfGetPet;
}

/** The answered reads with a valid key, none from the day of removal on. */
export function reads(history: History): readonly Exchange[] {
  if (isRemoved(history)) return [];
  return history.answered.filter((exchange) => exchange.operation === 'getPet' && isAuthorized(exchange));
}

/** No one meets an id by chance that the run drew from as many as these; all others may be those of other clients. */
const drawn = { from: 2n ** 60n, to: 2n ** 62n };
/** Nor one that is farther than this from every known id. */
const neighbourhood = 2n ** 54n;

/** Whether another client may have an animal with this id, as far as can be told from those that are known. */
function mayExist(history: History, id: bigint): boolean {
  const isNear = (known: bigint): boolean => known - id < neighbourhood && id - known < neighbourhood;
  return id < drawn.from || id > drawn.to || [...history.known.keys()].some(isNear);
}

function isReturned(exchange: Exchange, id: bigint): boolean {
  const body = bodyOf(exchange);
  return isJsonObject(body) && body['id'] === id;
}

/** Whether a read need not find an animal: not yet, or not any more. */
export function mayBeMissing(history: History, exchange: Exchange, id: bigint): boolean {
  if (!isSettledBefore(history, exchange, id)) return true;
  return mayBeGone(history, exchange, id) || mayBeOutlived(history, id, exchange);
}

function judgeKnown(history: History, exchange: Exchange, id: bigint): readonly Finding[] {
  const status = statusOf(exchange);
  if (status === 401 || (status === 404 && mayBeMissing(history, exchange, id))) return [];
  if (status !== 200) {
    return [fails('get-answer', 'unexpected-status', `expected 200 for a known animal, received ${status}`, exchange)];
  }
  const body = bodyOf(exchange);
  if (body === undefined && isJson(exchange)) return [];
  if (!isJsonObject(body)) {
    const what = body === undefined ? 'no JSON' : showJson(body);
    return [fails('get-answer', 'not-an-animal', `expected an animal, received ${what}`, exchange)];
  }
  // A missing or malformed id is told by §2.
  if (!isInt64(body['id'])) return [];
  if (body['id'] === id) return [holds('get-answer', exchange)];
  const message = `expected the animal ${id}, received the animal ${body['id']}`;
  return [fails('get-answer', 'another-animal', message, exchange)];
}

function judgeUnknown(history: History, exchange: Exchange, id: bigint): readonly Finding[] {
  const status = statusOf(exchange);
  if (status === 401) return [];
  if (status === 404) return [holds('get-not-found', exchange)];
  // A body that is nested too deeply to be read may hold the id.
  const isReadable = bodyOf(exchange) !== undefined || !isJson(exchange);
  if (status === 200 && (isReturned(exchange, id) || !isReadable) && mayExist(history, id)) return [];
  const message = `expected 404 for an id that no animal has, received ${status}`;
  return [fails('get-not-found', 'unexpected-status', message, exchange)];
}

function judgeNotInt64(exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange) ?? 0;
  if (status >= 500 || status === 401) return [];
  if (status < 200 || status >= 300) return [holds('get-id-not-int64', exchange)];
  const message = `expected no animal for a petId that is no int64, received ${status}`;
  return [fails('get-id-not-int64', 'found', message, exchange)];
}

function judgeRead(history: History, exchange: Exchange): readonly Finding[] {
  const id = readPetId(exchange);
  if (id === 'unusual') return [];
  if (id === 'not-int64') return judgeNotInt64(exchange);
  return isKnownBefore(history, exchange, id) ? judgeKnown(history, exchange, id) : judgeUnknown(history, exchange, id);
}

const readsAnswer: Invariant = {
  kind: 'invariant',
  id: 'reads-answer',
  verifies: ['get-answer', 'get-not-found', 'get-id-not-int64'],
  title: 'A known id answers with its animal, any other with 404',
  judge: (history) => reads(history).flatMap((exchange) => judgeRead(history, exchange)),
};

/** What turns the id of an animal into another, and is lost by a cut, a turn or a rounding on the way. */
const aliases: readonly ((id: bigint) => bigint)[] = [
  (id) => id + 2n ** 32n,
  (id) => id + 2n ** 53n,
  (id) => -id,
  (id) => id - 2n ** 32n,
  (id) => BigInt(Number(id)),
  (id) => BigInt.asIntN(53, id),
];

/** Ids of no animal that a careless service takes for one of these. */
function aliasesOf(ids: readonly bigint[]): readonly bigint[] {
  const [first] = ids;
  if (first === undefined) return [];
  return aliases
    .map((alias, at) => alias(ids[at % ids.length] ?? first))
    .filter((id) => isInt64(id) && !ids.includes(id));
}

/** What is no int64 and what careless parsers make an id of: they cut it, wrap it, or take what stands around it away. */
const disguises: readonly ((id: bigint) => string)[] = [
  (id) => `${id}abc`,
  (id) => `${id}:1`,
  (id) => `${id}~`,
  (id) => `${id}-`,
  (id) => `${id}n`,
  (id) => `${id}%00`,
  (id) => `${id}%20or%201`,
  (id) => `${id}%25`,
  (id) => `%22${id}%22`,
  (id) => `'${id}'`,
  (id) => `(${id})`,
  (id) => `%5B${id}%5D`,
  (id) => `%7B${id}%7D`,
  (id) => `id=${id}`,
  (id) => `x${id}`,
  (id) => `--${id}`,
  (id) => `${id}e-1`,
  (id) => `${id}.${id}`,
  (id) => String(2n ** 64n + id),
  (id) => String(2n ** 63n + BigInt.asUintN(63, id)),
  (id) => String(-(2n ** 64n) - BigInt.asUintN(63, id)),
  () => '%25',
  () => '*',
  () => 'NaN',
  () => 'undefined',
  () => 'true',
  () => '-',
];
/** Each run draws so many of them. */
const drawnDisguises = 4;

/** Some of several, by the seed of the session. */
function draw<Item>({ random }: Session, items: readonly Item[], count: number): readonly Item[] {
  return items
    .map((item) => ({ item, place: random() }))
    .sort((one, other) => one.place - other.place)
    .slice(0, count)
    .map(({ item }) => item);
}

const firstReads: Scenario = {
  kind: 'scenario',
  id: 'first-reads',
  rank: 1,
  canRunInParallel: true,
  verifies: ['get-answer', 'get-until-removal', 'get-not-found', 'pet-name-kept', 'pet-category-id-kept'],
  title: 'Gets the animals with the hardest values, and one that is not there',
  run: async (session) => {
    if (isRemoved(session)) return;
    const ids = knownIds(session);
    await session.sendAll(
      [...new Set([ids[0], ids[3] ?? ids[1]]), drawUnknownId(session)]
        .filter((id) => id !== undefined)
        .map((id) => getPet(id)),
    );
  },
};

const moreReads: Scenario = {
  kind: 'scenario',
  id: 'more-reads',
  rank: 2,
  canRunInParallel: true,
  verifies: ['get-answer', 'get-not-found', 'get-id-not-int64'],
  title: 'Gets the animal with the longest name, and by a petId that only begins as one',
  run: async (session) => {
    if (isRemoved(session)) return;
    const [first, longest] = knownIds(session);
    const strange = first === undefined ? 'abc' : `${first}.json`;
    await session.sendAll([...(longest === undefined ? [] : [getPet(longest)]), getPet(strange)]);
  },
};

/** What the interface leaves open is asked for behind the reads, and there is a last look at what was there at first. */
const keptForLast = 6;
/** As many of the first as of the last; pages show the others. */
const readsOfCreated = 4;

const everyRead: Scenario = {
  kind: 'scenario',
  id: 'every-read',
  rank: 6,
  verifies: ['get-answer', 'get-not-found', 'get-id-not-int64'],
  title: 'Gets most animals the run created, the ends of int64, and what is no int64',
  run: async (session) => {
    if (isRemoved(session)) return;
    await waitToSettle(session);
    const ids = knownIds(session);
    const known = ids[0] ?? 1n;
    const strange = ['abc', String(2n ** 128n + known)];
    const cut = ['.5', '.json', ',1', ';v=1'].map((end) => `${known}${end}`);
    const disguised = draw(session, disguises, drawnDisguises).map((disguise) => disguise(known));
    // Where ids count up, what a refused request left behind would have one of these.
    const highest = ids.toSorted((one, other) => (one < other ? -1 : 1)).at(-1) ?? 0n;
    const next = [1n, 2n].map((step) => highest + step).filter(isInt64);
    const unknown = [...next, 0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), drawUnknownId(session), 2n ** 53n + 1n];
    const read = new Set([...ids.slice(0, readsOfCreated), ...ids.slice(-readsOfCreated)]);
    const segments = [
      // The same twice in a row.
      ...ids.slice(0, 1),
      ...read,
      ...strange,
      ...[...aliasesOf(ids), ...unknown].filter((id) => !ids.includes(id)),
      ...cut,
      ...disguised,
    ];
    const most = Math.max(0, session.budget.requestsLeft() - keptForLast);
    await session.sendAll(segments.slice(0, most).map((segment) => getPet(segment)));
  },
};

export const getPetChecks: readonly Check[] = [readsAnswer, firstReads, moreReads, everyRead];
