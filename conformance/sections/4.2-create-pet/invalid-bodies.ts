/** §4.2 Sends invalid bodies: each one that a class of careless services accepts. */

import { defined } from '../../../spec/defined.ts';
import { type PetStatus, petStatuses } from '../../../spec/operations.ts';
import { inUtf16, rawBytes } from '../../http/body-bytes.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type JsonObject, type JsonValue, writeJson } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import { recheckedBefore } from '../../run/recheck.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { isFailing } from '../../verdict/finding.ts';
import { createPet, createPetFrom, plainCategory, plainPet } from '../requests.ts';
import { acceptedIn, takesAnyCategory } from './accepted.ts';
import { mayCreate } from './creations.ts';
import { bodiesInCompany } from './invalid-in-company.ts';
import {
  type Parts,
  rareCategories,
  rareStatuses,
  wrongBodies,
  wrongCategories,
  wrongNames,
  wrongStatuses,
} from './invalid-values.ts';
import { almostJson } from './json-texts.ts';
import { mayBeTransportRefusal } from './refusals.ts';

function partsFor(session: Session): Parts {
  const categoryId = plainCategory(session);
  const isMarkAccepted = takesAnyCategory(acceptedIn(session));
  return {
    name: () => session.newName(),
    categoryId,
    mark: () => (isMarkAccepted ? 2n ** 40n + BigInt(Math.floor(session.random() * 2 ** 40)) : categoryId),
  };
}

interface BodyText {
  readonly text: string;
  readonly query?: string;
}

export type Body = JsonValue | BodyText;

const text = (body: string): BodyText => ({ text: body });

function isText(body: Body): body is BodyText {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'text');
}

function requestOf(body: Body, contentType: string): PlannedRequest {
  if (!isText(body)) return createPetFrom(writeJson(body), undefined, contentType);
  const request = createPetFrom(body.text, undefined, contentType);
  return body.query === undefined ? request : { ...request, target: `${request.target}?${body.query}` };
}

/** The likeliest mistakes, one for each requirement that a verdict needs. */
function firstBodies({ name, categoryId, mark }: Parts): readonly Body[] {
  return [
    { categoryId: mark(), status: 'sold' },
    { name: name(), categoryId: String(categoryId) },
  ];
}

function commonBodies({ name, categoryId, mark }: Parts): readonly Body[] {
  return [
    { name: 0n, categoryId: mark() },
    { name: name(), categoryId, status: 'SOLD' },
    { name: name(), categoryId, status: null },
    null,
    text(`{"name":"${name()}","categoryId":${categoryId},}`),
  ];
}

function moreBodies({ name, categoryId, mark }: Parts): readonly Body[] {
  const pet = (): JsonObject => ({ name: name(), categoryId });
  const hidden = pet();
  return [
    // A lenient service looks for a field under other names, too, or for all of them within another object.
    { name: name(), status: 'pending', category_id: categoryId, category: categoryId },
    { name: null, categoryId: mark() },
    { name: name(), categoryId: null },
    { ...pet(), status: 0n },
    text(''),
    [pet()],
    { name: name(), categoryId: 1.5 },
    // A reader of unsigned integers or doubles accepts it.
    { name: name(), categoryId: 2n ** 63n },
    // Some JSON libraries ignore the letter case of fields.
    { Name: hidden['name']!, CategoryId: categoryId, pet: hidden, data: hidden },
    { ...pet(), status: '' },
    { name: name(), categoryId: true },
    { name: [], categoryId: mark() },
    { name: false, categoryId: mark() },
    { ...pet(), status: ['sold'] },
    { ...pet(), status: ' sold ' },
    { name: name(), categoryId: [categoryId] },
    { name: {}, categoryId: mark() },
    { ...pet(), status: true },
    writeJson(pet()),
    42n,
    { ...pet(), status: 'avail' },
  ];
}

/** The statuses that accompany an invalid value: none, and each. */
const companions: readonly (PetStatus | undefined)[] = [undefined, ...petStatuses];

/** Objects with one invalid value, each with another status. */
function crossStatus(fields: (value: JsonValue) => JsonObject, values: readonly JsonValue[]): readonly Body[] {
  return values.map((value, at) => defined({ ...fields(value), status: companions[at % companions.length] }));
}

function without(values: readonly JsonValue[], sent: readonly JsonValue[]): readonly JsonValue[] {
  const written = new Set(sent.map((value) => writeJson(value)));
  return values.filter((value) => !written.has(writeJson(value)));
}

/** So many texts that are almost JSON are accepted by common readers, or with one of their options. */
const mostLikely = 5;

/** Every other ordinary mistake: each field with each wrong type and near miss, with each status and with none. */
function ordinaryBodies({ name, categoryId, mark }: Parts): readonly Body[] {
  const pet = (): JsonObject => ({ name: name(), categoryId });
  return [
    { name: name(), status: 'available' },
    text(`{"name":"${name()}","categoryId":1e300}`),
    ...without(wrongStatuses, [true, 'SOLD', 'avail']).map((status) => ({ ...pet(), status })),
    ...crossStatus((value) => ({ name: name(), categoryId: value }), wrongCategories(categoryId)),
    ...crossStatus((value) => ({ name: value, categoryId: mark() }), without(wrongNames, [null, false, 0n, [], {}])),
    ...wrongBodies,
    [pet(), pet()],
    text(`name=${name()}&categoryId=${categoryId}`),
    text('['.repeat(500) + ']'.repeat(500)),
    {},
    { Name: name(), categoryId: mark() },
    ...almostJson(pet()).slice(0, mostLikely).map(text),
  ];
}

function rareBodies({ name, categoryId, mark }: Parts): readonly Body[] {
  const pet = (): JsonObject => ({ name: name(), categoryId });
  return [
    // The fields are in the query instead of the body.
    { text: '{}', query: `name=${encodeURIComponent(name())}&categoryId=${categoryId}` },
    ...almostJson(pet())
      .slice(mostLikely)
      .filter((one) => !one.startsWith('name='))
      .map(text),
    text(`{"name":"${name()}","categoryId":${categoryId}e-1}`),
    text(`{"name":${'['.repeat(200)}${']'.repeat(200)},"categoryId":${categoryId}}`),
    ...rareStatuses.map((status) => ({ ...pet(), status })),
    ...rareCategories(categoryId).map((value) => ({ name: name(), categoryId: value })),
    'Rex',
    true,
    text(' '),
    { ' name': name(), categoryId: mark() },
    { name: name(), 'category-id': categoryId },
    [
      ['name', name()],
      ['categoryId', categoryId],
    ],
    text(`{"__proto__":{"name":"${name()}"},"categoryId":${categoryId}}`),
    { NAME: name(), CATEGORYID: categoryId },
    [writeJson(pet())],
    [[pet()]],
    // An animal as other pet stores write it.
    { name: name(), category: { id: categoryId, name: 'dogs' }, photoUrls: [], tags: [], status: 'available' },
    text(`{"name":"${name()}","categoryId":${'9'.repeat(400)}}`),
    text(`${'{"name":'.repeat(60)}1${'}'.repeat(60)}`),
  ];
}

/** Bytes within a name that are not UTF-8: Latin-1, a lone continuation, a cut emoji, "/" in two bytes, and CESU-8. */
const bytesBeyondUtf8 = [
  rawBytes(0xe9),
  rawBytes(0x80),
  rawBytes(0xf0, 0x9f, 0x90),
  rawBytes(0xc0, 0xaf),
  rawBytes(0xed, 0xa0, 0xbd, 0xed, 0xb0, 0xbe),
];

/** Bodies that are not UTF-8. A service may accept them, so they are left out where no creation is left for them. */
function bodiesBeyondUtf8({ name, categoryId }: Parts, { budget }: Session): readonly Body[] {
  const inUtf8 = (): string => writeJson({ name: name(), categoryId });
  const bodies = [
    ...bytesBeyondUtf8.map((bytes) => text(`{"name":"${name()}${bytes}x","categoryId":${categoryId}}`)),
    text(inUtf16(`\ufeff${inUtf8()}`, 'little-endian')),
    text(inUtf16(inUtf8(), 'big-endian')),
  ];
  return budget.creationsLeft() < bodies.length ? [] : bodies;
}

/**
 * Bodies with a raw control character, which a service that accepts the body stores, and a number whose digits fill the
 * memory of a service that writes them out.
 */
function hazardousBodies({ name, categoryId }: Parts): readonly Body[] {
  return [
    ...['\t', '\n', '\u0001'].map((control) => text(`{"name":"${name()}${control}x","categoryId":${categoryId}}`)),
    text(`{"name":"${name()}","categoryId":1e999999999}`),
  ];
}

/** One in so many later bodies names its charset: a service may validate only bodies of exactly application/json. */
const encodingEvery = 8;

/** With fewer requests left, the rechecks of what has failed so far come before further bodies. */
const smallBudget = 60;
const keptForRechecks = 6;
/** Requests kept for the creation that shows whether the target read the bodies that it refused. */
const keptForCreation = 1;

/**
 * Creates an animal after invalid bodies were refused with another status than 400: a target that refuses it alike may
 * have read none of them.
 */
async function showWhetherRead(session: Session, answers: readonly Exchange[]): Promise<void> {
  const isDoubtful = (exchange: Exchange): boolean => {
    const status = statusOf(exchange) ?? 0;
    return status > 401 && status < 500 && status !== 429 && !mayBeTransportRefusal(exchange);
  };
  if (answers.some(isDoubtful) && mayCreate(session)) await session.send(createPet(plainPet(session)));
}

/** A scenario that sends invalid bodies, as many as the budget allows after what is kept for later. */
function sendInvalid(
  { verifies = [], ...scenario }: Pick<Scenario, 'id' | 'rank' | 'title'> & Partial<Pick<Scenario, 'verifies'>>,
  keptForLater: number,
  bodiesOf: (parts: Parts, session: Session) => readonly Body[],
): Scenario {
  return {
    ...scenario,
    canRunInParallel: true,
    verifies: [
      'create-required-fields',
      'create-invalid-values',
      'create-malformed-body',
      'create-refused-stores-nothing',
      ...verifies,
    ],
    run: async (session, { judge }) => {
      if (session.settings.isReadOnly) return;
      const left = session.budget.requestsLeft();
      session.budget.check('cannot-create');
      const all = bodiesOf(partsFor(session), session);
      // Judging everything takes long, so it is done only where its result matters.
      const isRecheckedLater = recheckedBefore.some((rank) => scenario.rank < rank);
      const mayBeTooMany = isRecheckedLater && left < smallBudget && all.length > left - keptForLater - keptForRechecks;
      const rechecks = mayBeTooMany && judge(session.exchanges).some(isFailing) ? keptForRechecks : 0;
      const bodies = all.slice(0, Math.max(0, left - keptForLater - rechecks));
      const answers = await session.sendAll(
        bodies.map((body, at) => {
          const namesCharset = scenario.rank > 1 && at % encodingEvery === 0;
          return requestOf(body, namesCharset ? 'application/json; charset=utf-8' : 'application/json');
        }),
      );
      await showWhetherRead(session, answers);
    },
  };
}

export const firstInvalidBodies: Scenario = sendInvalid(
  {
    id: 'first-invalid-bodies',
    rank: 1,
    title: 'Sends a body without a name, and one with a categoryId of another type',
  },
  0,
  firstBodies,
);

export const commonInvalidBodies: Scenario = sendInvalid(
  {
    id: 'common-invalid-bodies',
    rank: 1,
    title: 'Sends bodies with a wrong name, a wrong status, null, and a comma too many',
  },
  0,
  commonBodies,
);

export const moreInvalidBodies: Scenario = sendInvalid(
  { id: 'more-invalid-bodies', rank: 2, title: 'Sends invalid bodies of two dozen kinds' },
  // The listing that shows whether a refused body was stored.
  1,
  moreBodies,
);

export const everyInvalidBody: Scenario = sendInvalid(
  { id: 'every-invalid-body', rank: 5, title: 'Sends every other invalid body that is an ordinary mistake' },
  keptForCreation,
  (parts, { settings }) => [
    ...ordinaryBodies(parts),
    ...(settings.isDisposable ? hazardousBodies(parts).slice(0, 1) : []),
  ],
);

export const rareInvalidBodies: Scenario = sendInvalid(
  {
    id: 'rare-invalid-bodies',
    rank: 7,
    verifies: ['create-body-utf8'],
    title: 'Sends invalid bodies that are rarer mistakes',
  },
  keptForCreation,
  (parts, session) => [
    // First those by which a requirement is judged that no other scenario verifies: thirty requests may be all.
    ...(session.settings.isDisposable ? [...bodiesBeyondUtf8(parts, session), ...hazardousBodies(parts).slice(1)] : []),
    ...rareBodies(parts),
  ],
);

/** The share of the requests left that these bodies get: credentials and drawn sequences come after them. */
const shareInCompany = 0.95;

export const invalidBodiesInCompany: Scenario = sendInvalid(
  {
    id: 'invalid-bodies-in-company',
    rank: 9,
    title: 'Sends bodies with one invalid value in which everything else is unusual, too',
  },
  0,
  (parts, session) =>
    bodiesInCompany(parts, session).slice(0, Math.floor(session.budget.requestsLeft() * shareInCompany)),
);
