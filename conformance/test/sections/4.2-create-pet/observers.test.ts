/** Creations show the answer to a gap if they depart from accepted ones in one respect. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenGapId } from '../../../../spec/gaps.ts';
import type { Settings } from '../../../verdict/settings.ts';
import {
  accepted,
  animal,
  answer,
  creation,
  lenient,
  listing,
  observe as observeAll,
  type PartialExchange,
  reading,
  without,
} from '../observer-evidence.ts';

/** The first creation of every run here: a tag for a name, and a category that is known from then on. */
const plain = accepted(1, 'cf-abcdef-01', 1);
const tag = 'cf-abcdef-02';

/** What is refused after the last acceptance may be refused for want of room, so one comes last. */
function observe(
  gap: OpenGapId,
  asked: readonly PartialExchange[],
  settings: Partial<Settings> = {},
): string | undefined {
  return observeAll(gap, [...asked, accepted(90, 'cf-abcdef-90')], settings);
}

/** A creation by its body, without the braces, and its answer. */
const sent = (fields: string, status: number, part: PartialExchange = {}): PartialExchange => ({
  ...creation(`{${fields}}`, answer(status, status === 201 ? animal(2) : undefined)),
  ...part,
});

/** For each question a body that departs in this alone, and the statuses that refuse it. */
const departures: readonly (readonly [
  gap: OpenGapId,
  fields: string,
  named: readonly number[],
  contentType?: string,
])[] = [
  ['known-categories', `"name":"${tag}","categoryId":77`, [400, 404, 409, 422]],
  ['duplicate-names', '"name":"cf-abcdef-01","categoryId":1', [400, 409, 422]],
  ['extra-body-fields', `"name":"${tag}","categoryId":1,"colour":"brown"`, [400, 422]],
  ['client-sent-id', `"name":"${tag}","categoryId":1,"id":5`, [400, 409, 422]],
  ['integer-written-as-decimal', `"name":"${tag}","categoryId":1.0`, [400, 422]],
  ['integer-written-as-decimal', `"name":"${tag}","categoryId" : 10E-1`, [400, 422]],
  ['other-media-type', `"name":"${tag}","categoryId":1`, [400, 415, 422], 'text/plain'],
  ['other-media-type', `"name":"${tag}","categoryId":1`, [400, 415, 422], ''],
];

for (const [gap, fields, named, contentType] of departures) {
  const asked = (status: number, part: PartialExchange = {}): PartialExchange => {
    const { request, ...rest } = sent(fields, status, part);
    return { ...rest, request: creation(request!.body!, answer(200), contentType).request! };
  };

  test(`${gap}: a refusal is known by its status (${fields}, ${contentType ?? 'JSON'})`, () => {
    for (const status of [400, 404, 409, 415, 422, 418]) {
      const expected = named.includes(status) ? `refused-${status}` : 'refused-otherwise';
      assert.is(observe(gap, [plain, asked(status)]), `${expected} #2`, String(status));
    }
    for (const status of [401, 429, 500]) assert.is(observe(gap, [plain, asked(status)]), undefined, String(status));
    assert.is(observe(gap, [plain, asked(400, { credential: without })]), undefined);
    assert.is(observe(gap, [plain, asked(400, { operation: 'other' })]), undefined);
  });

  test(`${gap}: a refusal for something else as well tells nothing (${fields}, ${contentType ?? 'JSON'})`, () => {
    const refused = asked(400);
    const { body = '', headers } = refused.request!;
    const [name, category] = [/"name":"[^"]*"/, /"categoryId"/];
    const others = [
      ...(gap === 'duplicate-names' ? [] : [body.replace(name, '"name":"a strange one"')]),
      ...(gap === 'client-sent-id' ? [] : [body.replace(category, '"id":8,"categoryId"')]),
      ...(gap === 'extra-body-fields' ? [] : [body.replace(category, '"age":8,"categoryId"')]),
      ...(gap === 'known-categories' ? [] : [body.replace(/"categoryId" ?: ?1/, '"categoryId":21')]),
    ];
    for (const other of others) {
      const both = { ...refused, request: { ...refused.request!, body: other, headers } };
      assert.is(observe(gap, [plain, both]), undefined, other);
    }
  });
}

test('a plain creation shows no answer to any gap', () => {
  for (const [gap] of departures) assert.is(observe(gap, [plain, accepted(2)]), undefined, gap);
});

test('an accepted creation shows acceptance of each of its departures', () => {
  const strange = '"name":"a strange one","categoryId":1';
  assert.is(observe('duplicate-names', [plain, sent(strange, 201), sent(strange, 201)]), 'accepted #3');
  assert.is(observe('integer-written-as-decimal', [plain, sent('"name":"x","categoryId":1e0', 201)]), 'accepted #2');
  const asText = { ...creation(`{${strange}}`, answer(201, animal(2)), 'application/jsonx') };
  assert.is(observe('other-media-type', [plain, asText]), 'accepted #2');
  const withCharset = creation(`{${strange}}`, answer(201, animal(2)), 'APPLICATION/JSON; charset=utf-8');
  assert.is(observe('other-media-type', [plain, withCharset]), undefined);
});

test('a 415 is observed whatever its body', () => {
  const limits = { 'x-ratelimit-limit': '60' };
  const refused = creation(`{"name":"${tag}","categoryId":1}`, { ...answer(415, ''), headers: limits }, 'text/plain');
  assert.is(observe('other-media-type', [plain, refused]), 'refused-415 #2');
  const noError = creation(`{"name":"${tag}","categoryId":1}`, { ...answer(422, ''), headers: limits }, 'text/plain');
  assert.is(observe('other-media-type', [plain, noError]), 'refused-otherwise #2');
});

test('a plain name is no departure only after one was accepted', () => {
  const refused = sent(`"name":"${tag}","categoryId":1,"age":3`, 400);
  assert.is(observeAll('extra-body-fields', [refused, accepted(1, 'Rex')]), undefined);
  assert.is(
    observe('extra-body-fields', [plain, sent('"name":"x cf-abcdef-02","categoryId":1,"age":3', 400)]),
    undefined,
  );
  assert.is(observe('extra-body-fields', [plain, refused]), 'refused-400 #2');
  const known = sent('"name":"Rex","categoryId":1,"age":3', 400);
  assert.is(observe('extra-body-fields', [known, accepted(1, 'Rex')]), 'refused-400 #1');
});

test('a body that is no animal shows nothing', () => {
  for (const fields of [
    '"name":3,"categoryId":77',
    `"name":"${tag}","categoryId":"77"`,
    '"name":"\\ud800","categoryId":77',
    `"name":"${tag}"`,
  ]) {
    assert.is(observe('known-categories', [plain, sent(fields, 400)]), undefined, fields);
  }
  assert.is(observe('known-categories', [plain, creation('[]', answer(400)), creation('{', answer(400))]), undefined);
});

test('categories are accepted if one is that the service cannot know', () => {
  const gap = 'known-categories';
  assert.is(observe(gap, [plain, accepted(2, tag, 77)]), 'accepted #2');
  assert.is(observe(gap, [plain, accepted(2, tag, 77)], { categoryIds: [77n] }), undefined);
  const others = listing('', answer(200, `[${animal(9, { categoryId: 77 })},3]`));
  assert.is(observe(gap, [others, plain, accepted(2, tag, 77)]), undefined);
  const ours = listing('', answer(200, `[${animal(2, { categoryId: 77 })}]`));
  assert.is(observe(gap, [plain, accepted(2, tag, 77), ours]), 'accepted #2');
  const refused = sent(`"name":"cf-abcdef-03","categoryId":88`, 409);
  assert.is(observe(gap, [plain, accepted(2, tag, 77), refused]), 'refused-409 #3');
});

test('a field is kept if it comes back, at once or in a later read of that animal', () => {
  const gap = 'extra-body-fields';
  const fields = '"name":"cf-abcdef-02","categoryId":1,"colour":"brown"';
  const kept = animal(2, { colour: 'red' });
  const asked = (returned: string): PartialExchange => creation(`{${fields}}`, answer(201, returned));
  assert.is(observe(gap, [plain, asked(animal(2))]), 'ignored #2');
  assert.is(observe(gap, [plain, asked(animal(2, { status: 'sold' }))]), 'ignored #2');
  assert.is(observe(gap, [plain, asked(kept)]), 'kept #2');
  assert.is(observe(gap, [plain, asked(animal(2)), reading(2, answer(200, kept))]), 'kept #2');
  assert.is(observe(gap, [plain, asked(animal(2)), listing('', answer(200, `[${kept}]`))]), 'kept #2');
  assert.is(observe(gap, [plain, reading(2, answer(200, kept)), asked(animal(2))]), 'ignored #3');
  assert.is(observe(gap, [plain, asked(animal(2)), reading(3, answer(200, kept.replace('2', '3')))]), 'ignored #2');
  assert.is(observe(gap, [plain, asked(animal(2)), reading(2, answer(200, animal(2, { age: 3 })))]), 'ignored #2');
});

test("a client's id is ignored unless it becomes the id of the animal", () => {
  const asked = (id: number): PartialExchange =>
    creation(`{"name":"${tag}","categoryId":1,"id":${id}}`, answer(201, animal(5)));
  assert.is(observe('client-sent-id', [plain, asked(4)]), 'ignored #2');
  assert.is(observe('client-sent-id', [plain, asked(5)]), undefined);
});

test('a creation with a refused form of the key shows nothing', () => {
  const refused = sent(`"name":"${tag}","categoryId":77`, 401, { credential: lenient });
  assert.is(observe('known-categories', [plain, refused]), undefined);
});

test.run();
