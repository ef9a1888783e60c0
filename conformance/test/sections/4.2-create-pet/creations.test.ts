/** §4.2: what a run learns of names and categories from its creations, and what follows one that was refused. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Session } from '../../../run/session.ts';
import type { Probe } from '../../../run/suite.ts';
import {
  bodyFor,
  type Creation,
  creationsOf,
  learnedAcceptance,
  mayCreate,
  worthSending,
} from '../../../sections/4.2-create-pet/creations.ts';
import { createPet, createPetFrom } from '../../../sections/requests.ts';
import { makeName } from '../../../world/names.ts';
import type { Settings } from '../../../world/settings.ts';
import { exchangesOf, type HandMadeAnswer, sessionOf } from '../evidence.ts';

type Answers = readonly HandMadeAnswer[];

/** A creation with a plain name and category 1, unless it has others. */
function creation(at: number, fields = {}, status = 201): HandMadeAnswer {
  const pet = { name: makeName('abc123', at), categoryId: 1n, ...fields };
  return { request: createPet(pet), status, ...(status === 201 && { body: `{"id":${at}}` }) };
}

const refused = (at: number, fields = {}, status = 422): HandMadeAnswer => creation(at, fields, status);
const accepted = creation(1);
const hard = { name: '🦄' };
const four = [2, 3, 4, 5];
const sessionAfter = (answers: Answers, changes: Partial<Settings> = {}): Session =>
  sessionOf(answers, [], changes).session;

test('hard names and other categories are sent until creations show that they are refused', () => {
  for (const [expected, answers, changes] of [
    ['hard other', []],
    ['hard other', [accepted]],
    // Nothing is accepted.
    ['', [refused(1)]],
    ['', [refused(1), refused(2)]],
    ['other', [accepted], { isDisposable: false }],
    // Each of the first four may hold another part that is refused.
    ['hard other', [accepted, ...four.slice(1).map((at) => refused(at, hard))]],
    ['other', [accepted, ...four.map((at) => refused(at, hard))]],
    ['hard other', [accepted, creation(9, { name: 'Rex' }), ...four.map((at) => refused(at, hard))]],
    // Here the category may be the reason.
    ['hard other', [accepted, ...four.map((at) => refused(at, { ...hard, categoryId: 5n }))]],
    ['hard other', [accepted, ...four.map((at) => refused(at))]],
    // One plain animal with another category is enough, if plain ones are accepted.
    ['hard', [accepted, refused(2, { categoryId: 5n })]],
    ['hard other', [accepted, refused(2, { ...hard, categoryId: 5n })]],
    ['hard other', [accepted, refused(2)]],
    ['hard other', [creation(1, hard), refused(2, { categoryId: 5n })]],
    ['hard other', [accepted, refused(2, { categoryId: 5n }), creation(3, { categoryId: 6n })]],
    ['hard other', [accepted, refused(2, { categoryId: 5n })], { categoryIds: [5n] }],
  ] as readonly (readonly [string, Answers, Partial<Settings>?])[]) {
    const { takesHardNames, takesOtherCategories } = learnedAcceptance(sessionAfter(answers, changes));
    const taken = [takesHardNames ? ['hard'] : [], takesOtherCategories ? ['other'] : []].flat().join(' ');
    assert.is(taken, expected, answers.map(({ request, status }) => `${request.body} ${status}`).join(', '));
  }
});

test('an animal is created where the run may, and one was accepted', () => {
  const may = (answers: Answers, changes?: Partial<Settings>, left = 1) =>
    mayCreate(sessionOf(answers, [], changes, () => left).session);
  assert.equal([may([accepted]), may([]), may([refused(1)])], [true, false, false]);
  assert.equal([may([accepted], { isReadOnly: true }), may([accepted], {}, 0)], [false, false]);
});

const withFront = (tag: string): string => `🦄 ${tag}`;
const write = () => 'written';

test('what is known to be refused is left out of a creation, and categories of the user stand in for others, in turn', () => {
  const wish: Creation = { name: withFront, categoryId: 5n, status: 'sold', write };
  assert.equal(worthSending(sessionAfter([]), wish), wish);
  assert.equal(worthSending(sessionAfter([refused(1)]), wish), { status: 'sold', write, categoryId: undefined });
  const named = (answers: Answers) => worthSending(sessionAfter(answers, { categoryIds: [70n, 71n] }), wish).categoryId;
  assert.equal([named([refused(1)]), named([refused(1), refused(2)])], [71n, 70n]);
  assert.equal(worthSending(sessionAfter([refused(1)]), { status: 'sold' }), { status: 'sold' });
});

test('a body has a name around a tag, a category that is likely, and the status, as its writing has it', () => {
  const session = sessionAfter([]);
  const tag = session.newName();
  assert.is(bodyFor(session, {}), `{"name":"${tag}","categoryId":1}`);
  const all: Creation = { name: withFront, categoryId: 5n, status: 'sold' };
  assert.is(bodyFor(session, all), `{"name":"🦄 ${tag}","categoryId":5,"status":"sold"}`);
  assert.is(bodyFor(session, { write }), 'written');
});

/** Probes, as the bodies that they send without tags: `undefined` where they send nothing. */
const bodiesOf = (probes: readonly Probe[], session: Session): readonly (string | undefined)[] =>
  probes.map(({ request }) => request(session)?.body?.replace(/CF\w+/, 'tag'));

/** What follows an answer to a probe. */
function follow(probe: Probe, session: Session, status: number): readonly Probe[] {
  const body = probe.request(session)?.body ?? '';
  return probe.next!(session, exchangesOf([{ request: createPetFrom(body), status }])[0]!);
}

const both: Creation = { name: withFront, categoryId: 5n, status: 'sold' };
const namedOnly = '{"name":"🦄 tag","categoryId":1,"status":"sold"}';
const otherOnly = '{"name":"tag","categoryId":5,"status":"sold"}';
const ordinary = '{"name":"tag","categoryId":1,"status":"sold"}';

test('a creation waits for the first that is accepted, unless it is one of the first', () => {
  const first = creationsOf()(0, both);
  assert.equal(bodiesOf([first], sessionAfter([])), ['{"name":"🦄 tag","categoryId":5,"status":"sold"}']);
  assert.equal(bodiesOf([first], sessionAfter([], { isReadOnly: true })), [undefined]);
  const later = creationsOf()(4, { status: 'sold' });
  assert.is(later.rank, 4);
  assert.equal(bodiesOf([later], sessionAfter([])), [undefined]);
  assert.equal(bodiesOf([later], sessionAfter([accepted])), [ordinary]);
  assert.equal(bodiesOf([later], sessionAfter([accepted], { isReadOnly: true })), [undefined]);
});

test('a creation that was refused for its content is split into its name and its category', () => {
  const session = sessionAfter([accepted]);
  for (const status of [201, 302, 401, 500, 503]) assert.equal(follow(creationsOf()(4, both), session, status), []);
  for (const status of [400, 403, 499]) {
    const parts = follow(creationsOf()(4, both), session, status);
    assert.equal(bodiesOf(parts, session), [namedOnly, otherOnly]);
    assert.equal(
      parts.map(({ rank }) => rank),
      [4, 4],
    );
    for (const part of parts) assert.equal(bodiesOf(follow(part, session, 400), session), [ordinary]);
  }
  // Before one is accepted, the plainest comes next.
  const none = sessionAfter([]);
  assert.equal(bodiesOf(follow(creationsOf()(0, both), none, 400), none), [ordinary]);
});

test('an ordinary animal that is refused is sent twice more between two that were accepted, once for each shape', () => {
  const session = sessionAfter([creation(1, { status: 'pending' })]);
  const send = creationsOf();
  const control = '{"name":"tag","categoryId":1,"status":"pending"}';
  const again = follow(send(4, { status: 'sold' }), session, 400);
  assert.equal(bodiesOf(again, session), [control, ordinary, ordinary, control]);
  assert.equal(
    again.map(({ rank, next }) => [rank, next]),
    [4, 4, 4, 4].map((rank) => [rank, undefined]),
  );
  assert.equal(follow(send(4, { status: 'sold' }), session, 400), []);
  assert.is(follow(send(4, { status: 'available' }), session, 400).length, 4);
});

test('where none is accepted, three plainer animals follow one after the other, until one is', () => {
  const session = sessionAfter([]);
  const send = creationsOf();
  const plainest = '{"name":"tag","categoryId":1}';
  const [first, ...others] = follow(send(0, { status: 'sold' }), session, 400);
  assert.equal([bodiesOf([first!], session), first!.rank, others], [[plainest], 0, []]);
  // Only once in a run.
  assert.equal(follow(send(0, { status: 'pending' }), session, 400), []);
  const [second] = follow(first!, session, 400);
  const [third] = follow(second!, session, 400);
  assert.equal(bodiesOf([second!, third!], session), [plainest, plainest]);
  assert.equal(follow(third!, session, 400), []);
  // The one that was refused comes again once a plainer one is accepted.
  const later = sessionAfter([accepted]);
  assert.equal(bodiesOf(follow(second!, later, 201), later), [plainest, ordinary, ordinary, plainest]);
});

test.run();
