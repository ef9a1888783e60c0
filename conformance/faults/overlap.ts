/**
 * Faults of requests that are under way at the same time: they share a variable of the module, such as the current request.
 * One request after the other shows nothing wrong. An answer is made when it is sent, so that a request that came meanwhile
 * can change it; over a socket, a server with some latency shows the same.
 */

import type { StoreResponse } from '../../reference-server/index.ts';
import { isJsonObject, type JsonValue, readJson, writeJson } from '../http/json.ts';
import { isCreated, isRead, type Matches, readCall, type Wrap, withKey } from '../services/wraps.ts';
import type { FaultTable } from './fault.ts';

/** The body waits in a variable until it is sent: of two answers of this kind at once, both have the later body. */
const bodyShared =
  (matches: Matches): Wrap =>
  (handle, keys) => {
    let latest = '';
    return (request, now) => {
      const answer = handle(request, now);
      if (!matches(readCall(request, now, keys), answer)) return answer;
      latest = answer.body;
      return {
        ...answer,
        get body() {
          return latest;
        },
      };
    };
  };

/** The counter of ids is written when the answer is sent: a creation that comes before that reads the same number. */
const idReadBeforeItIsWritten: Wrap = (handle, keys) => {
  let unwritten: JsonValue | undefined;
  return (request, now) => {
    const answer = handle(request, now);
    const reading = readJson(answer.body);
    const isAnimal = isCreated(readCall(request, now, keys), answer) && 'value' in reading;
    if (!isAnimal || !isJsonObject(reading.value)) return answer;
    const pet = reading.value;
    unwritten ??= pet['id'];
    const body = writeJson({ ...pet, id: unwritten! });
    return {
      ...answer,
      get body() {
        unwritten = undefined;
        return body;
      },
    };
  };
};

/** The key of the current request is kept for all: a request is checked with the key of the latest one. */
const keyShared: Wrap = (handle, keys) => {
  let latest: string | undefined;
  return (request, now) => {
    const { key, isAuthorized } = readCall(request, now, keys);
    latest = key && keys[key];
    let made: StoreResponse | undefined;
    const answer = (): StoreResponse => {
      const isOfAnother = !isAuthorized && latest !== undefined;
      made ??= handle(isOfAnother ? withKey(request, latest!) : request, now);
      return made;
    };
    return {
      get status() {
        return answer().status;
      },
      get headers() {
        return answer().headers;
      },
      get body() {
        return answer().body;
      },
    };
  };
};

const isServedRead: Matches = (call, { status }) => isRead(call) && status === 200;

export const overlapFaults: FaultTable = {
  'pet-id-unique': {
    'id-counter-shared-by-requests-in-flight': idReadBeforeItIsWritten,
  },
  'get-answer': { 'read-animal-shared-by-requests-in-flight': bodyShared(isServedRead) },
  'auth-invalid-key': { 'key-shared-by-requests-in-flight': keyShared },
};
