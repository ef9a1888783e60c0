/** What is drawn: pairs of every kind, and sequences that cross fields, values, ways of writing, keys and what came before. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pageLimit, petStatuses } from '../../../spec/operations.ts';
import { mustBeRefused } from '../../http/exchange.ts';
import { isAllowed, queryOf, readListing, readNewPet } from '../../http/read-request.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Session } from '../../run/session.ts';
import { anySequence, type DrawnRequest, everyPair } from '../../sections/drawn-requests.ts';
import { createPet } from '../../sections/requests.ts';
import { commonParts, lookAlikes, pieces, rareParts } from '../../sections/values.ts';
import type { Settings } from '../../world/settings.ts';
import { fc } from '../properties.ts';
import { created, type HandMadeAnswer, sessionOf } from './evidence.ts';

const sessionAfter = (answers: readonly HandMadeAnswer[], changes: Partial<Settings> = {}): Session =>
  sessionOf(answers, [], changes).session;
const accepted = [created(5), created(6)];

const draw = (arbitrary: fc.Arbitrary<readonly DrawnRequest[]>, numRuns: number) =>
  fc.sample(arbitrary, { seed: 1, numRuns });

const asRequested = ({ method = 'GET', target, body, contentType }: PlannedRequest) => {
  const headers = contentType === undefined ? {} : { 'content-type': contentType };
  return { request: { method, target, headers, ...(body !== undefined && { body }) } };
};

/** The status in a query or in the body of a valid creation. */
function statusIn(request: PlannedRequest): string | undefined {
  if (request.operation === 'listPets') return queryOf(asRequested(request)).get('status') ?? undefined;
  const reading = readNewPet(asRequested(request));
  return reading.kind === 'valid' ? reading.pet.status : undefined;
}

const isBad = ({ credential }: PlannedRequest): boolean => credential !== undefined && mustBeRefused(credential.shown);

test('one pair of every kind is drawn in any order, some with a key that must be refused', () => {
  const session = sessionAfter(accepted);
  const seen = new Set<string>();
  const orders = new Set<string>();
  const pairsOfStatuses = new Set<string>();
  let withoutLimit = 0;
  for (const requests of draw(everyPair(session), 40)) {
    assert.is(requests.length, 24);
    const kinds: string[] = [];
    for (let at = 0; at < requests.length; at += 2) {
      const pair = requests.slice(at, at + 2).map((requestOf) => requestOf(session));
      // A large body is sent with no bad key.
      const [first, second] = pair;
      if (first === undefined || second === undefined) continue;
      const kind = [first, second].map((one) => `${one.operation}${isBad(one) ? '!' : ''}`).join(' ');
      kinds.push(kind);
      withoutLimit += [first, second].filter(({ target }) => /\?status=\w+$/.test(target)).length;
      const statuses = [first, second].map(statusIn);
      assert.ok(
        statuses.every((status) => status !== undefined),
        kind,
      );
      if (kind.includes('createPet')) assert.is.not(statuses[0], statuses[1]);
      else pairsOfStatuses.add(String(statuses[0] === statuses[1]));
    }
    assert.is(new Set(kinds).size, kinds.length);
    for (const kind of kinds) seen.add(kind);
    orders.add(kinds.join());
  }
  assert.equal(
    [...seen].toSorted(),
    ['listPets', 'createPet']
      .flatMap((one) =>
        ['listPets', 'createPet'].flatMap((other) => [`${one} ${other}`, `${one}! ${other}`, `${one} ${other}!`]),
      )
      .toSorted(),
  );
  assert.ok(orders.size > 30 && pairsOfStatuses.size === 2 && withoutLimit > 20, `${orders.size} ${withoutLimit}`);
});

/** All requests of many sequences, those that a session can send. */
function drawnFor(session: Session, sequences = 600): readonly PlannedRequest[] {
  return draw(anySequence(session), sequences).flatMap((requests) =>
    requests.flatMap((requestOf) => requestOf(session) ?? []),
  );
}

const drawn = drawnFor(sessionAfter(accepted));
const ofOperation = (operation: PlannedRequest['operation']) =>
  drawn.filter((request) => request.operation === operation && !isBad(request));

test('a sequence has six steps of one request or two', () => {
  for (const requests of draw(anySequence(sessionAfter(accepted)), 50))
    assert.ok(requests.length >= 6 && requests.length <= 12, String(requests.length));
});

test('listings have a limit below the number of animals, or none, with any status, in either order', () => {
  const queries = ofOperation('listPets').map(({ target }) => target.split('?')[1] ?? '');
  const limits = new Set(queries.flatMap((query) => /limit=([1-9]|[1-5]\d|60)(&|$)/.exec(query)?.[1] ?? []));
  assert.ok(limits.size > 40, String(limits.size));
  for (const status of petStatuses) {
    const ofStatus = queries.filter((query) => query.includes(`status=${status}`));
    for (const form of [/^status=\w+$/, /^limit=\d+&status=\w+$/, /^status=\w+&limit=\d+$/])
      assert.ok(
        ofStatus.some((query) => form.test(query)),
        `${status} ${form}`,
      );
  }
  const wrong = ofOperation('listPets').filter((one) => !isAllowed(readListing(asRequested(one))));
  const values = new Set(wrong.flatMap((one) => queryOf(asRequested(one)).get('limit') ?? []));
  for (const value of [`${pageLimit.most + 1}`, `${10 * pageLimit.most}`, 'abc', '0'])
    assert.ok(values.has(value), value);
  assert.not.ok(queries.some((query) => query.includes('undefined')));
  // What no row of the tables has: large limits in either order, and wrong limits beside a status.
  for (const form of [/^status=\w+&limit=[2-4][1-9]$/, /^limit=[2-4][1-9]&status=\w+$/, /limit=60&|limit=60$/])
    assert.ok(
      queries.some((query) => form.test(query)),
      String(form),
    );
  for (const limit of [pageLimit.most + 1, 10 * pageLimit.most]) {
    const form = new RegExp(`limit=${limit}&status=pending|status=pending&limit=${limit}$`);
    assert.ok(
      queries.some((query) => form.test(query)),
      String(form),
    );
  }
  assert.ok(wrong.some(({ target }) => /limit=(abc|0|-1).*status=sold|status=sold.*limit=(abc|0|-1)/.test(target)));
});

const creations = ofOperation('createPet');
const readings = creations.map((one) => readNewPet(asRequested(one)));

test('valid animals have any category and status, names around a tag, and any writing', () => {
  const pets = readings.flatMap((reading) => (reading.kind === 'valid' ? [reading.pet] : []));
  assert.ok(pets.length > 150, String(pets.length));
  assert.equal(new Set(pets.map(({ status }) => status)), new Set([...petStatuses, undefined]));
  assert.ok(new Set(pets.map(({ categoryId }) => categoryId)).size > 40);
  assert.ok(pets.some(({ name }) => /CF[a-p]{6}[a-z]{3}n{20,}$/.test(name)));
  const ends = pets.flatMap(({ name }) => /CF[a-p]{6}[a-z]{3}(.+)$/s.exec(name)?.[1] ?? []);
  assert.ok(ends.some((end) => [...commonParts, ...rareParts, ...pieces].includes(end)));
  const bodies = creations.map(({ body = '' }) => body);
  for (const writing of [/^\{"name"/, /^ \{ "name" : /, /^\{"status"/, /\\u006Eame/, /\\u006ea\\u006De/, /\n {0,1}\{/])
    assert.ok(
      bodies.some((body) => writing.test(body)),
      String(writing),
    );
});

test('an animal with a wrong value has one in each field, in any writing, and nothing of its place in the template', () => {
  const inputs = readings.flatMap((reading) => (reading.kind === 'invalid' ? [reading.input?.name ?? ''] : []));
  for (const field of ['name', 'categoryId', 'status']) assert.ok(inputs.includes(field), field);
  for (const { body = '' } of creations) assert.not.match(body, /1234567890123456789|%[NTPpJCMIV]\b/);
  const wrong = creations.filter((_one, at) => readings[at]?.kind === 'invalid');
  assert.ok(wrong.length > 0);
  const fields = creations.flatMap(({ body = '' }, at) => {
    const reading = readings[at]!;
    return reading.kind === 'invalid' && /^[ \t\r\n]/.test(body) ? [reading.input?.name] : [];
  });
  for (const field of ['name', 'categoryId', 'status'] as const) assert.ok(fields.includes(field), field);
});

test('reads are of animals of the run, alone or with a sign behind the id', () => {
  const targets = ofOperation('getPet').map(({ target }) => target);
  for (const id of [5, 6]) assert.ok(targets.includes(`/pets/${id}`), String(id));
  const signs = '- ~ ! & * : $ @ = %25 %7C %20 %22 n x'.split(' ');
  const isRead = (behind: string): boolean =>
    targets.includes(`/pets/5${behind}`) || targets.includes(`/pets/6${behind}`);
  for (const sign of signs) assert.ok(isRead(sign) || isRead(`${sign}7`), sign);
  for (const rest of ['', '1', '7']) assert.ok(signs.filter((sign) => isRead(`${sign}${rest}`)).length > 5, rest);
  assert.not.ok(targets.some((target) => /[56]undefined/.test(target)));
});

test('any animal of the run is read', () => {
  const twelve = Array.from({ length: 12 }, (_nothing, at) => created(at + 20));
  const targets = new Set(drawnFor(sessionAfter(twelve)).map(({ target }) => target));
  const read = twelve.filter((_one, at) => targets.has(`/pets/${at + 20}`));
  assert.ok(read.length > 6, String(read.length));
});

test('only small bodies are sent with a bad key, which is one of all', () => {
  const bad = drawn.filter(isBad);
  assert.ok(new Set(bad.map(({ credential }) => credential!.shown.id)).size > 15);
  assert.ok(bad.every(({ body = '' }) => body.length < 250));
  assert.ok(bad.some(({ body = '' }) => body.length > 50));
});

test('a run that only reads, has accepted nothing, or is past the removal of getPet sends none of that', () => {
  const readOnly = drawnFor(sessionAfter(accepted, { isReadOnly: true }), 30);
  assert.ok(readOnly.length > 50 && readOnly.every(({ operation }) => operation !== 'createPet'));
  const removed = drawnFor(sessionAfter(accepted, { today: Date.UTC(2031, 0, 1) }), 30);
  assert.ok(removed.length > 50 && removed.every(({ operation }) => operation !== 'getPet'));
  const valid = drawnFor(sessionAfter([]), 30).filter(
    (one) => one.operation === 'createPet' && readNewPet(asRequested(one)).kind === 'valid',
  );
  assert.not.ok(drawnFor(sessionAfter([]), 60).some(({ target }) => /undefined./.test(target)));
  // The first animals of the tables alone.
  assert.ok(valid.every(({ credential }) => credential === undefined));
});

test('names of the tables are drawn one after the other, those that no animal has yet', () => {
  const namesAfter = (...names: readonly string[]): readonly string[] => {
    const taken = names.map((name, at): HandMadeAnswer => {
      return { request: createPet({ name, categoryId: 1n }), status: 201, body: `{"id":${at + 10}}` };
    });
    return drawnFor(sessionAfter([...accepted, ...taken]), 60).flatMap((one) => {
      const reading = one.operation === 'createPet' ? readNewPet(asRequested(one)) : undefined;
      return reading?.kind === 'valid' ? [reading.pet.name] : [];
    });
  };
  const alone = lookAlikes.flat();
  const isAlone = (name: string): boolean => alone.includes(name);
  const names = namesAfter().filter((name) => isAlone(name) || /^ {2}CF\w+ .* $/.test(name));
  // The rows of the tables, which are drawn as well, repeat some.
  assert.ok(new Set(names).size > 30 && names.length - new Set(names).size < 10, names.join(', '));
  assert.ok(names.filter(isAlone).length > 10);
  assert.ok(pieces.some((piece) => names.some((name) => name.includes(` ${piece} `))));
  const left = namesAfter(...alone).filter(isAlone);
  assert.ok(left.length < 5, left.join(', '));
});

test.run();
