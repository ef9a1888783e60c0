/** §4.2 Add an animal: the bodies that a run sends, hard values first, and every kind of invalid one. */

import { type PetStatus, petStatuses } from '../../spec/facts.ts';
import type { Inquiry, Scenario } from '../engine/check.ts';
import type { Exchange } from '../engine/exchange.ts';
import { isJsonObject, type JsonObject, writeJson } from '../engine/json.ts';
import { readNewPet } from '../engine/read-request.ts';
import { bodyOf, statusOf } from '../engine/read-response.ts';
import type { Session } from '../engine/session.ts';
import { createPet, createPetFrom, knownIds, listPets, plainCategory, plainPet } from './requests.ts';
import { requestsOfSecondLook } from './second-look.ts';

/** What a careless service changes in a name: each part is one way, and all stand in the first hard name. */
const nameParts = [
  '🦄',
  'e\u0301 \u00e9',
  '"quoted" \'single\' \\ /',
  '<b>&amp;</b>',
  '%20+',
  '\ufb01 \u200d',
  'two  spaces',
  '\u202eright',
];

/** Rarer ways, which all stand in the long name. */
const rareParts = [
  '\u00a0 \u00ad \u2028 \u2029 \ufeff \u0085 \ue000 \u200b \u200e \u2011 \u3000 \u212b \u007f',
  'Щука straße İı ❤️ 👍🏽 Ｆｕｌｌ Σίσυφος カナ 한글 العربية 𠮷 🇫🇷 1️⃣ “a” ‘b’ – — €',
  '... -- -> (c) #a @b =1 +2 ~ ^ ` | *c* _d_ [e] f: :g, h; null!.',
  '\\n \\u0041 \\\\ %u0041 &#65;',
  '%s %d $& $1 {{x}} $ {y} <%= z %>',
  'https://example.com/?a=b&c',
  'one\r\ntwo\rthree\vfour\f',
];

function hardName(tag: string): string {
  return `  ${tag} ${nameParts.join(' ')} \n\t`;
}

/** Longer than the columns that services commonly have. */
function longName(tag: string, length: number): string {
  return `${tag} ${'long name '.repeat(length / 10)}end`;
}

async function isAccepted(session: Session, pet: JsonObject): Promise<boolean> {
  return statusOf(await session.send(createPet(pet))) === 201;
}

/** Sends bodies until one is accepted: what a strict service refuses is followed by something plainer. */
async function createFirstAccepted(session: Session, candidates: readonly (() => JsonObject)[]): Promise<void> {
  for (const candidate of candidates) {
    if (await isAccepted(session, candidate())) return;
  }
}

/** Why nothing was created: most likely an unknown category, else the names. */
function noteRefusals({ exchanges, settings }: Session, { note }: Inquiry): void {
  const statuses = exchanges.filter(({ operation }) => operation === 'createPet').map(statusOf);
  if (statuses.includes(201) || !statuses.includes(400)) return;
  const advice =
    settings.categoryIds.length > 0
      ? 'the category is one that you named, so the target may accept no names like cf-0a1b2c-01'
      : 'name a category that the target knows with --category-id';
  note('create-answer', `the plain example was refused with 400: ${advice}`);
}

const firstAnimals: Scenario = {
  kind: 'scenario',
  id: 'first-animals',
  rank: 1,
  // What is created here is what lists and reads are judged by.
  verifies: [
    'create-answer',
    'pet-id',
    'pet-name-kept',
    'pet-category-id-kept',
    'pet-status-kept',
    'pet-status-omitted',
    'get-answer',
    'get-until-removal',
    'list-complete',
    'list-status-filter',
    'list-limit',
  ],
  title: 'Creates animals that carry several hard values at once, and plainer ones where they are refused',
  run: async (session, inquiry) => {
    if (session.settings.isReadOnly) return;
    const category = plainCategory(session);
    const name = (): string => session.newName();
    await createFirstAccepted(session, [
      () => ({ name: hardName(name()), categoryId: 2n ** 53n + 1n, status: 'available' }),
      () => ({ name: name(), categoryId: 2n ** 53n + 1n, status: 'available' }),
      () => ({ name: hardName(name()), categoryId: category, status: 'available' }),
      () => ({ name: name(), categoryId: category, status: 'available' }),
    ]);
    await createFirstAccepted(session, [
      () => ({
        name: `${rareParts.join(' ')} ${longName(name(), 4_400)}`,
        categoryId: 2n ** 63n - 1n,
        status: 'pending',
      }),
      () => ({ name: longName(name(), 4_400), categoryId: 2n ** 63n - 1n, status: 'pending' }),
      () => ({ name: name(), categoryId: category, status: 'pending' }),
    ]);
    await session.send(createPet(plainPet(session)));
    // While there may be no such animal, but others: an empty page is an array too.
    await session.send(listPets('status=sold'));
    await createFirstAccepted(session, [
      () => ({ status: 'sold', categoryId: -(2n ** 63n), name: `${name()} Mia-Lou Bo` }),
      () => ({ status: 'sold', categoryId: category, name: `${name()} Mia-Lou Bo` }),
      () => ({ status: 'sold', categoryId: category, name: name() }),
    ]);
    noteRefusals(session, inquiry);
  },
};

const categories = [
  2n ** 31n,
  2n ** 32n + 5n,
  -(2n ** 53n) - 1n,
  0n,
  -1n,
  2n ** 53n - 1n,
  10n ** 18n + 7n,
  2n ** 31n - 1n,
];

/** The plain name of an animal that was created. */
function plainNameOf(exchange: Exchange): string | undefined {
  const reading = readNewPet(exchange);
  const isPlain = exchange.operation === 'createPet' && reading.kind === 'valid' && reading.isPlainName;
  return isPlain && statusOf(exchange) === 201 ? reading.pet.name : undefined;
}

/** Names that a strict service may refuse one by one, where the first hard name was too much at once. */
function namesOneByOne(session: Session): readonly ((tag: string) => string)[] {
  const first = session.exchanges.map(plainNameOf).find((name) => name !== undefined);
  return [
    (tag) => longName(tag, 250),
    (tag) => ` ${tag} `,
    ...nameParts.map((part) => (tag: string) => `${tag} ${part}`),
    (tag) => `${tag}\n`,
    // Names may have to be unique; where they need not be, these are two animals.
    (tag) => first ?? tag,
    (tag) => longName(tag, 9_000),
    (tag) => `Ünï ${tag} ÑAME`,
    (tag) => `漢字 ${tag} עברית`,
    (tag) => `${tag}'; --`,
    (tag) => `=${tag}`,
    (tag) => longName(tag, 60),
    ...rareParts.map((part) => (tag: string) => `${tag} ${part}`),
  ];
}

/** How many refused names tell that a service wants plain ones. */
const refusalsBeforePlain = 2;
/** A target that accepts all and shows none would be asked for ever. */
const mostAttempts = 30;
/** One more than the default page holds. */
const enoughAnimals = 21;

function createdWith(session: Session, isWanted: (exchange: Exchange) => boolean): number {
  return session.exchanges.filter((exchange) => exchange.operation === 'createPet' && isWanted(exchange)).length;
}

/** Creates animals with one hard value each, or plain ones where hard ones are refused, until `isEnough`. */
async function createMore(
  session: Session,
  isEnough: () => boolean,
  statuses: readonly (PetStatus | undefined)[],
): Promise<void> {
  const names = namesOneByOne(session);
  let refusals = 0;
  for (let at = 0; at < mostAttempts && !isEnough(); at += 1) {
    const status = statuses[at % statuses.length];
    const isHard = refusals < refusalsBeforePlain && at < names.length;
    const tag = session.newName();
    const name = isHard ? names[at]!(tag) : tag;
    const categoryId = isHard && at % 2 === 1 ? categories[(at >> 1) % categories.length]! : plainCategory(session);
    const accepted = await isAccepted(session, { name, categoryId, ...(status === undefined ? {} : { status }) });
    if (!accepted) refusals += 1;
    // Plain bodies that are refused as well: more of them will not help.
    if (!accepted && !isHard && refusals > refusalsBeforePlain + 2) return;
  }
}

function isCreatedAvailable(exchange: Exchange): boolean {
  const body = bodyOf(exchange);
  return statusOf(exchange) === 201 && isJsonObject(body) && body['status'] === 'available';
}

const enoughForDefault: Scenario = {
  kind: 'scenario',
  id: 'enough-for-the-default-page',
  rank: 2,
  verifies: ['list-limit-default', 'pet-id-unique', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept'],
  title: 'Creates until the catalogue holds more than a default page, with one hard value each',
  run: async (session) => {
    if (session.settings.isReadOnly) return;
    await createMore(session, () => knownIds(session).length >= enoughAnimals, [...petStatuses, undefined]);
  },
};

const everyValue: Scenario = {
  kind: 'scenario',
  id: 'every-value',
  rank: 5,
  verifies: ['create-answer', 'pet-name-kept', 'pet-category-id-kept', 'pet-status-kept', 'pet-status-omitted'],
  title: 'Creates animals with every hard name and category, and with drawn ones',
  run: async (session) => {
    if (session.settings.isReadOnly) return;
    // Of one status, so that a filtered page can be longer than the default one.
    const count = (): number => createdWith(session, isCreatedAvailable);
    await createMore(session, () => count() >= enoughAnimals, ['available']);
    const base = { categoryId: plainCategory(session) };
    const open: readonly JsonObject[] = [
      { ...base, name: `${session.newName()} \u0000 \u0007 \u001b` },
      // Half a character is no text: how it is kept is open, what becomes of the server is not.
      { ...base, name: `${session.newName()} \ud83e` },
      { ...base, name: '' },
      // Names may have to be unique; where they need not be, these are two animals.
      { ...base, name: session.exchanges.map(plainNameOf).find((name) => name !== undefined) ?? session.newName() },
      { ...base, name: session.newName(), colour: 'brown' },
      { ...base, name: session.newName(), id: knownIds(session)[0] ?? 1n },
    ];
    await session.sendAll(open.map((pet) => createPet(pet)));
    await session.sendAll([
      createPetFrom(`{"name":"${session.newName()}","categoryId":1.0}`),
      createPetFrom(writeJson(plainPet(session)), undefined, 'text/plain'),
    ]);
  },
};

/** Every kind of invalid body, the likeliest mistakes first; `mark` is a category that tells a stored one. */
function invalidBodies(session: Session): readonly string[] {
  const categoryId = plainCategory(session);
  const mark = (): bigint => 2n ** 40n + BigInt(Math.floor(session.random() * 2 ** 40));
  const name = (): string => session.newName();
  const values: readonly (JsonObject | string)[] = [
    { categoryId: mark(), status: 'sold' },
    { name: name(), status: 'pending' },
    { name: name(), categoryId: '1' },
    { name: name(), categoryId, status: 'unknown' },
    `{"name":"${name()}","categoryId":1`,
    { name: 7n, categoryId: mark() },
    { name: name(), categoryId: null },
    '',
    { name: name(), categoryId: 1.5 },
    `[{"name":"${name()}","categoryId":1}]`,
    { name: null, categoryId: mark() },
    { name: name(), categoryId: 2n ** 63n },
    { name: name(), categoryId, status: null },
    'null',
    { name: name(), categoryId, status: 1n },
    { name: name(), categoryId: true },
    { name: ['Rex'], categoryId: mark() },
    '"Rex"',
    { name: false, categoryId: mark() },
    { name: { first: 'Rex' }, categoryId: mark() },
    { name: name(), categoryId, status: 'AVAILABLE' },
    { name: name(), categoryId, status: '' },
    { Name: name(), categoryId: mark() },
    { name: name(), category_id: 1n },
    '{}',
    '[]',
    '42',
    'true',
    { name: name(), categoryId: [1n] },
    { name: name(), categoryId: {} },
    { name: name(), categoryId: '' },
    `{"name":"${name()}","categoryId":1e300}`,
    { name: name(), categoryId: -(2n ** 63n) - 1n },
    { name: name(), categoryId, status: true },
    { name: name(), categoryId, status: ['available'] },
    { name: name(), categoryId, status: { is: 'sold' } },
    { name: name(), categoryId, status: ' available' },
    { name: name(), categoryId, status: 'available,sold' },
    { name: name(), CategoryId: 1n },
    { pet: { name: name(), categoryId: 1n } },
    `{'name':'${name()}','categoryId':1}`,
    `{"name":"${name()}","categoryId":1,}`,
    `{"name":"${name()}","categoryId":NaN}`,
    `{"name":"${name()}","categoryId":1} x`,
    `name=${name()}&categoryId=1`,
    ' ',
    '""',
    'false',
    `{"name":"${name()}","categoryId":1}{"name":"${name()}","categoryId":1}`,
    JSON.stringify(`{"name":"${name()}","categoryId":1}`),
    `[{"name":"${name()}","categoryId":1},{"name":"${name()}","categoryId":1}]`,
    { data: { name: name(), categoryId: 1n } },
    `{"name":"${name()}\n","categoryId":1}`,
    `{"name":"${name()}","categoryId":01}`,
    `{"name":"${name()}","categoryId":1 /* one */}`,
    { name: name(), categoryId: '12abc' },
    { name: name(), categoryId: false },
    { name: 1.5, categoryId: mark() },
    { name: name(), categoryId, status: 'Sold' },
    { name: name(), categoryId, status: 'sold\n' },
    { name: name(), categoryId, status: 'reserved' },
    { name: name(), categoryId, status: 'unavailable' },
    { name: name(), categoryId, status: false },
    { name: name(), categoryId, status: 0n },
    { name: name(), categoryId, status: 'constructor' },
    { name: name(), categoryId, status: [] },
    '['.repeat(500) + ']'.repeat(500),
    `{"name":${'['.repeat(200)}${']'.repeat(200)},"categoryId":1}`,
  ];
  return values.map((value) => (typeof value === 'string' ? value : writeJson(value)));
}

/** Every so many of the later bodies tell their encoding: a service may check only what is application/json to the letter. */
const encodingEvery = 8;

function contentTypeOf(rank: Scenario['rank'], at: number): string {
  return rank > 1 && at % encodingEvery === 0 ? 'application/json; charset=utf-8' : 'application/json';
}

/** Requests of the second rank that come after the invalid bodies, and that a small budget must still reach. */
const keptForReads = 14 + requestsOfSecondLook;

function refusing(id: string, rank: Scenario['rank'], title: string, from: number, to: number): Scenario {
  return {
    kind: 'scenario',
    id,
    rank,
    verifies: [
      'create-required-fields',
      'create-invalid-values',
      'create-malformed-body',
      'create-refused-stores-nothing',
    ],
    title,
    run: async (session) => {
      if (session.settings.isReadOnly) return;
      // A strict service has cost more creations by now; then there are fewer of these.
      const most = rank === 2 ? Math.max(0, session.budget.requestsLeft() - keptForReads) : to;
      const bodies = invalidBodies(session).slice(from, Math.min(to, from + most));
      await session.sendAll(bodies.map((body, at) => createPetFrom(body, undefined, contentTypeOf(rank, at))));
    },
  };
}

export const bodyScenarios: readonly Scenario[] = [
  firstAnimals,
  refusing('first-invalid-bodies', 1, 'Sends the five commonest invalid bodies', 0, 5),
  enoughForDefault,
  refusing('more-invalid-bodies', 2, 'Sends twelve more invalid bodies', 5, 17),
  everyValue,
  refusing('every-invalid-body', 4, 'Sends every other kind of invalid body', 17, 1_000),
];
