/** What statuses, headers and codes show, and what they do not. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removalOfGetPet } from '../../../spec/facts.ts';
import {
  type Asked,
  accepted,
  animal,
  answer,
  creation,
  lenient,
  listing,
  observe,
  pageOf,
  reading,
  without,
} from './observed-evidence.ts';

const noError = '"No."';

/** An animal that is created with a Location. */
const located = (location?: string): Asked =>
  creation('{"name":"Rex","categoryId":1}', answer(201, animal(7), location === undefined ? {} : { location }));

test('a Location leads to the animal or elsewhere, or there is none', () => {
  assert.is(observe('location-header', [located('http://host/v1/pets/7')]), 'sent #1');
  assert.is(observe('location-header', [located('/pets/7/')]), 'another-address #1');
  assert.is(observe('location-header', [located('/pets/17')]), 'another-address #1');
  assert.is(observe('location-header', [located('/v1/7')]), 'another-address #1');
  assert.is(observe('location-header', [located(), located('/pets/7')]), 'none, sent #1');
  assert.is(observe('location-header', [listing('', answer(200, '[]', { location: '/pets/7' }))]), undefined);
});

test('what answers an id that is no int64 is read from plain requests with the key before the removal', () => {
  const gap = 'pet-id-not-int64';
  assert.is(observe(gap, [reading('x', answer(404))]), 'not-found-404 #1');
  assert.is(observe(gap, [reading('x', answer(404, noError))]), 'refused-otherwise #1');
  assert.is(observe(gap, [reading('x', answer(400)), reading('y', answer(422))]), 'refused-400, refused-422 #1');
  assert.is(observe(gap, [reading('1.5', answer(400, noError))]), 'refused-otherwise #1');
  assert.is(observe(gap, [reading('9223372036854775808', answer(400))]), 'refused-400 #1');
  const silent: readonly Asked[] = [
    reading('7', answer(404)),
    reading('%20', answer(400)),
    reading('x', answer(404), { credential: without }),
    reading('x', answer(404, undefined, { date: new Date(removalOfGetPet).toUTCString() })),
    reading('x', answer(500)),
    { ...reading('x', answer(404)), operation: 'other' },
  ];
  assert.is(observe(gap, silent), undefined);
  const theDayBefore = { date: new Date(removalOfGetPet - 1_000).toUTCString() };
  assert.is(observe(gap, [reading('x', answer(404, undefined, theDayBefore))]), 'not-found-404 #1');
});

test('what answers other methods is no matter of unknown paths', () => {
  const other = (status: number, body?: string, method = 'DELETE'): Asked => ({
    operation: 'other',
    request: { method, target: '/pets/1', headers: {} },
    response: answer(status, body),
  });
  const gap = 'other-operations';
  assert.is(observe(gap, [other(405, '')]), 'refused-405 #1');
  assert.is(observe(gap, [other(501, '')]), 'refused-501 #1');
  assert.is(observe(gap, [other(200)]), 'answered #1');
  assert.is(observe(gap, [other(299)]), 'answered #1');
  assert.is(observe(gap, [other(404)]), 'refused-404 #1');
  assert.is(observe(gap, [other(404, noError), other(301)]), 'refused-otherwise #1');
  assert.is(observe(gap, [other(404, undefined, 'GET'), other(401), other(500)]), undefined);
  assert.is(observe(gap, [reading('1', answer(404))]), undefined);
});

test('another case of Bearer is accepted, or refused as a key that is none, or otherwise', () => {
  const asked = (status: number, body?: string): Asked => listing('', answer(status, body), { credential: lenient });
  assert.is(observe('bearer-case', [asked(200, '[]')]), 'accepted #1');
  assert.is(observe('bearer-case', [asked(401), asked(400)]), 'refused-401, refused-otherwise #1');
  assert.is(observe('bearer-case', [asked(401, noError), asked(500)]), undefined);
  assert.is(observe('bearer-case', [listing('', answer(200, '[]'))]), undefined);
});

test('a refused key is told how to authenticate, or not', () => {
  const refused = (headers = {}): Asked => listing('', answer(401, undefined, headers), { credential: without });
  assert.is(observe('www-authenticate', [refused({ 'www-authenticate': '' })]), 'sent #1');
  assert.is(observe('www-authenticate', [listing('', answer(400)), refused()]), 'none #2');
  assert.is(observe('www-authenticate', [listing('', answer(200, '[]'))]), undefined);
});

/** Codes of two Errors, and the form that both have. */
const forms: readonly (readonly [form: string, one: unknown, other: unknown])[] = [
  ['snake-case', 'bad_request', 'not_found_2'],
  ['snake-case', 'bad', 'n'],
  ['upper-case', 'BAD_REQUEST', 'NOT'],
  ['numeric', '1001', '2'],
  ['kebab-case', 'bad-request', 'not-found-2'],
  ['camel-case', 'badRequest', 'NotFound2'],
  ['camel-case', 'BAD', 'bad'],
  ['words', "Bad request isn't it", 'x'],
  ['words', 'Not-Found', 'x'],
  ['mixed', 'bad_request', 'not-found'],
  ['mixed', 'bad_', 'not_found'],
  ['mixed', '_bad', 'not_found'],
  ['mixed', '1x', '2x'],
  ['mixed', '', 'bad'],
  ['mixed', 'pets.bad', 'bad'],
  ['mixed', ' bad', 'bad'],
  ['mixed', 'BAD_', 'BAD'],
  ['generic', 'error', 'error'],
];

for (const [form, one, other] of forms) {
  test(`the codes ${JSON.stringify(one)} and ${JSON.stringify(other)} are ${form}`, () => {
    const error = (status: number, code: unknown) => answer(status, JSON.stringify({ code, message: 'No.', status }));
    const asked = [listing('', error(400, one)), reading('9', error(404, other))];
    assert.is(observe('error-codes', asked), `${form} #1`);
    assert.is(observe('error-codes', asked.slice(0, 1)), undefined);
    assert.is(observe('error-codes', [asked[0]!, { ...asked[1]!, operation: 'other' }]), undefined);
  });
}

test('Errors of one status say nothing of codes, nor does what is no Error', () => {
  assert.is(observe('error-codes', [reading('8', answer(404)), reading('9', answer(404))]), undefined);
  assert.is(observe('error-codes', [reading('8', answer(404)), listing('', answer(400, '{"code":"x"}'))]), undefined);
});

test('after its removal getPet is judged by animals that are known to be there', () => {
  const after = { date: new Date(removalOfGetPet).toUTCString() };
  const page = listing('', answer(200, pageOf(1)));
  const asked = (status: number, body?: string) => [page, reading('1', answer(status, body, after))];
  const gap = 'after-removal';
  assert.is(observe(gap, asked(200, animal(1))), 'continues #2');
  assert.is(observe(gap, asked(410)), 'gone-410 #2');
  assert.is(observe(gap, asked(410, noError)), 'refused-otherwise #2');
  assert.is(observe(gap, asked(404)), 'not-found-404 #2');
  assert.is(observe(gap, asked(404, noError)), 'refused-otherwise #2');
  assert.is(observe(gap, asked(300, noError)), 'redirected #2');
  assert.is(observe(gap, asked(308, '')), 'redirected #2');
  assert.is(observe(gap, asked(400)), 'refused-otherwise #2');
  assert.is(observe(gap, asked(500)), undefined);
  assert.is(observe(gap, [page, reading('2', answer(410, undefined, after))]), undefined);
  assert.is(observe(gap, [page, reading('x', answer(410, undefined, after))]), undefined);
  assert.is(observe(gap, [page, reading('1', answer(410))]), undefined);
});

test('the removal is announced by Deprecation, by Sunset with or without a link, by another header, or not', () => {
  const asked = (headers: Readonly<Record<string, string>>, status = 200): readonly Asked[] => [
    reading('1', answer(status, status === 200 ? animal(1) : undefined, headers)),
  ];
  const gap = 'deprecation-headers';
  const link = '<https://host/x>; rel="successor-version"';
  const sunset = 'Thu, 05 Dec 2030 00:00:00 GMT';
  assert.is(observe(gap, asked({ deprecation: '@1', sunset, link })), 'deprecation #1');
  for (const rel of ['"successor-version"', 'deprecation', 'SUNSET', '"help deprecation"']) {
    assert.is(observe(gap, asked({ sunset, link: `</x>; rel=${rel}` })), 'sunset #1', rel);
    assert.is(observe(gap, asked({ link: `</x>; rel=${rel}` })), 'other-header #1', rel);
  }
  assert.is(observe(gap, asked({ sunset })), 'sunset-only #1');
  assert.is(observe(gap, asked({ sunset, link: '</sunset>; rel="next"' })), 'sunset-only #1');
  assert.is(observe(gap, asked({ warning: '299 - "x"' })), 'other-header #1');
  assert.is(observe(gap, asked({ link: '</x>; rel="next", <successor-version>' })), 'none #1');
  assert.is(observe(gap, asked({}, 404)), 'none #1');
  assert.is(observe(gap, [...asked({ sunset, link }, 400), ...asked({}, 410), accepted(1)]), undefined);
});

test.run();
