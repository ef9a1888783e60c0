/** A fault: the reference server with one wrong behaviour, as a wrapper around its handle; and how to write one. */

import {
  BrokenOff,
  type Handle,
  keysOfFaults,
  type StoreRequest,
  type StoreResponse,
} from '../../reference-server/index.ts';
import { type Operation, operationOf } from '../../spec/operations.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { isJsonObject, type JsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';

/** A handle with another behaviour. State that a fault needs lives in its closure, one for each wrapped server. */
export type Wrap = (handle: Handle) => Handle;

/**
 * `breaks`: the requirements of which a run must name at least one; the first is the one broken most plainly. Their level
 * says how: what is required fails the run, what is advised warns and fails nothing.
 */
export interface Fault {
  readonly id: string;
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
  readonly wrap: Wrap;
  /** Where the service stands; /v1 where nothing is said. */
  readonly basePath?: string;
  /** Set where only a key that is exhausted shows it. */
  readonly needsExhaustion?: true;
}

/** The keys of the servers that faults and variants wrap. */
export const [apiKey, limitKey] = keysOfFaults;

/** One request to a wrapped server, and what it answered. */
export interface Call {
  readonly operation: Operation;
  readonly request: StoreRequest;
  readonly query: URLSearchParams;
  readonly isAuthorized: boolean;
  readonly now: number;
}

export function requestHeader(request: StoreRequest, name: string): string | undefined {
  return request.headers.find(([candidate]) => candidate.toLowerCase() === name)?.[1];
}

export function readCall(request: StoreRequest, now: number): Call {
  const [path = '', query = ''] = request.target.split('?');
  const operation = path.startsWith('/v1/') ? operationOf(request.method, path.slice('/v1'.length)) : 'other';
  const authorization = requestHeader(request, 'authorization');
  const isAuthorized = authorization === `Bearer ${apiKey}` || authorization === `Bearer ${limitKey}`;
  return { operation, request, query: new URLSearchParams(query), isAuthorized, now };
}

export function sentBody({ request }: Pick<Call, 'request'>): string {
  return new TextDecoder().decode(request.body);
}

/** The JSON that a request sent, or undefined where it sent none. */
export function sentJson(call: Pick<Call, 'request'>): JsonValue | undefined {
  const reading = readJson(sentBody(call));
  return 'value' in reading ? reading.value : undefined;
}

/** Changes answers; undefined leaves one as it is. */
export function changeAnswer(change: (answer: StoreResponse, call: Call) => StoreResponse | undefined): Wrap {
  return (handle) => (request, now) => {
    const answer = handle(request, now);
    return change(answer, readCall(request, now)) ?? answer;
  };
}

/** Changes the answers to creations that succeeded. */
export function changeCreation(change: (answer: StoreResponse, call: Call) => StoreResponse | undefined): Wrap {
  return changeAnswer((answer, call) =>
    call.operation === 'createPet' && answer.status === 201 ? change(answer, call) : undefined,
  );
}

/** Changes requests before the server sees them. */
export function changeRequest(change: (request: StoreRequest, call: Call) => StoreRequest): Wrap {
  return (handle) => (request, now) => handle(change(request, readCall(request, now)), now);
}

/** Breaks the connection instead of an answer. */
export function breakOff(matches: (call: Call) => boolean): Wrap {
  return changeAnswer((_answer, call) => {
    if (matches(call)) throw new BrokenOff();
    return undefined;
  });
}

/** Changes the JSON of answers with a status; undefined leaves it. */
export function changeJson(
  change: (json: JsonValue, call: Call, answer: StoreResponse) => JsonValue | undefined,
): Wrap {
  return changeAnswer((answer, call) => {
    const reading = readJson(answer.body);
    const changed = 'value' in reading ? change(reading.value, call, answer) : undefined;
    return changed === undefined ? undefined : { ...answer, body: writeJson(changed) };
  });
}

/** Where animals appear. */
export const petOperations = ['createPet', 'getPet', 'listPets'] as const;
export type Place = (typeof petOperations)[number];

/** Changes animals in answers, in one place or in all. */
export function changeAnimals(change: (animal: JsonObject) => JsonValue, place?: Place): Wrap {
  return changeJson((json, { operation }, { status }) => {
    if (status >= 300 || (place !== undefined && operation !== place)) return undefined;
    const animals = Array.isArray(json) ? json : [json];
    const changed = animals.map((animal) => (isJsonObject(animal) ? change(animal) : animal));
    return Array.isArray(json) ? changed : changed[0];
  });
}

/** Changes the bodies of errors, of one status or of all. */
export function changeErrors(change: (error: JsonObject) => JsonValue, only?: number): Wrap {
  return changeJson((json, _call, { status }) =>
    status >= 400 && (only === undefined || status === only) && isJsonObject(json) ? change(json) : undefined,
  );
}

/** Changes the animal that a valid createPet sends, so that something else is stored; what the 201 says stays true to it. */
export function changeSentPet(change: (pet: JsonObject) => JsonObject): Wrap {
  return changeRequest((request, call) => {
    const sent = sentJson(call);
    if (call.operation !== 'createPet' || !isJsonObject(sent)) return request;
    return withBody(request, writeJson(change(sent)));
  });
}

export function withBody(request: StoreRequest, body: string): StoreRequest {
  return { ...request, body: new TextEncoder().encode(body) };
}

/** The same request, with the real key. */
export function withKey(request: StoreRequest, key: string = apiKey): StoreRequest {
  const rest = request.headers.filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...request, headers: [...rest, ['authorization', `Bearer ${key}`]] };
}

/** The same request to another target. */
export function withTarget(request: StoreRequest, target: string): StoreRequest {
  return { ...request, target };
}

/** Changes a field by a function; a field that is missing stays so. */
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

/** An Error of the server, for answers that a fault makes up. */
export function errorAnswer(status: number, answer: StoreResponse): StoreResponse {
  return { ...answer, status, body: writeJson({ code: 'fault', message: 'A fault.', status: BigInt(status) }) };
}

/** An answer with another header, or without one. */
export function withHeader(answer: StoreResponse, name: string, value: string | undefined): StoreResponse {
  const rest = Object.entries(answer.headers).filter(([candidate]) => candidate.toLowerCase() !== name.toLowerCase());
  return { ...answer, headers: Object.fromEntries(value === undefined ? rest : [...rest, [name, value]]) };
}

/** The number in a header of an answer. */
export function headerNumber({ headers }: StoreResponse, name: string): number {
  return Number(Object.entries(headers).find(([candidate]) => candidate.toLowerCase() === name.toLowerCase())?.[1]);
}
