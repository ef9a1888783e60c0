/** §4.2 Sends invalid bodies: each one that a class of careless services accepts. */

import { type JsonObject, type JsonValue, writeJson } from '../../http/json.ts';
import type { PlannedRequest } from '../../run/planned-request.ts';
import type { Scenario } from '../../run/scenario.ts';
import type { Session } from '../../run/session.ts';
import { requestsOfSecondLook } from '../4.1-list-pets/second-look.ts';
import { createPetFrom, plainCategory } from '../requests.ts';
import { acceptedIn, takesAnyCategory } from './accepted.ts';
import { almostJson } from './json-texts.ts';
import { shuffle } from './names.ts';

/** Values for invalid bodies: all but the invalid one are values that the target accepts. */
interface Parts {
  /** A new name. */
  readonly name: () => string;
  readonly categoryId: bigint;
  /** A category that identifies the animal of a body without a name, if the target accepts any category. */
  readonly mark: () => bigint;
}

function partsFor(session: Session): Parts {
  const categoryId = plainCategory(session);
  const isMarkAccepted = takesAnyCategory(acceptedIn(session));
  return {
    name: () => session.newName(),
    categoryId,
    mark: () => (isMarkAccepted ? 2n ** 40n + BigInt(Math.floor(session.random() * 2 ** 40)) : categoryId),
  };
}

/** A body as literal text, with an optional query. */
interface BodyText {
  readonly text: string;
  readonly query?: string;
}

type Body = JsonValue | BodyText;

const text = (body: string): BodyText => ({ text: body });

function isText(body: Body): body is BodyText {
  return typeof body === 'object' && body !== null && Object.hasOwn(body, 'text');
}

function requestOf(body: Body, contentType: string): PlannedRequest {
  if (!isText(body)) return createPetFrom(writeJson(body), undefined, contentType);
  const request = createPetFrom(body.text, undefined, contentType);
  return body.query === undefined ? request : { ...request, target: `${request.target}?${body.query}` };
}

/** The likeliest mistakes. */
function firstBodies({ name, categoryId, mark }: Parts): readonly Body[] {
  return [
    { categoryId: mark(), status: 'sold' },
    { name: name(), status: 'pending' },
    { name: name(), categoryId: String(categoryId) },
    { name: name(), categoryId, status: 'Sold' },
    text(`{"name":"${name()}","categoryId":${categoryId},}`),
  ];
}

function moreBodies({ name, categoryId, mark }: Parts): readonly Body[] {
  const pet = (): JsonObject => ({ name: name(), categoryId });
  return [
    writeJson(pet()),
    { name: 0n, categoryId: mark() },
    { name: null, categoryId: mark() },
    { name: name(), categoryId: null },
    text(''),
    { ...pet(), status: 0n },
    text(`{"name":"${name()}","categoryId":${categoryId}.5}`),
    [pet()],
    // A reader of unsigned integers or doubles accepts it.
    { name: name(), categoryId: 2n ** 63n },
    { ...pet(), status: null },
    null,
    { ...pet(), status: '' },
    { name: name(), categoryId: true },
    { name: ['Rex'], categoryId: mark() },
    { name: false, categoryId: mark() },
    { name: { first: 'Rex' }, categoryId: mark() },
    { ...pet(), status: ' sold ' },
    text(`{"name":"${name()}","categoryId":${categoryId}`),
    { ...pet(), status: ['sold'] },
    { name: 7n, categoryId: mark() },
    { ...pet(), status: 'unknown' },
    { name: name(), categoryId: 1.5 },
    { name: name(), categoryId: [categoryId] },
    42n,
  ];
}

/** Mistakes that are less likely. */
function rarerBodies({ name, categoryId, mark }: Parts): readonly Body[] {
  const pet = (): JsonObject => ({ name: name(), categoryId });
  return [
    [],
    { Name: name(), categoryId: mark() },
    { name: name(), category_id: categoryId },
    { name: name(), CategoryId: categoryId },
    { pet: pet() },
    // The fields are in the query instead of the body.
    { text: '{}', query: `name=${encodeURIComponent(name())}&categoryId=${categoryId}` },
    text(`{"name":"${name()}","categoryId":1e300}`),
    { name: name(), categoryId: 2n ** 64n + categoryId },
    { name: name(), categoryId: -(2n ** 63n) - 1n },
    { name: name(), categoryId: -(10n ** 30n) },
    text(`{"name":"${name()}","categoryId":${categoryId}e-1}`),
    text('['.repeat(500) + ']'.repeat(500)),
    text(`{"name":${'['.repeat(200)}${']'.repeat(200)},"categoryId":${categoryId}}`),
    ...['AVAILABLE', 'sold\n', 'avail', true].map((status) => ({ ...pet(), status })),
    ...almostJson(pet()).slice(0, likeliestTexts).map(text),
  ];
}

/** So many of the texts that are almost JSON are always sent. */
const likeliestTexts = 11;

/** Values that are no status. */
const otherStatuses: readonly JsonValue[] = [
  'Available',
  1n,
  'available,sold',
  'so',
  'unavailable',
  'sold\u0000',
  'reserved',
  'constructor',
  'true',
  '1',
  false,
  [],
  ['available', 'sold'],
  { is: 'sold' },
  {},
];

/** Values that are no int64, some of them near an accepted category. */
function categoriesNear(categoryId: bigint): readonly JsonValue[] {
  const beyond = [2n ** 63n + 1n, 2n ** 64n - 1n, -(10n ** 40n)];
  const texts = ['', '1', '12abc', ` ${categoryId} `, `${categoryId}.0`];
  return [false, ...texts, [], {}, { id: categoryId }, ...beyond, 0.1, -0.5, 1e-7];
}

function otherBodies({ name, categoryId, mark }: Parts): readonly Body[] {
  const pet = (): JsonObject => ({ name: name(), categoryId });
  return [
    '',
    'Rex',
    true,
    false,
    0n,
    text(' '),
    { ' name': name(), categoryId: mark() },
    { data: pet() },
    [pet(), pet()],
    [writeJson(pet())],
    ...[1.5, true, [], {}].map((value) => ({ name: value, categoryId: mark() })),
    text(`{"name":"${name()}","categoryId":${'9'.repeat(400)}}`),
    text(`${'{"name":'.repeat(60)}1${'}'.repeat(60)}`),
    ...otherStatuses.map((status) => ({ ...pet(), status })),
    ...categoriesNear(categoryId).map((value) => ({ name: name(), categoryId: value })),
    ...almostJson(pet()).slice(likeliestTexts).map(text),
  ];
}

/** Bodies with a raw control character, which a service that accepts the body stores. */
function hazardousBodies({ name, categoryId }: Parts): readonly Body[] {
  return ['\n', '\u0001'].map((control) => text(`{"name":"${name()}${control}x","categoryId":${categoryId}}`));
}

/** One in so many later bodies names its charset: a service may validate only bodies of exactly application/json. */
const encodingEvery = 8;

function contentTypeOf(rank: Scenario['rank'], at: number): string {
  return rank > 1 && at % encodingEvery === 0 ? 'application/json; charset=utf-8' : 'application/json';
}

/** A scenario that sends invalid bodies, as many as the budget allows after what is kept for later. */
function sendInvalid(
  scenario: Pick<Scenario, 'id' | 'rank' | 'title'>,
  keptForLater: number,
  bodiesOf: (parts: Parts, session: Session) => readonly Body[],
): Scenario {
  return {
    kind: 'scenario',
    ...scenario,
    canRunInParallel: true,
    verifies: [
      'create-required-fields',
      'create-invalid-values',
      'create-malformed-body',
      'create-refused-stores-nothing',
    ],
    run: async (session) => {
      if (session.settings.isReadOnly) return;
      const most = Math.max(0, session.budget.requestsLeft() - keptForLater);
      const bodies = bodiesOf(partsFor(session), session).slice(0, most);
      await session.sendAll(bodies.map((body, at) => requestOf(body, contentTypeOf(scenario.rank, at))));
    },
  };
}

/** So many of the rarest bodies are drawn for a run. */
const drawnBodies = 6;

/** Requests of the second rank that follow, and that a small budget must still reach. */
const keptForReads = 14 + requestsOfSecondLook;

export const firstInvalidBodies: Scenario = sendInvalid(
  { id: 'first-invalid-bodies', rank: 1, title: 'Sends the five most common invalid bodies' },
  0,
  firstBodies,
);

export const moreInvalidBodies: Scenario = sendInvalid(
  { id: 'more-invalid-bodies', rank: 2, title: 'Sends invalid bodies of two dozen kinds' },
  keptForReads,
  moreBodies,
);

export const everyInvalidBody: Scenario = sendInvalid(
  {
    id: 'every-invalid-body',
    rank: 5,
    title: 'Sends every other kind of invalid body, some of them drawn by the seed',
  },
  0,
  (parts, session) => [
    ...rarerBodies(parts),
    ...(session.settings.isDisposable ? hazardousBodies(parts) : []),
    ...shuffle(otherBodies(parts), session.random).slice(0, drawnBodies),
  ],
);
