/** §4.1: what a page proves by itself. What pages lack is a claim, which confirm asks again (run/confirm.test.ts). */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageLimit } from '../../../../spec/operations.ts';
import { noKey, rateLimitKey } from '../../../http/credentials.ts';
import { findCredential } from '../../../sections/5-authentication/credentials.ts';
import { largestPage, listPets } from '../../../sections/requests.ts';
import {
  animalOf,
  apiKey,
  checkRows,
  created,
  type EvidenceRows,
  failuresIn,
  type HandMadeAnswer,
  messageOf,
  page,
  pending,
  read,
  sold,
} from '../evidence.ts';

const many = (count: number, fields: object = {}) =>
  Array.from({ length: count }, (_nothing, at) => animalOf(at + 1, fields));
const listed = (query: string, status: number, body?: string): HandMadeAnswer => ({
  request: listPets(query),
  status,
  ...(body !== undefined && { body }),
});

/** The answer to a listing with the largest limit. */
const whole = (count: number) => page(largestPage, ...many(count));
const typed = (type: string) => ({ ...listed('', 200), headers: { 'content-type': type } });
const lenient = findCredential('lower-case-bearer', { api: apiKey })!;

const rows: EvidenceRows = {
  'list-answer': [
    ['holds', listed('limit=1', 200)],
    ['unexpected-status', listed('limit=1', 500)],
    ['not-an-array', listed('', 200, '{}')],
    ['', listed('limit=0', 400)],
    ['', listed('limit=1', 401)],
    // The answers to another form of the key, to none, and to a read.
    ['', { ...listed('limit=1', 400), credential: lenient }],
    ['', { ...listed('limit=1', 500), credential: noKey }],
    ['', { ...listed('limit=1', 403), credential: rateLimitKey('Key-2') }],
    // A key may be banned or blocked, unless a later listing with it is served.
    ['', listed('limit=1', 403)],
    ['holds', listed('limit=2', 200), listed('limit=1', 403)],
    ['holds unexpected-status', listed('limit=1', 403), listed('limit=2', 200)],
    ['unexpected-status', listed('limit=1', 403), listed('limit=2', 500)],
    ['', listed('limit=1', 403), listed('limit=0', 400)],
    ['holds', listed('limit=1', 403), { ...listed('limit=2', 200), credential: lenient }],
    ['', listed('limit=1', 403), read(1, animalOf(1))],
    ['', read(1, 500)],
    ['not-an-animal', listed('limit=0', 200, '[7]')],
    ['', listed('', 200, 'no JSON')],
  ],
  'list-limit': [
    // A page is too long, or full where more animals match.
    ['holds', page('', ...many(2)), page('limit=1', ...many(1))],
    ['', page('limit=1', ...many(1))],
    ['', page('', ...many(2)), page('limit=2', ...many(2))],
    ['', page('', ...many(2)), page('limit=1&status=x', ...many(1))],
    ['too-many', page('limit=0', ...many(pageLimit.most + 1))],
    ['too-many', page('status=x', ...many(pageLimit.usual + 1))],
    ['', page('limit=0', ...many(pageLimit.most))],
  ],
  'list-limit-default': [
    // The page is full where more animals match.
    ['holds', whole(pageLimit.usual + 1), page('', ...many(pageLimit.usual))],
    ['', whole(pageLimit.usual), page('', ...many(pageLimit.usual))],
    ['', whole(pageLimit.usual + 1), page('', ...many(pageLimit.usual - 1))],
  ],
  'list-status-filter': [
    // A filter leaves out what the page before shows.
    ['holds', page('', animalOf(1, sold), animalOf(2, pending)), page('status=sold', animalOf(1, sold))],
    ['', page('status=sold', animalOf(1, sold))],
    ['', page('', animalOf(1, sold)), page('status=sold', animalOf(1, sold))],
    ['other-status', page('status=sold', animalOf(1, pending))],
    ['', listed('status=sold', 200, '[7]')],
    ['', page('status=sold&limit=0', animalOf(1, pending))],
    ['', page('status=unknown', animalOf(1, pending))],
  ],
  'list-complete': [
    // An animal has the id of its 201.
    ['holds', created(1), page('', animalOf(1))],
    ['', created(1), page('', animalOf(2))],
    ['', created(1), listed('', 200, '[null]')],
    ['', page('', animalOf(1)), created(1)],
    ['', page('', animalOf(1, { id: 101n })), created(1)],
    ['', created(1), page('', animalOf(1), animalOf(1, { id: 101n }))],
    ['id-differs', created(1), created(2), page('', animalOf(1, { id: 2n }), animalOf(2, { id: 1n }))],
    ['holds', created(1), created(2), page('', animalOf(2), animalOf(1))],
    // Names that the run has given twice distinguish nothing, nor does another catalogue, as after a reset.
    [
      'holds',
      created(1, { name: 'CFklmbcdaaj' }),
      created(2, { name: 'CFklmbcdaaj' }),
      page('', animalOf(1, { name: 'CFklmbcdaaj' }), animalOf(7, { name: 'CFklmbcdaaj' })),
    ],
    ['holds', created(1), created(2), read(2, animalOf(2)), page('', animalOf(2)), page('', animalOf(1, { id: 101n }))],
    // Another key may see other animals.
    ['', created(1), { ...page('', animalOf(1)), credential: rateLimitKey('Key-2') }],
  ],
  'create-answer': [['holds', created(1), created(2), page('', animalOf(1), animalOf(1, { id: 2n }))]],
  'list-limit-refused': [
    // Refusals are advised.
    ['holds', listed('limit=0', 400)],
    ['refusal-without-error', listed('limit=0', 400, '"No."')],
    ['not-refused', listed('limit=0', 200)],
    ['', { ...listed('limit=0', 200), credential: lenient }],
    ['', listed('limit=0', 500)],
    ['', listed('limit=+1', 200)],
    ['', listed('status=x&limit=0', 200)],
  ],
  'service-json': [
    ...['application/jsonl', 'text/html, application/json'].map(
      (type) => ['not-application-json', typed(type)] as const,
    ),
    ...['application/json', 'application/JSON ;a=b'].map((type) => ['holds', typed(type)] as const),
    ['not-json', listed('', 200, 'x')],
    ['', { request: { operation: 'other', target: '/x' }, body: 'x' }],
  ],
  'list-status-refused': [
    ['holds', listed('status=x', 422)],
    ['', listed('status=x&limit=0', 200)],
  ],
};

test('a page is judged by its status, its body, its limit, its filter and the ids of its animals', () =>
  checkRows(rows));

test('a failure says what was expected and received, where it is in the answer, and which value was sent', () => {
  for (const [message, ...answers] of [
    ['unexpected-status: expected 200 for GET /pets?limit=1, received 500', listed('limit=1', 500)],
    ['not-an-array: expected an array of animals, received {}', listed('', 200, '{}')],
    ['not-an-animal: expected animals in the array, received 7 at /0', listed('', 200, '[7]')],
    [
      'other-status: expected only animals that are sold, received one with status "pending" at /1/status',
      page('status=sold', animalOf(1, sold), animalOf(2, pending)),
    ],
    [
      'other-status: expected only animals that are sold, received one without status at /0/status',
      page('status=sold', animalOf(1)),
    ],
    [
      'id-differs: expected the animal 7 in pages under the id of its 201, received its name with the id 8 at /0/id',
      created(7),
      page('', animalOf(7, { id: 8n })),
    ],
    [
      'created-twice: expected one animal for one request, received 1 and 101',
      created(1),
      page('', animalOf(1), animalOf(1, { id: 101n })),
    ],
    ['not-refused: expected a refusal of the limit "0", received 200 to limit "0"', listed('limit=0', 200)],
    ['not-refused: expected a refusal of the status filter "x", received 200 to status "x"', listed('status=x', 200)],
    [
      'refusal-without-error: expected an Error with the 400, received "No." to limit "0"',
      listed('limit=0', 400, '"No."'),
    ],
    ['too-many: expected a page of at most 100, received more than 100 animals', page('limit=0', ...many(101))],
    ['too-many: expected a page of at most 99, received 100 animals', page('limit=99', ...many(100))],
  ] as readonly (readonly [string, ...HandMadeAnswer[]])[]) {
    const found = failuresIn(answers, /^(list-|create-answer)/);
    assert.ok(found.map(messageOf).includes(message), found.map(messageOf).join('\n'));
  }
});

test.run();
