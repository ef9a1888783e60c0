/** Wrappers around the handle of the reference server, which change requests and answers: for faults and for legal services. */

import { codeOf, isPetStatus, type StoreRequest, type StoreResponse } from '../../reference-server/index.ts';
import type { ServerKeys, Wrap } from '../../reference-server/twin/wraps.ts';
import { type OperationName, operationOf } from '../../spec/operations.ts';
import { isInt64, isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';

export type { ServerKeys as Keys, Wrap };

/** The keys of the servers of faults and legal services, as wraps take them. One mixes cases, since a fault may ignore the case. */
export const keysOfTrials: ServerKeys = { api: 'Fault-Key-0aB1cD2eF3gH', rateLimit: 'Limit-Key-9zY8xW7vU6tS' };
export const { api: apiKey, rateLimit: limitKey } = keysOfTrials;

/** The keys of an embedded server, the second of which a run exhausts. */
export function serverKeys(api: string, rateLimit: string) {
  return [
    { key: api, plan: 'business' },
    { key: rateLimit, plan: 'enterprise', perMinute: 8, perDay: 1_000 },
  ] as const;
}

export const trialApiKeys = serverKeys(apiKey, limitKey);

/** One request to a wrapped server, as faults and legal services read it: what its body holds is read when it is needed. */
export function readCall(request: StoreRequest, now: number, keys: ServerKeys) {
  const [path = '', query = ''] = request.target.split('?');
  const operation = path.startsWith('/v1/') ? operationOf(request.method, path.slice('/v1'.length)) : 'other';
  const authorization = request.headers.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  const token = /^bearer (.+)$/i.exec(authorization ?? '')?.[1];
  /** Which key of the server it carries as §5 states it. The case of a scheme does not matter (RFC 9110, 11.1). */
  const key = (['api', 'rateLimit'] as const).find((name) => token === keys[name]);
  return {
    request,
    now,
    keys,
    operation,
    authorization,
    key,
    isAuthorized: key !== undefined,
    query: new URLSearchParams(query),
    get text(): string {
      return new TextDecoder().decode(request.body);
    },
    /** Undefined where its body is no JSON. */
    get json(): JsonValue | undefined {
      const reading = readJson(this.text);
      return 'value' in reading ? reading.value : undefined;
    },
    /** The animal that a creation sends; without fields where it sends none. */
    get pet(): JsonObject {
      const sent = operation === 'createPet' ? this.json : undefined;
      return isJsonObject(sent) ? sent : {};
    },
  };
}

export type Call = Readonly<ReturnType<typeof readCall>>;

/** Whether a creation is to be accepted. */
export function isValid({ pet: { name, categoryId, status = 'sold' } }: Call): boolean {
  return typeof name === 'string' && isInt64(categoryId) && isPetStatus(status);
}

export const isListing = ({ operation }: Call): boolean => operation === 'listPets';
export const isRead = ({ operation }: Call): boolean => operation === 'getPet';
export const isListingOrRead = (call: Call): boolean => isListing(call) || isRead(call);

/** Wraps a handle in several layers, the outermost first. */
export function layers(...wraps: readonly Wrap[]): Wrap {
  return (handle, keys) => wraps.reduceRight((inner, wrap) => wrap(inner, keys), handle);
}

/**
 * Changes an answer, or leaves it as it is by `undefined`. `send` gives the answer of the service to another request at this
 * moment; `count` is the number of such answers so far, this one included.
 */
export type Change = (
  answer: StoreResponse,
  call: Call,
  send: (request: StoreRequest) => StoreResponse,
  count: number,
) => StoreResponse | undefined;
export type Matches = (call: Call, answer: StoreResponse) => boolean;

export const isCreated: Matches = ({ operation }, { status }) => operation === 'createPet' && status < 300;

/** Wraps that change requests, answers, or what they hold. A change of JSON by `undefined` leaves an answer as it is. */
export const changes = {
  request:
    (change: (request: StoreRequest, call: Call) => StoreRequest): Wrap =>
    (handle, keys) =>
    (request, now) =>
      handle(change(request, readCall(request, now, keys)), now),

  /** Changes the answers to calls that match, or all. */
  answer:
    (change: Change, matches: Matches = () => true): Wrap =>
    (handle, keys) => {
      let count = 0;
      return (request, now) => {
        const answer = handle(request, now);
        const call = readCall(request, now, keys);
        if (!matches(call, answer)) return answer;
        count += 1;
        return change(answer, call, (other) => handle(other, now), count) ?? answer;
      };
    },

  json: (change: (json: JsonValue, call: Call) => JsonValue | undefined, matches?: Matches): Wrap =>
    changes.answer((answer, call) => {
      const reading = readJson(answer.body);
      const changed = 'value' in reading ? change(reading.value, call) : undefined;
      return changed === undefined ? undefined : { ...answer, body: writeJson(changed) };
    }, matches),

  /** Changes the animal in a 201. */
  created: (change: (pet: JsonObject, call: Call) => JsonValue | undefined): Wrap =>
    changes.json((json, call) => (isJsonObject(json) ? change(json, call) : undefined), isCreated),

  animals: (change: (animal: JsonObject) => JsonValue, only?: OperationName): Wrap => {
    const changeOne = (animal: JsonValue): JsonValue => (isJsonObject(animal) ? change(animal) : animal);
    return changes.json(
      (json) => (Array.isArray(json) ? json.map(changeOne) : changeOne(json)),
      ({ operation }, { status }) => status < 300 && (only === undefined || operation === only),
    );
  },

  errors: (change: (error: JsonObject) => JsonValue, only?: number): Wrap =>
    changes.json(
      (json) => (isJsonObject(json) ? change(json) : undefined),
      (_call, { status }) => status >= 400 && (only === undefined || status === only),
    ),

  /** Changes the animal that createPet sends: the service stores another one, and its 201 agrees with what it stored. */
  sentPet: (change: (pet: JsonObject) => JsonValue): Wrap =>
    changes.request((request, { operation, json }) => {
      return operation === 'createPet' && isJsonObject(json) ? withBody(request, writeJson(change(json))) : request;
    }),
};

export function answerError(status: number, matches: Matches): Wrap {
  return changes.answer((answer) => errorAnswer(status, answer), matches);
}

/** A request that changes nothing, in place of one that is not carried out. */
export function harmless(request: StoreRequest): StoreRequest {
  return { ...request, method: 'GET', target: '/v1/pets?limit=1', body: new Uint8Array() };
}

export function withBody(request: StoreRequest, body: string): StoreRequest {
  return { ...request, body: new TextEncoder().encode(body) };
}

export function withKey(request: StoreRequest, key: string): StoreRequest {
  const rest = request.headers.filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...request, headers: [...rest, ['authorization', `Bearer ${key}`]] };
}

export function withHeader(answer: StoreResponse, name: string, value: string | undefined): StoreResponse {
  const { [name]: _replaced, ...rest } = answer.headers;
  return { ...answer, headers: value === undefined ? rest : { ...rest, [name]: value } };
}

export function headerNumber({ headers }: StoreResponse, name: string): number {
  return Number(headers[name]);
}

/** Turns an answer into an Error, in the words of a service: nothing in it says that the fault is on purpose. */
export function errorAnswer(status: number, answer: StoreResponse, sentence?: string): StoreResponse {
  const code = codeOf(status);
  const message = sentence ?? `${code.charAt(0).toUpperCase()}${code.slice(1).replaceAll('_', ' ')}.`;
  return { ...answer, status, body: writeJson({ code, message, status: BigInt(status) }) };
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
