/** §4.2: the bodies of creations by rank, what is sent in place of the marks of a table, and what is sent at the same time. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../http/exchange.ts';
import { writeJson } from '../../../http/json.ts';
import { readNewPet, type SentPet } from '../../../http/read-request.ts';
import type { PlannedRequest } from '../../../run/planned-request.ts';
import type { Session } from '../../../run/session.ts';
import type { Probe, RunState, Scenario } from '../../../run/suite.ts';
import { createPetProbes, fillBody } from '../../../sections/4.2-create-pet/probes.ts';
import { createPet, createPetFrom } from '../../../sections/requests.ts';
import { boundaries, invalidBodies, openBodies } from '../../../sections/values.ts';
import type { Settings } from '../../../world/settings.ts';
import { created, exchangesOf, type HandMadeAnswer, sessionOf, sold } from '../evidence.ts';

type Answers = readonly HandMadeAnswer[];

const sessionAfter = (answers: Answers, changes: Partial<Settings> = {}): Session =>
  sessionOf(answers, [], changes).session;

function probesOf(id: string, session: Session): readonly Probe[] {
  const kind = createPetProbes.find((check) => 'probes' in check && check.id === id);
  assert.ok(kind && 'probes' in kind);
  return kind.probes(session);
}

function petIn({ body = '', contentType }: PlannedRequest): SentPet {
  const headers = { 'content-type': contentType ?? '' };
  const reading = readNewPet({ request: { method: 'POST', target: '/pets', headers, body } });
  assert.ok(reading.kind === 'valid', body);
  return reading.pet;
}

/** The rank of each creation, and the animal that it sends. */
function creationsAfter(answers: Answers) {
  const session = sessionAfter(answers);
  return probesOf('creations', session).flatMap(({ rank, request }) => {
    const planned = request(session);
    return planned === undefined ? [] : [{ rank, body: planned.body!, ...petIn(planned) }];
  });
}

const accepted = created(5);

test('the first animals have the hardest names and the farthest categories, and the third is ordinary but for its writing', () => {
  const first = creationsAfter([]);
  assert.equal(
    first.map(({ rank, categoryId, status }) => [rank, categoryId, status]),
    [
      [0, 2n ** 53n + 1n, 'available'],
      [0, 2n ** 63n - 1n, 'sold'],
      [0, 1n, undefined],
    ],
  );
  assert.ok(first[1]!.body.includes('\\u00') && first[2]!.body.includes('\\u006ea'));
});

test('an ordinary animal follows of each status that no accepted one has', () => {
  const early = (...answers: Answers) =>
    creationsAfter(answers).flatMap(({ rank, status }) => (rank === 2.12 ? [status] : []));
  assert.equal(early(accepted), ['available', 'pending', 'sold']);
  assert.equal(early(accepted, created(6, sold)), ['available', 'pending']);
  const refused = { ...created(6, sold), status: 400 };
  assert.equal(early(accepted, refused), ['available', 'pending', 'sold']);
});

test('later animals have one boundary of categories after the other, each fourth an ordinary one, and every status', () => {
  const later = creationsAfter([accepted]).filter(({ rank }) => rank > 3);
  assert.equal(
    later.map(({ rank }) => rank),
    [3.5, 3.5, ...Array.from({ length: 18 }, () => 4)],
  );
  const isOrdinary = (at: number): boolean => at % 4 === 3;
  const categories = later.map(({ categoryId }) => categoryId);
  assert.equal(
    categories.filter((_category, at) => !isOrdinary(at)),
    boundaries.slice(0, 15),
  );
  assert.ok(categories.every((category, at) => !isOrdinary(at) || category === 1n));
  const [a, p, s] = ['available', 'pending', 'sold'];
  const none = undefined;
  assert.equal(
    later.map(({ status }) => status),
    [a, p, s, none, p, s, none, a, s, none, a, p, none, a, p, s, a, p, s, none],
  );
  // Of each four the first and the third are written as usual.
  for (const [at, { body, name, categoryId, status }] of later.entries()) {
    const usual = writeJson({ name, categoryId, ...(status !== undefined && { status }) });
    if (at % 2 === 0) assert.is(body, usual);
  }
  const unusual = later.filter(({ body }, at) => at % 2 === 1 && !/^\{"name":"[^"\\]*","categoryId":\d+/.test(body));
  assert.ok(unusual.length >= 8, String(unusual.length));
  // Names like values carry no tag, those with a text around it do, and each fourth is a tag alone.
  const tags = later.map(({ name }) => /CF[a-p]{6}[a-z]{3}/.test(name));
  assert.equal(
    tags,
    later.map((_pet, at) => at % 2 === 1),
  );
  assert.ok(later.every(({ name }, at) => /^CF[a-p]{6}[a-z]{3}$/.test(name) === isOrdinary(at)));
});

test('each mark of a table stands for a name, a category or an animal of the run', () => {
  const session = sessionAfter([accepted]);
  const tag = session.newName();
  const pet = `{"name":"${tag}","categoryId":1}`;
  for (const [template, body] of [
    ['%N', `"${tag}"`],
    ['%T %T', `${tag} ${tag}`],
    ['%P', pet],
    ['{"a":1,%p', `{"a":1,${pet.slice(1)}`],
    ['%J', JSON.stringify(pet)],
    ['%C', '1'],
    ['%I', '5'],
    ['%X %% $&', '%X %% $&'],
  ] as const)
    assert.is(fillBody(session, template), body);
});

test('a body without a name is marked by its category, if any category is accepted', () => {
  const far = created(6, { categoryId: 2n ** 53n });
  assert.is(fillBody(sessionAfter([accepted]), '%M'), '1');
  assert.is(fillBody(sessionAfter([far]), '%M'), `${2n ** 40n}`);
  const last = { ...sessionAfter([far]), random: () => 1 - 2 ** -40 };
  assert.is(fillBody(last, '%M'), `${2n ** 41n - 1n}`);
});

const exchangeWith = (request: PlannedRequest, status: number): Exchange => exchangesOf([{ request, status }])[0]!;

test('creations that the interface does not describe are sent in other media types and in chunks, and one body twice', () => {
  const session = sessionAfter([accepted]);
  const all = probesOf('open-creations', session);
  const [first, ...others] = all;
  const planned = first!.request(session)!;
  const [again] = first!.next!(session, exchangeWith(planned, 201));
  assert.equal([again!.rank, again!.request(session)!.body], [4, planned.body]);
  const ways = others.slice(0, 4).map((probe) => {
    const request = probe.request(session)!;
    const headers = Object.entries(request.headers ?? {}).join();
    return `${probe.rank} ${request.contentType} ${headers} ${request.body!.replace(/CF\w+/, 'tag')}`;
  });
  const plain = '{"name":"tag","categoryId":1}';
  assert.equal(ways, [
    `4 text/plain  ${plain}`,
    `4 application/json transfer-encoding,chunked ${plain}`,
    `6 undefined  ${plain}`,
    '4 application/json; charset=utf-8  {"name":"tag","status":"sold"}',
  ]);
  assert.is(all.length, 5 + openBodies.length);
  // Only where the run may create.
  const none = sessionAfter([]);
  assert.ok(probesOf('open-creations', none).every(({ request }) => request(none) === undefined));
});

test('a shared target gets no hazardous body, and a run that only reads sends none', () => {
  const { missingFields, wrongFields, malformed, notUtf8 } = invalidBodies;
  const tables = [
    ['open-creations', openBodies, 5],
    ['invalid-bodies', [...missingFields, ...wrongFields, ...malformed], 0],
    ['bodies-of-other-bytes', notUtf8, 0],
  ] as const;
  for (const [id, rows, more] of tables) {
    const harmless = rows.filter(({ isHazardous }) => isHazardous !== true);
    assert.is(probesOf(id, sessionAfter([])).length, rows.length + more, id);
    assert.is(probesOf(id, sessionAfter([], { isDisposable: false })).length, harmless.length + more, id);
  }
  const session = sessionAfter([]);
  for (const { request } of probesOf('invalid-bodies', session))
    assert.not.match(request(session)!.body!, /%[NTPJCMI]/);
  const readOnly = sessionAfter([], { isReadOnly: true });
  for (const id of ['invalid-bodies', 'bodies-of-other-bytes']) assert.equal(probesOf(id, readOnly), []);
});

test('a valid body follows the first refusal of an invalid one with another status than 400', () => {
  const session = sessionAfter([accepted]);
  const invalid = createPetFrom('{}');
  const next = (status: number, request = invalid, own = session, probes = probesOf('invalid-bodies', own)) =>
    probes.slice(0, 2).map((probe) => probe.next!(own, exchangeWith(request, status)));
  for (const status of [201, 302, 400, 401, 500, 503]) assert.equal(next(status), [[], []], String(status));
  for (const status of [403, 422, 499]) {
    const [[valid], second] = next(status) as [readonly [Probe], readonly Probe[]];
    assert.equal([valid.rank, petIn(valid.request(session)!).categoryId, second], [0, 1n, []]);
  }
  // The way it was sent may be the reason.
  assert.equal(next(411, { ...invalid, headers: { 'transfer-encoding': 'chunked' } }), [[], []]);
  assert.equal(next(422, invalid, sessionAfter([])), [[], []]);
});

/** What a scenario sends: requests that are under way at the same time stand in one list. */
async function sentBy(id: string, answers: Answers, changes: Partial<Settings> = {}) {
  const together: PlannedRequest[][] = [];
  let isOpen = false;
  const send = async (request: PlannedRequest): Promise<Exchange> => {
    if (!isOpen) together.push([]);
    isOpen = true;
    together.at(-1)!.push(request);
    const id = 10 + together.flat().length;
    await new Promise((resolve) => setImmediate(resolve));
    isOpen = false;
    return exchangesOf([{ request, status: 201, body: `{"id":${id},"name":"x","categoryId":1}` }])[0]!;
  };
  const session = { ...sessionAfter(answers, changes), send };
  const notes = new Map<string, unknown>();
  const scenario = createPetProbes.find((check) => 'run' in check && check.id === id) as Scenario;
  await scenario.run(session, { notes } as unknown as RunState);
  const shown = together.map((requests) =>
    requests.map(({ method = 'GET', target, body = '', credential }) => {
      const text = `${method} ${target} ${body.replace(/CF\w+/g, 'tag')}`.trimEnd();
      return credential === undefined ? text : `${text} with ${credential.shown.id}`;
    }),
  );
  return { rank: scenario.rank, shown, notes };
}

test('two animals of one name are created at the same time, one with an id, in categories of their own', async () => {
  const both = (first: bigint, second: bigint) => [
    [
      `POST /pets {"id":2305843009213693952,"name":"tag","categoryId":${first},"status":"pending"}`,
      `POST /pets {"name":"tag","categoryId":${second},"status":"pending"}`,
    ],
  ];
  const { rank, shown } = await sentBy('namesakes', [accepted]);
  assert.equal([rank, shown], [2, both(-1n, 0n)]);
  const refused = { ...createdIn(7n), status: 400 };
  assert.equal((await sentBy('namesakes', [accepted, refused])).shown, both(1n, 1n));
  assert.equal((await sentBy('namesakes', [])).shown, []);
});

function createdIn(categoryId: bigint): HandMadeAnswer {
  return created(6, { categoryId });
}

test('animals are created side by side, then read beside a page, a wrong key and an invalid body', async () => {
  const { rank, shown } = await sentBy('side-by-side', [accepted]);
  const creations = ['available', 'pending', 'sold'].map(
    (status) => `POST /pets {"name":"tag","categoryId":1,"status":"${status}"}`,
  );
  const others = ['GET /pets with never-issued', 'GET /pets?limit=100', 'POST /pets {"name":"tag"}'];
  assert.equal([rank, shown], [4.5, [creations, ['GET /pets/11', 'GET /pets/12', 'GET /pets/13', ...others]]]);
  const removed = await sentBy('side-by-side', [accepted], { today: Date.UTC(2031, 0, 1) });
  assert.equal(removed.shown, [creations, others]);
});

test('where nothing is created, the requirements that rest on animals get the reason', async () => {
  const refused = { request: createPet({ name: 'Rex', categoryId: 1n }), status: 403 };
  const { notes } = await sentBy('nothing-created', [refused]);
  assert.match(String(notes.get('list-complete')), /^the target refused every animal, the plainest with 403/);
  assert.not.ok(notes.has('auth-missing-key'));
  assert.is((await sentBy('nothing-created', [refused], { isReadOnly: true })).notes.size, 0);
  assert.is((await sentBy('nothing-created', [accepted])).notes.size, 0);
});

test.run();
