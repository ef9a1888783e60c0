/** The legal services that a client runs under: rows of the catalogue of legal services that answer a client differently. */

import type { NewPet, Wrap } from '../../reference-server/twin/index.ts';
import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { type AnswerId, type GapChoices, gaps, type OpenGapId } from '../../spec/gaps.ts';
import { variantLagMs } from '../http/tolerances.ts';
import { categories, names } from '../services/creations.ts';
import { findService } from '../services/index.ts';
import { isListingOrRead, laggingFromFirstLook } from '../services/visibility-changes.ts';

export interface LegalService {
  /** As `petstore-server --service` takes it. */
  readonly id: string;
  /** The requirement that a client breaks if it does not work with this service. */
  readonly requirement: ClientRequirementId;
  /** What such a service does, in a sentence. */
  readonly meaning: string;
  /** The answer to a gap that it gives, if it is one. */
  readonly answer?: { readonly gap: OpenGapId; readonly id: AnswerId };
  readonly gaps?: Partial<GapChoices>;
  readonly wrap?: Wrap;
  /** Animals of other clients, in place of those that all services have. */
  readonly animals?: readonly NewPet[];
  /** The time of the service, Unix milliseconds; that of the client if undefined. */
  readonly startsAt?: number;
  /** Set if it refuses by a limit: it holds its answers back, so that what is sent meanwhile does not depend on them. */
  readonly isSlow?: true;
  /** Set if a client may go on or give up: only its requests are judged. */
  readonly isOpen?: true;
  /** The id of the service that differs from this one only in the question at hand; the usual one if undefined. */
  readonly control?: string;
}

export const reference: LegalService = { id: 'reference', requirement: 'any-catalogue', meaning: 'The reference.' };

const usualCategory = 4_711n;

/** The category that a client is given: one that services with these answers have. */
export function categoryIn(choices: Partial<GapChoices>): bigint {
  const [answer, size = '1..10'] = choices['known-categories']?.split(' ') ?? [];
  if (answer !== 'refused-400') return usualCategory;
  const ranges = size.split(',').map((range) => range.split('..').map(BigInt));
  const isKnown = ranges.some(([least = 0n, most = least]) => least <= usualCategory && usualCategory <= most);
  return isKnown ? usualCategory : ranges[0]![0]!;
}

/** A row of the catalogue, as a client meets it. */
function rowOf(
  id: string,
  requirement: ClientRequirementId,
  meaning: string,
  rest: Partial<LegalService> = {},
): LegalService {
  const { gaps: own, wrap, animals, startsAt } = findService(id);
  return defined({ id, requirement, meaning, gaps: own, wrap, animals, startsAt, ...rest });
}

/** Gaps that show in rows of their own: in a 429, in categories beside that of the client, in pages shorter than theirs. */
const ofOtherRows: ReadonlySet<string> = new Set([
  'too-many-requests-body',
  'retry-after-form',
  'ban',
  'known-categories',
  'page-cap',
]);

/** A row for each answer of a gap that the reference does not give; getPet is removed on another day only. */
const ofGaps: readonly LegalService[] = gaps.flatMap(({ id: gap, answers = {}, reference: own }) =>
  own === undefined || ofOtherRows.has(gap)
    ? []
    : Object.entries(answers)
        .filter(([answer]) => answer !== own || gap === 'after-removal')
        .map(([answer, meaning]) =>
          rowOf(`${gap}=${answer}`, `any-${gap as OpenGapId}`, meaning, {
            answer: { gap: gap as OpenGapId, id: answer as AnswerId },
          }),
        ),
);

/** Other rows of the catalogue: gap → their ids, each with the answer to the gap that it gives, and what it means. */
const picked: { readonly [Id in OpenGapId]?: Readonly<Record<string, readonly [answer: string, meaning: string]>> } = {
  'duplicate-names': {
    'names-once-else-409': ['refused-409', 'A name in use gets 409.'],
    'names-once-else-422': ['refused-422', 'A name in use gets 422.'],
  },
  'status-omitted': { 'echoes-creation': ['available', 'Only reads show the status that an animal was given.'] },
  'id-form': { 'ids-far-apart': ['rising', 'Ids are far apart and beyond 2^53.'] },
  'short-pages': {
    'limit-before-filter': ['limit-before-filter', 'The limit is applied before the filter.'],
    'filtered-pages-of-10': ['limit-before-filter', 'A page of a filter has at most ten animals.'],
  },
  visibility: {
    'cache-of-2-s': ['later', 'A cache answers with copies of up to two seconds.'],
    'one-of-three-replicas-lags-2000-ms': ['later', 'Every third read meets a replica that is two seconds behind.'],
  },
  'extra-body-fields': { 'more-fields-422': ['refused-422', 'Unknown fields get 422.'] },
  'other-media-type': {
    'no-untyped-bodies-else-422': ['refused-422', 'A body without Content-Type gets 422.'],
  },
  'chunked-bodies': {
    'chunked-bodies-400': ['refused-400', 'A body in chunks gets 400.'],
    'chunked-bodies-413': ['refused-413', 'A body in chunks gets 413.'],
  },
  'other-operations': {
    'unknown-paths-not-implemented': ['refused-501', 'What is not shown gets 501.'],
    'router-page': ['refused-404', 'What is not shown gets 404 with a page of HTML.'],
  },
  'rate-limit-window': {
    bucket: ['moving', 'The limit is a bucket that refills evenly.'],
    'reset-from-now': ['moving', 'Reset is always a minute ahead.'],
    'sliding-counter': ['at-most-a-minute', 'The window slides by an estimate.'],
    'minute-behind-the-day': ['day', 'The headers describe the day, and the minute is limited as well.'],
  },
  'limit-scope': { 'shared-key': ['shared', 'Other clients use up the same limit.'] },
  'refused-requests': {
    'counts-success-only': ['not-counted', 'Refused requests do not count.'],
    'forgets-failures': ['not-counted', 'A refused request is given back with the next answer.'],
  },
};

const ofPicked: readonly LegalService[] = Object.entries(picked).flatMap(([gap, rows]) =>
  Object.entries(rows).map(([id, [answer, meaning]]) =>
    rowOf(id, `any-${gap as OpenGapId}`, meaning, { answer: { gap: gap as OpenGapId, id: answer as AnswerId } }),
  ),
);

function ofAnswer(gap: OpenGapId, id: AnswerId, meaning: string, rest: Partial<LegalService>): LegalService {
  return { id: `${gap}=${id}`, requirement: `any-${gap}`, meaning, answer: { gap, id }, ...rest };
}

/** Names that every service here accepts. */
const plainName = /^[A-Za-z0-9 -]{1,30}$/;

/** Rows that the catalogue has with other sizes: the category of the client, its plain names, short pages, its first look. */
const sized: readonly LegalService[] = [
  ofAnswer('known-categories', 'refused-400', 'Only the category of the client is known; others get 400.', {
    wrap: categories(400, usualCategory),
  }),
  ofAnswer('known-categories', 'refused-422', 'Only the category of the client is known; others get 422.', {
    wrap: categories(422, usualCategory),
  }),
  ofAnswer('name-limits', 'refused-422', 'Names beyond plain ones get 422.', { wrap: names(422, plainName) }),
  ofAnswer('visibility', 'later', 'An animal is listed and found a moment after the first look for it.', {
    wrap: laggingFromFirstLook(variantLagMs, isListingOrRead),
  }),
  ofAnswer('page-cap', 'fewer', 'Pages are capped at two animals.', { gaps: { 'page-cap': 'fewer 2' } }),
];

/** The usual service of most runs: a client that does not work with it is run with an empty catalogue. */
export const amongOthers = rowOf('ten-animals', 'any-catalogue', 'There are ten animals of other clients.');

const ofSurroundings: readonly LegalService[] = [
  rowOf('reversed-fields', 'any-json', 'The fields of objects come in another order.'),
  rowOf('pretty-json', 'any-json', 'JSON is indented.'),
  rowOf('escaped-json', 'any-json', 'Characters of strings are written as escapes.'),
  rowOf('lower-case-headers', 'any-json', 'Header names are in lower case, and the media type names its charset.'),
  rowOf('thousand-animals', 'any-catalogue', 'There are more animals of other clients than any page holds.', {
    control: amongOthers.id,
  }),
  rowOf('busy', 'any-catalogue', 'Other clients create animals meanwhile.'),
  rowOf('animals-of-others-vanish', 'any-catalogue', 'Animals of other clients vanish meanwhile.'),
];

/** Everything but `amongOthers`, in the order in which a client meets it. */
export const services: readonly LegalService[] = [...ofGaps, ...ofPicked, ...sized, ...ofSurroundings];
