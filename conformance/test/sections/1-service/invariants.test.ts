/** §1: which media types are allowed. */

import { test } from 'uvu';
import { createPet, getPet, listPets } from '../../../sections/requests.ts';
import { checkRows, type HandMadeAnswer } from '../evidence.ts';

const problem = 'application/problem+json';

/** The code, the media type, and the rest of the answer. */
const rows: readonly (readonly [code: string | undefined, type: string, rest?: Partial<HandMadeAnswer>])[] = [
  // In any case and with any parameters; the last one as a proxy sends it that repeats a header.
  ...['Application/JSON', 'application/json; charset=utf-8', 'application/json ;v=1'].map(
    (type) => ['holds', type] as const,
  ),
  ['holds', 'application/json, application/json', { body: ' [ ] \n' }],
  ...[problem, 'text/json', 'application/jsonl', '', 'json', 'text/html, application/json'].map(
    (type) => ['not-application-json', type] as const,
  ),
  ['not-application-json', problem, { request: getPet(1n), status: 404 }],
  ['not-application-json', problem, { request: createPet({}), status: 400 }],
  // What the interface does not list.
  ...[400, 404, 405, 422, 500].map((status) => [undefined, 'text/html', { status, body: '<p>' }] as const),
  [undefined, 'text/html', { request: { operation: 'other', target: '/' }, body: '' }],
];

test('documented answers have the media type application/json', () => {
  for (const [code, type, rest] of rows) {
    const answer = { request: listPets(), headers: { 'content-type': type }, ...rest };
    checkRows([['service-json', code === undefined ? [] : [code], answer]]);
  }
});

test.run();
