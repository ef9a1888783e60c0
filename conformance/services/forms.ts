/** Legal ways to write answers. */

import { readHeader } from '../../reference-server/index.ts';
import { isJsonObject, type JsonValue } from '../http/json.ts';
import { type Service, servicesOf } from './service.ts';
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
  withHeader,
  withTarget,
} from './wraps.ts';

const changeHeaders = (change: (name: string, value: string) => readonly [string, string]): Wrap =>
  changeAnswer(({ headers, ...answer }) => ({
    ...answer,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => change(name, value))),
  }));
const changeText = (change: (body: string) => string): Wrap =>
  changeAnswer((answer) => ({ ...answer, body: change(answer.body) }));

/** Allows one origin, in answers to requests that name one. */
const allowsOneOrigin: Wrap = changeAnswer((answer, { request }) =>
  readHeader(request, 'origin') === ''
    ? undefined
    : withHeader(answer, 'Access-Control-Allow-Origin', 'https://shop.example'),
);

function indented(body: string): string {
  const strings = /("(?:[^"\\]|\\.)*")(:)?|,/g;
  return body.replace(strings, (token, string?: string, colon?: string) =>
    string === undefined ? ',\n  ' : colon === undefined ? token : `${string} : `,
  );
}

function escaped(body: string): string {
  const inAscii = body.replace(/[^\x00-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return inAscii.replaceAll('/', '\\/');
}

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  return isJsonObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value;
}

/** The 201 repeats the request; only reads show the status that an animal without one was given. */
const echoesCreation: Wrap = changeCreated((pet, call) =>
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

export const formServices: readonly Service[] = servicesOf({
  'allows-one-origin': [allowsOneOrigin, { cors: 'some-origins' }],
  'lower-case-headers': [
    changeHeaders((name, value) => [
      name.toLowerCase(),
      name === 'Content-Type' ? 'application/json; charset=utf-8' : value,
    ]),
  ],
  // A proxy repeats each header: libraries join the two with a comma.
  'repeated-headers': [changeHeaders((name, value) => [name, `${value}, ${value}`])],
  'pretty-json': [changeText(indented)],
  'escaped-json': [changeText(escaped)],
  'reversed-fields': [changeJson(reversed)],
  'echoes-creation': [echoesCreation, { 'status-omitted': 'available' }],
  'ids-far-apart': [snowflakeIds, { 'id-form': 'rising' }],
});
