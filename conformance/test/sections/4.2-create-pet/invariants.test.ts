/** A refusal of a valid body fails only if nothing that the interface leaves open explains it; an invalid body gets 400. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeJson } from '../../../http/json.ts';
import { whyNothingIsCreated } from '../../../sections/4.2-create-pet/advice.ts';
import { createPet, createPetFrom, listPets } from '../../../sections/requests.ts';
import { categories, names, quotaOf, refusing, roomFor, uniqueNames } from '../../../services/creations.ts';
import { changeCreation, errorAnswer, layers, type Wrap } from '../../../services/wraps.ts';
import { type Bench, createBench } from '../bench.ts';
import { failuresIn, heldIn } from '../evidence.ts';

/** Sends bodies by their letters: plain animals, those that differ in what the interface fixes or leaves open, and invalid ones. */
async function sendBodies({ session }: Bench, letters: string): Promise<void> {
  let last = '';
  for (const letter of letters) {
    const plain = { name: session.newName(), categoryId: 1n, status: 'available' };
    const bodies: Readonly<Record<string, () => string>> = {
      v: () => writeJson(plain),
      s: () => writeJson({ ...plain, status: 'sold' }),
      w: () => writeJson(plain).replaceAll(':', ': '),
      c: () => writeJson({ ...plain, categoryId: 2n, status: 'sold' }),
      h: () => writeJson({ ...plain, name: `${plain.name} 🦄`, status: 'sold' }),
      '=': () => last,
      x: () => '{"categoryId":1}',
      g: () => writeJson({ ...plain, status: 'gone' }),
      G: () => writeJson({ ...plain, name: `${plain.name} 🦄`, status: 'gone' }),
      C: () => writeJson({ ...plain, categoryId: 2n, status: 'gone' }),
      u: () => writeJson({ ...plain, status: 'gone', colour: 'brown' }),
      '[': () => '[1]',
      // 400, 4,203, 4,097 and 4,096 bytes.
      b: () => `[${'1,'.repeat(200)}1]`,
      B: () => `[${'1,'.repeat(2_100)}1]`,
      k: () => `[${'1,'.repeat(2_046)}101]`,
      K: () => `[${'1,'.repeat(2_046)}10]`,
    };
    last = bodies[letter]!();
    await session.send(createPetFrom(last));
  }
}

const refusingIf = (matches: (body: string) => boolean, status = 400): Wrap =>
  changeCreation((answer, { text }) => (matches(text) ? errorAnswer(status, answer) : undefined));

const sold = (status: number): Wrap => refusingIf((body) => body.includes('"sold"'), status);
/** Refuses every nth creation that matches. */
const now = (pattern: RegExp, isRefused: (count: number) => boolean, status = 400): Wrap => {
  let count = 0;
  return refusingIf((body) => {
    if (pattern.test(body)) count += 1;
    return pattern.test(body) && isRefused(count);
  }, status);
};

/** A service that refuses creations with this status instead of 400. */
const insteadOf400 =
  (status: number): Wrap =>
  (handle) =>
  (request, moment) => {
    const answer = handle(request, moment);
    return request.method === 'POST' && answer.status === 400 ? errorAnswer(status, answer) : answer;
  };

const differs = (what: string, status: number) => [
  `expected 201 as for a body that differs only in ${what}, received ${status}`,
];
const another = (status: number) => [`expected 201 or a refusal (4xx) to a valid body, received ${status}`];

/** What creations of valid bodies show, by the bodies that are sent. */
const rows: readonly (readonly [wrap: Wrap, letters: string, expected: readonly string[]])[] = [
  [sold(422), 'vsvs', differs('the status sold', 422)],
  [refusingIf((body) => body.includes(': ')), 'vwwv', differs('the way its JSON is written and sent', 400)],
  [refusingIf((body) => !body.includes('"sold"')), 'ssvvs', differs('the status available', 400)],
  // Once, or without similar ones before and after.
  [sold(422), 'vsv', []],
  [sold(422), 'ssv', []],
  [sold(422), 'vss', []],
  // One name may be refused.
  [sold(422), 'vs=v', []],
  // A store may be full for a while.
  [now(/"sold"/, (count) => count % 3 !== 0, 409), 'vsssv', []],
  // Any category and any name may be refused.
  [refusingIf((body) => /"categoryId":2|🦄/u.test(body), 409), 'vchvchv', []],
  ...[200, 202, 302, 500].map(
    (status) => [refusingIf((body) => body.includes('🦄'), status), 'h', another(status)] as const,
  ),
];

test('a valid body is answered 201, or refused for what the interface leaves open', async () => {
  for (const [wrap, letters, expected] of rows) {
    const bench = createBench({ wrap });
    await sendBodies(bench, letters);
    assert.equal(bench.failures('create-answer'), expected, letters);
  }
});

test('a name that an earlier animal has may be refused, since names may have to be unique', async () => {
  const { session, failures } = createBench({ wrap: uniqueNames(400) });
  const name = session.newName();
  const send = (status: string, other = name) => session.send(createPet({ name: other, categoryId: 1n, status }));
  await send('available');
  for (let sent = 0; sent < 2; sent += 1) {
    await send('sold');
    await send('available', session.newName());
  }
  assert.equal(failures('create-answer'), []);
});

const to = (what: string, status: number) => [`expected 400 to ${what}, received ${status}`];
const gone = 'the status "gone", which is no PetStatus';
const noObject = 'the body [1], which is no object';
const start = `the body [${'1,'.repeat(58)}..., which is no object`;

/** What invalid bodies show. */
const invalid: readonly (readonly [wrap: Wrap, letters: string, expected: readonly string[]])[] = [
  [insteadOf400(422), 'vg', to(gone, 422)],
  // Nothing shows that the rest of the body is accepted.
  [insteadOf400(422), 'g', []],
  [insteadOf400(422), 'vu', []],
  [layers(insteadOf400(422), categories(400, 2n)), 'cg', []],
  [layers(insteadOf400(422), names(400, /🦄/u)), 'hg', []],
  [insteadOf400(422), 'vG', []],
  [insteadOf400(422), 'vC', []],
  // Large bodies may be refused with 413, those beyond 4 KiB with any 4xx.
  [insteadOf400(413), 'vBb', []],
  [insteadOf400(413), 'vb[', to(noObject, 413)],
  [insteadOf400(422), 'vk', []],
  [insteadOf400(422), 'vK', to(start, 422)],
  [insteadOf400(415), 'v[', to(noObject, 415)],
  [insteadOf400(401), 'v[', []],
  [insteadOf400(500), 'vk', to(start, 500)],
  [insteadOf400(201), 'vx', to('a body without name', 201)],
  // What refuses an ordinary body alike may have read neither.
  [quotaOf(2, 403), 'vvxvx', []],
  [quotaOf(2, 403), 'vvx', to('a body without name', 403)],
  [insteadOf400(422), 'vxv', to('a body without name', 422)],
];

test('an invalid body must be refused with 400 if the rest of it is accepted; otherwise any refusal is legal', async () => {
  for (const [wrap, letters, expected] of invalid) {
    const bench = createBench({ wrap });
    await sendBodies(bench, letters);
    const ids = ['create-required-fields', 'create-invalid-values', 'create-malformed-body'] as const;
    assert.equal(ids.flatMap(bench.failures), expected, letters);
  }
});

const body = '{"name":"cf-1a2b3c-01","categoryId":1}';
const marked = { request: createPetFrom('{"name":"cf-1a2b3c-01"}'), status: 400 };
const drawn = `${2n ** 40n + 5n}`;
const page = (...animals: readonly object[]) => ({ request: listPets('limit=100'), body: JSON.stringify(animals) });
const animal = { id: 9, name: 'cf-1a2b3c-01', categoryId: 1 };

test('an animal with the mark of a refused body was stored, unless another request may have stored it', () => {
  const stored = /^create-refused-stores-nothing$/;
  const codes = (...answers: Parameters<typeof failuresIn>[0]) =>
    failuresIn(answers, stored).map(({ failure }) => failure.code);
  assert.equal(codes(marked, page(animal)), ['refused-yet-stored']);
  assert.equal(codes(page(animal), marked), []);
  for (const status of [201, 500]) {
    assert.equal(
      codes(marked, { request: createPetFrom(body), status, body: JSON.stringify(animal) }, page(animal)),
      [],
    );
  }
  const byCategory = { request: createPetFrom(`{"categoryId":${drawn}}`), status: 400 };
  assert.equal(codes(byCategory, page({ ...animal, name: 'x', categoryId: Number(drawn) })), ['refused-yet-stored']);
  assert.equal(codes({ request: createPetFrom('{"categoryId":1}'), status: 400 }, page(animal)), []);
  assert.equal(heldIn([marked, page()], stored), ['create-refused-stores-nothing']);
  assert.equal(heldIn([page(), marked], stored), []);
  assert.equal(heldIn([marked, { request: listPets('status=sold'), body: '[]' }], stored), []);
  assert.equal(
    heldIn([marked, { request: listPets('limit=1'), body: JSON.stringify([{ ...animal, name: 'x' }]) }], stored),
    [],
  );
});

test('only a name that is unique to the run shows that a creation was carried out twice', () => {
  const codes = (name: string, changes?: { readonly nameTemplate: string }): readonly string[] => {
    const answers = [
      { request: createPet({ name, categoryId: 1n }), status: 201, body: JSON.stringify({ ...animal, name }) },
      page({ ...animal, name, id: 2 }, { ...animal, name }),
    ];
    return failuresIn(answers, /^create-answer$/, changes).map(({ failure }) => failure.code);
  };
  assert.equal(codes('cf-1a2b3c-01'), ['created-twice']);
  assert.equal(codes('0'), []);
  assert.equal(codes('Pet bklcmdab', { nameTemplate: 'Pet {n}' }), ['created-twice']);
  assert.equal(codes('Pet', { nameTemplate: 'Pet' }), []);
});

test('if nothing is created, the reason quotes the target and names the option that helps', async () => {
  for (const [wrap, reason] of [
    [refusing(409, () => 'No.'), /409 "No\.": give a category .* --category-id, or describe .* with --name TEMPLATE/],
    [refusing(403, () => 'Not for this key.'), /with 403 "Not for this key\.": .*--read-only/],
    [refusing(400, () => 'x'.repeat(500)), /400 "x{160}…"/],
    [roomFor(0), /409 "The store is full\."/],
    [roomFor(1), /^$/],
  ] as const) {
    const bench = createBench({ wrap });
    assert.is(whyNothingIsCreated(bench.session), undefined);
    await sendBodies(bench, 'vs');
    assert.match(whyNothingIsCreated(bench.session) ?? '', reason);
  }
});

test.run();
