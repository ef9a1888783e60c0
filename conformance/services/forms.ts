/** Legal ways to write answers. */

import { readHeader } from '../../reference-server/index.ts';
import { isJsonObject, type JsonValue } from '../http/json.ts';
import {
  changeAnimals,
  changeAnswer,
  changeCreated,
  changeJson,
  changeRequest,
  dropField,
  mapField,
  sentPet,
  type Wrap,
  withTarget,
} from './wraps.ts';

export const lowerCaseHeaders: Wrap = (handle) => (request, now) => {
  const answer = handle(request, now);
  const headers = Object.entries(answer.headers).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...answer, headers: { ...Object.fromEntries(headers), 'content-type': 'application/json; charset=utf-8' } };
};

/** A proxy repeats each header: libraries join the two with a comma. */
export const repeatedHeaders: Wrap = changeAnswer(({ headers, ...answer }) => ({
  ...answer,
  headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `${value}, ${value}`])),
}));

/** Allows an origin, chosen by that of the request, in answers to requests that name one. */
export function allowsOrigin(choose: (origin: string) => string): Wrap {
  return changeAnswer((answer, { request }) => {
    const origin = readHeader(request, 'origin');
    if (origin === '') return undefined;
    return { ...answer, headers: { ...answer.headers, 'Access-Control-Allow-Origin': choose(origin) } };
  });
}

export const prettyJson: Wrap = (handle) => (request, now) => {
  const answer = handle(request, now);
  const strings = /("(?:[^"\\]|\\.)*")(:)?|,/g;
  const body = answer.body.replace(strings, (token, string?: string, colon?: string) =>
    string === undefined ? ',\n  ' : colon === undefined ? token : `${string} : `,
  );
  return { ...answer, body };
};

export const escapedJson: Wrap = (handle) => (request, now) => {
  const answer = handle(request, now);
  const body = answer.body.replace(/[^\x00-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return { ...answer, body: body.replaceAll('/', '\\/') };
};

export const reversedFields: Wrap = changeJson((json) => {
  const turn = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(turn);
    return isJsonObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value;
  };
  return turn(json);
});

/** The 201 repeats the request; only reads show the status that an animal without one was given. */
export const echoesCreation: Wrap = changeCreated((pet, call) =>
  Object.hasOwn(sentPet(call), 'status') ? undefined : dropField('status')(pet),
);

/** Snowflake ids: far from zero and from each other. */
export const snowflakeIds: Wrap = (handle, keys) => {
  const offset = 2n ** 60n + 5n;
  const shown = changeAnimals(mapField('id', (id) => (typeof id === 'bigint' ? offset + (id << 40n) : id)));
  const asked = changeRequest((request, { operation }) => {
    const segment = request.target.slice('/v1/pets/'.length);
    if (operation !== 'getPet' || !/^\d+$/.test(segment)) return request;
    const id = BigInt(segment) - offset;
    const isOne = id > 0n && BigInt.asUintN(40, id) === 0n;
    return withTarget(request, `/v1/pets/${isOne ? id >> 40n : 0n}`);
  });
  return asked(shown(handle, keys), keys);
};

/** Errors carry a field that is nested more deeply than the kit reads. */
export const nestsDeeply: Wrap = changeAnswer((answer) =>
  answer.status === 404 || answer.status === 400
    ? { ...answer, body: answer.body.replace(/}$/, `,"trace":${'['.repeat(100_000)}${']'.repeat(100_000)}}`) }
    : undefined,
);
