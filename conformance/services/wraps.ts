/** Wrappers around the handle of the reference server, which change requests and answers: for faults and for legal services. */

import { codeOf, type StoreRequest, type StoreResponse } from '../../reference-server/index.ts';
import { BrokenConnection, type Keys, type Wrap } from '../../reference-server/twin/wraps.ts';
import { type Operation, type OperationName, operationOf } from '../../spec/operations.ts';
import { isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';

export type { Keys, Wrap };

/** A request that changes nothing, in place of one that is not carried out. */
export function harmless(request: StoreRequest): StoreRequest {
  return { ...request, method: 'GET', target: '/v1/pets?limit=1', body: new Uint8Array() };
}

/** Wraps a handle in several layers, the outermost first. */
export function layers(...wraps: readonly Wrap[]): Wrap {
  return (handle, keys) => wraps.reduceRight((inner, wrap) => wrap(inner, keys), handle);
}

/** The keys of every server that runs in process. One mixes cases, since a fault may ignore the case. */
export const keysOfTrials: Keys = { api: 'Fault-Key-0aB1cD2eF3gH', rateLimit: 'Limit-Key-9zY8xW7vU6tS' };
export const { api: apiKey, rateLimit: limitKey } = keysOfTrials;

/** The keys of an embedded server, the second of which a run exhausts. */
export function serverKeys(api: string, rateLimit: string) {
  return [
    { key: api, plan: 'business' },
    { key: rateLimit, plan: 'enterprise', perMinute: 8, perDay: 1_000 },
  ] as const;
}

export const trialKeys = serverKeys(apiKey, limitKey);

/** One request to a wrapped server, as faults and variants read it. */
export interface Call {
  readonly operation: Operation;
  readonly request: StoreRequest;
  readonly query: URLSearchParams;
  readonly isAuthorized: boolean;
  readonly now: number;
  readonly keys: Keys;
}

export function requestHeader(request: StoreRequest, name: string): string | undefined {
  return request.headers.find(([candidate]) => candidate.toLowerCase() === name)?.[1];
}

/** Whether a request carries a key as the interface states it. */
export function hasKey({ request, keys }: Pick<Call, 'request' | 'keys'>, key: keyof Keys): boolean {
  return keys[key] !== '' && requestHeader(request, 'authorization') === `Bearer ${keys[key]}`;
}

export function readCall(request: StoreRequest, now: number, keys: Keys): Call {
  const [path = '', query = ''] = request.target.split('?');
  const operation = path.startsWith('/v1/') ? operationOf(request.method, path.slice('/v1'.length)) : 'other';
  const isAuthorized = hasKey({ request, keys }, 'api') || hasKey({ request, keys }, 'rateLimit');
  return { operation, request, query: new URLSearchParams(query), isAuthorized, now, keys };
}

export function sentBody({ request }: Pick<Call, 'request'>): string {
  return new TextDecoder().decode(request.body);
}

/** The JSON body of a request; undefined where it is no JSON. */
export function sentJson(call: Pick<Call, 'request'>): JsonValue | undefined {
  const reading = readJson(sentBody(call));
  return 'value' in reading ? reading.value : undefined;
}

/** Changes an answer, or leaves it as it is by `undefined`; `count` is the number of such answers so far, this one included. */
export type Change = (answer: StoreResponse, call: Call, count: number) => StoreResponse | undefined;
type Matches = (call: Call, answer: StoreResponse) => boolean;

/** Changes the answers to calls that match, or all. */
export function changeAnswer(change: Change, matches: Matches = () => true): Wrap {
  return (handle, keys) => {
    let count = 0;
    return (request, now) => {
      const [answer, call] = [handle(request, now), readCall(request, now, keys)];
      if (!matches(call, answer)) return answer;
      count += 1;
      return change(answer, call, count) ?? answer;
    };
  };
}

const isCreated: Matches = ({ operation }, { status }) => operation === 'createPet' && status < 300;

export function changeCreation(change: Change): Wrap {
  return changeAnswer(change, isCreated);
}

export function answerError(status: number, matches: Matches): Wrap {
  return changeAnswer((answer) => errorAnswer(status, answer), matches);
}

export function breakOff(matches: (call: Call) => boolean): Wrap {
  return changeAnswer(() => {
    throw new BrokenConnection();
  }, matches);
}

export function changeRequest(change: (request: StoreRequest, call: Call) => StoreRequest): Wrap {
  return (handle, keys) => (request, now) => handle(change(request, readCall(request, now, keys)), now);
}

/** Changes the JSON of answers; `undefined` leaves an answer as it is. */
export function changeJson(
  change: (json: JsonValue, call: Call, count: number) => JsonValue | undefined,
  matches?: Matches,
): Wrap {
  return changeAnswer((answer, call, count) => {
    const reading = readJson(answer.body);
    const changed = 'value' in reading ? change(reading.value, call, count) : undefined;
    return changed === undefined ? undefined : { ...answer, body: writeJson(changed) };
  }, matches);
}

/** Changes the animal in a 201; `count` is the number of those so far, this one included. */
export function changeCreated(change: (pet: JsonObject, call: Call, count: number) => JsonValue | undefined): Wrap {
  return changeJson((json, call, count) => (isJsonObject(json) ? change(json, call, count) : undefined), isCreated);
}

export function changeAnimals(change: (animal: JsonObject) => JsonValue, only?: OperationName): Wrap {
  const changeOne = (animal: JsonValue): JsonValue => (isJsonObject(animal) ? change(animal) : animal);
  return changeJson(
    (json) => (Array.isArray(json) ? json.map(changeOne) : changeOne(json)),
    ({ operation }, { status }) => status < 300 && (only === undefined || operation === only),
  );
}

export function changeErrors(change: (error: JsonObject) => JsonValue, only?: number): Wrap {
  return changeJson(
    (json) => (isJsonObject(json) ? change(json) : undefined),
    (_call, { status }) => status >= 400 && (only === undefined || status === only),
  );
}

/** The animal that a creation sends; without fields where it sends none. */
export function sentPet(call: Call): JsonObject {
  const sent = call.operation === 'createPet' ? sentJson(call) : undefined;
  return isJsonObject(sent) ? sent : {};
}

export function nameOf({ name }: JsonObject): string {
  return typeof name === 'string' ? name : '';
}

/** Changes the animal that createPet sends: the service stores another one, and its 201 agrees with what it stored. */
export function changeSentPet(change: (pet: JsonObject) => JsonValue): Wrap {
  return changeRequest((request, call) => {
    const sent = call.operation === 'createPet' ? sentJson(call) : undefined;
    return isJsonObject(sent) ? withBody(request, writeJson(change(sent))) : request;
  });
}

export function withBody(request: StoreRequest, body: string): StoreRequest {
  return { ...request, body: new TextEncoder().encode(body) };
}

/** Refuses bodies that match, before anything is stored. The answer to an empty object has the headers of a refusal. */
export function refuseBodies(matches: (call: Call) => boolean, status = 400): Wrap {
  return (handle, keys) => (request, now) => {
    if (!matches(readCall(request, now, keys))) return handle(request, now);
    const answer = handle(withBody(request, '{}'), now);
    // A missing key and a limit that is used up come first.
    return [400, 415].includes(answer.status) ? errorAnswer(status, answer) : answer;
  };
}

/** Accepts so many animals, and then refuses every creation before it reads the body. */
export function quotaOf(most: number, status: number): Wrap {
  return (handle, keys) => {
    let count = 0;
    const counted = changeCreation(() => {
      count += 1;
      return undefined;
    });
    const isFull = (call: Call) => call.operation === 'createPet' && count >= most;
    return layers(refuseBodies(isFull, status), counted)(handle, keys);
  };
}

export function withKey(request: StoreRequest, key: string): StoreRequest {
  const rest = request.headers.filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...request, headers: [...rest, ['authorization', `Bearer ${key}`]] };
}

export function withTarget(request: StoreRequest, target: string): StoreRequest {
  return { ...request, target };
}

export function mapField(field: string, change: (value: JsonValue) => JsonValue): (object: JsonObject) => JsonObject {
  return (object) => {
    const value = object[field];
    return value === undefined ? object : { ...object, [field]: change(value) };
  };
}

export function dropField(field: string): (object: JsonObject) => JsonObject {
  return ({ [field]: _dropped, ...rest }) => rest;
}

export function renameField(field: string, to: string): (object: JsonObject) => JsonObject {
  return ({ [field]: value, ...rest }) => (value === undefined ? rest : { ...rest, [to]: value });
}

/** Turns an answer into an Error, in the words of a service: nothing in it says that the fault is on purpose. */
export function errorAnswer(status: number, answer: StoreResponse): StoreResponse {
  const code = codeOf(status);
  const message = `${code.charAt(0).toUpperCase()}${code.slice(1).replaceAll('_', ' ')}.`;
  return { ...answer, status, body: writeJson({ code, message, status: BigInt(status) }) };
}

export function withHeader(answer: StoreResponse, name: string, value: string | undefined): StoreResponse {
  const rest = Object.entries(answer.headers).filter(([candidate]) => candidate.toLowerCase() !== name.toLowerCase());
  return { ...answer, headers: Object.fromEntries(value === undefined ? rest : [...rest, [name, value]]) };
}

export function headerNumber({ headers }: StoreResponse, name: string): number {
  return Number(Object.entries(headers).find(([candidate]) => candidate.toLowerCase() === name.toLowerCase())?.[1]);
}

/** What the headers of an answer say of the limit; `reset` is in Unix seconds, `count` the number of answers so far. */
type Shown = Readonly<Record<'limit' | 'remaining' | 'reset' | 'status' | 'count', number>>;

/** Changes Remaining to another number from 0 on; `undefined` leaves an answer as it is. */
export function changeRemaining(change: (shown: Shown, call: Call) => number | undefined): Wrap {
  return changeAnswer((answer, call, count) => {
    const read = (name: string): number => headerNumber(answer, `X-RateLimit-${name}`);
    const [limit, remaining, reset] = [read('Limit'), read('Remaining'), read('Reset')];
    const left = change({ limit, remaining, reset, status: answer.status, count }, call);
    return left === undefined ? undefined : withHeader(answer, 'X-RateLimit-Remaining', String(Math.max(0, left)));
  });
}
