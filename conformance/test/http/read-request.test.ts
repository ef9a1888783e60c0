/** Requests are read as the interface and RFC 8259 have it: valid, invalid, or open. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageLimit } from '../../../spec/operations.ts';
import { rawBytes } from '../../http/body-bytes.ts';
import { isAllowed, pageSize, readListing, readNewPet, readPetId, sentPetOf } from '../../http/read-request.ts';

function readingOf(body: string, contentType = 'application/json'): { kind: string; fault?: string; pet?: object } {
  const headers = { 'content-type': contentType };
  const reading = readNewPet({ request: { method: 'POST', target: '/pets', headers, body } });
  return reading.kind === 'invalid' ? { kind: reading.requirement, fault: reading.fault } : reading;
}

const rex = '{"name":"Rex","categoryId":1}';
const bodies: Readonly<Record<string, readonly string[]>> = {
  valid: [
    rex,
    ' {\t"status" :\r\n"sold" , "\\u0063ategoryId":-9223372036854775808,"n\\u0061me":"\\ud83e\\uDD84"} ',
    '{"name":"","categoryId":0,"status":"pending"}',
    '{"name":"\ud83d\udc80","categoryId":1}',
  ],
  // RFC 8259 or the interface leaves open what these are.
  open: [
    `\ufeff${rex}`,
    '{"name":"Rex","name":"Mia","categoryId":1}',
    '{"name":7,"categoryId":1,"n\\u0061me":"Mia"}',
    '{"name":"Rex","categoryId":-0}',
    '{"name":"Rex","categoryId":1.0}',
    '{"name":"Rex","categoryId" : 12.0}',
    '{"name":"Rex","categoryId":1e2}',
    '{"name":"\\ud83e","categoryId":1}',
    '{"name":"Rex","categoryId":1,"id":7}',
  ],
  'create-required-fields': ['', '{"name":"Rex"}'],
  'create-invalid-values': ['1e-1', '0.1', '9223372036854775808', '1000000000000000000000000000', 'true', '"1"'].map(
    (category) => `{"name":"Rex","categoryId":${category}}`,
  ),
  'create-malformed-body': [`\u00a0${rex}`, '\f{}', '{"name":"Rex","categoryId":01}', '[]', 'null'],
  'create-body-utf8': [`{"name":"caf${rawBytes(0xe9)}","categoryId":1}`],
};

/** A body that is invalid → what the report says of it. */
const faults: readonly (readonly [body: string, fault: string])[] = [
  ['', 'an empty body'],
  [`{"name":"caf${rawBytes(0xe9)}"}`, 'bytes that are not UTF-8'],
  ['[7]', 'the body [7], which is no object'],
  ['{"name":"Rex"}', 'a body without categoryId'],
  ['{"categoryId":1}', 'a body without name'],
  ['{"name":1,"categoryId":1}', 'the name 1, which is no string'],
  ['{"name":"Rex","categoryId":"1"}', 'the categoryId "1", which is no int64'],
  ['{"name":"Rex","categoryId":1,"status":"lost"}', 'the status "lost", which is no PetStatus'],
  ['{"name":"Rex","categoryId":1,"status":null}', 'the status null, which is no PetStatus'],
];

test('a body that is invalid is described by what is wrong with it', () => {
  for (const [body, fault] of faults) assert.is(readingOf(body).fault, fault, body);
});

test('a name is plain if it has 2 to 30 letters, digits, spaces and hyphens, and begins and ends with none of the latter', () => {
  const isPlain = (name: string): unknown => {
    const reading = readNewPet({
      request: {
        method: 'POST',
        target: '/pets',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name, categoryId: 1 }),
      },
    });
    return reading.kind === 'valid' && reading.isPlainName;
  };
  for (const name of ['ab', 'Rex 7', 'a-b', 'n'.repeat(30)]) assert.is(isPlain(name), true, name);
  for (const name of ['a', ' ab', 'ab ', '-ab', 'ab-', 'a_b', 'Zoë', '!ab', 'ab!', 'n'.repeat(31)])
    assert.is(isPlain(name), false, name);
});

test('the animal that a creation sends is known where its body says clearly which one', () => {
  const petOf = (body: string): unknown =>
    sentPetOf({ request: { method: 'POST', target: '/pets', headers: { 'content-type': 'application/json' }, body } });
  for (const body of [rex, '{"name":"Rex","categoryId":1.0}', '{"name":"Rex","categoryId":1,"more":2}'])
    assert.equal(petOf(body), { name: 'Rex', categoryId: 1n }, body);
  for (const body of ['{"name":"Rex"}', '{"name":"Rex","name":"Mia","categoryId":1}', ''])
    assert.is(petOf(body), undefined, body);
});

test('a body is valid, open, or breaks one requirement', () => {
  for (const [kind, all] of Object.entries(bodies)) for (const body of all) assert.is(readingOf(body).kind, kind, body);
  assert.is(readingOf('{"name":"Rex"}', 'text/plain').kind, 'open');
  assert.is(readingOf(' \n').fault, 'a body of white space, which is no JSON');
  assert.is(readingOf('{"name":}').fault, '{"name":}, which is no JSON');
  const [a, b] = ['a'.repeat(50), 'b'.repeat(50)];
  assert.is(readingOf(`${a}, ${b}`).fault, `${a}…${b}, which is no JSON`);
  assert.is(readingOf('{"name":1,"categoryId":1}').fault, 'the name 1, which is no string');
  const pet = { name: 'Rex', categoryId: 1n, status: 'sold' };
  assert.equal(readingOf('{"name":"Rex","categoryId":1,"status":"sold"}').pet, pet);
});

const get = (target: string) => ({ request: { method: 'GET', target, headers: {} } });

/** The segment of the path → the id that is asked for. */
const petIds: readonly (readonly [segments: string, id: ReturnType<typeof readPetId>])[] = [
  ['0', 0n],
  ['7?x=1', 7n],
  ['-12', -12n],
  ['9223372036854775807', 2n ** 63n - 1n],
  ['-9223372036854775808', -(2n ** 63n)],
  ['+1 01 -0 1.0 1. 1_000 1e0 1E+1 0x1F 0b10 0o17 %20-7%20 %31%32 % 1.json 12.json 1;v=1 1%2f2', 'unusual'],
  [
    '9223372036854775808 -9223372036854775809 1.5 1e0x x1e0 0x 1x %20 +9223372036854775808 abc null?7 x1.json x1;v=1 1.j2',
    'not-int64',
  ],
];

test('an id is read from a path, or what parsers and routers may read of it', () => {
  for (const [segments, id] of petIds) {
    for (const segment of segments.split(' ')) assert.is(readPetId(get(`/pets/${segment}`)), id, segment);
  }
  assert.is(readPetId(get('/pets/')), 'not-int64');
});

const { most, usual } = pageLimit;

test('the parameters of a listing are allowed, invalid or open, and bound its page', () => {
  const rows = [
    ['/pets', 'default any', true, usual],
    ['/pets?limit=1&status=sold', '1 sold', true, 1],
    [`/pets?limit=${most}`, `${most} any`, true, most],
    [`/pets?limit=${most + 1}`, 'invalid any', false, most],
    ['/pets?limit=0', 'invalid any', false, most],
    ['/pets?limit=', 'invalid any', false, most],
    ['/pets?limit=5&status=Sold', '5 invalid', false, 5],
    ['/pets?limit=5&limit=5', '5 any open', false, most],
    ['/pets?status=sold&status=sold', 'default sold open', false, most],
    ['/pets?limit=05', 'invalid any open', false, most],
    ['/pets?limit=5.00', 'invalid any open', false, most],
    ['/pets?limit=-05', 'invalid any open', false, most],
    ['/pets?limit=+5', 'invalid any open', false, most],
    ['/pets?limit=5+', 'invalid any open', false, most],
    ['/pets?limit=12.', 'invalid any open', false, most],
    ['/pets?limit=05x', 'invalid any', false, most],
    ['/pets?page=2', 'default any open', false, most],
  ] as const;
  for (const [target, words, isRight, size] of rows) {
    const listing = readListing(get(target));
    assert.is(`${listing.limit} ${listing.status}${listing.isOpen ? ' open' : ''}`, words, target);
    assert.equal([isAllowed(listing), pageSize(listing)], [isRight, size], target);
  }
});

test.run();
