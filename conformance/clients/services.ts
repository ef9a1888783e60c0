/** The legal services that a client runs under: rows of the catalogue of legal services that answer a client differently. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import { removalDayInWords } from '../../spec/facts.ts';
import { type AnswerId, gaps, type OpenGapId } from '../../spec/gaps.ts';
import { shortLagMs } from '../http/tolerances.ts';
import { categories, namesMatching } from '../services/creations.ts';
import { findService, type ServiceId } from '../services/index.ts';
import { lagging } from '../services/pages.ts';
import type { Service } from '../services/service.ts';
import { answerError, isListingOrRead, isRead } from '../services/wraps.ts';

/**
 * A row of the catalogue of legal services, for a client. A service with a latency delays its answers, so that requests that
 * are sent meanwhile cannot depend on them.
 */
export interface LegalService extends Pick<Service, 'gaps' | 'behaviour' | 'wrap' | 'animals' | 'latencyMs'> {
  /** As `petstore-server --service` takes it. */
  readonly id: string;
  /** The requirement that a client breaks if it does not work with this service. */
  readonly requirement: ClientRequirementId;
  /** What such a service does, in a sentence. */
  readonly meaning: string;
  /** The id of its answer to the gap of the requirement, if there is one. */
  readonly answer?: string;
  /** Set if a client may go on or give up: only its requests are judged. */
  readonly isOpen?: true;
}

/** Tried if a client fails among animals of others: it may rely on an empty catalogue. */
export const referenceService: LegalService = {
  id: 'reference',
  requirement: 'any-catalogue',
  meaning: 'The reference.',
  animals: [],
};

/** The category that a client is given: one that every service knows. */
export const knownCategory = 7n;

/** A row of the catalogue, as a client meets it; `answer` is that to the gap of the requirement. */
function rowOf(id: ServiceId, requirement: ClientRequirementId, meaning: string, answer?: string): LegalService {
  const { gaps: own, behaviour, wrap, animals } = findService(id);
  return defined({ id, requirement, meaning, answer, gaps: own, behaviour, wrap, animals });
}

/**
 * Gaps that have rows of their own, below or in refusals.ts, and cors: every service here lets web pages of other origins read
 * its answers, since such a page works with no other service.
 */
const ofOtherRows = /^(too-many-requests-body|retry-after-form|ban|known-categories|page-cap|after-removal|cors)$/;

/** A row for each answer of a gap that the reference does not give. */
function rowsOfGap({ id, answers, reference }: (typeof gaps)[number]): readonly LegalService[] {
  if (reference === undefined || ofOtherRows.test(id)) return [];
  const others = Object.entries(answers).filter(([answer]) => answer !== reference);
  return others.map(([answer, meaning]) =>
    rowOf(`${id}=${answer}` as ServiceId, `any-${id as OpenGapId}`, meaning, answer),
  );
}

/** Names that every service here accepts. */
const plainClientName = /^[A-Za-z0-9 -]{1,30}$/;

/** Removes getPet at once, in contrast to the catalogue, whose services remove it on the day that §9 names. */
const removedAt = answerError(410, (call) => isRead(call) && call.isAuthorized);

/** A row that the catalogue has with other values than a client needs, such as other categories or longer pages. */
function changedRow<Gap extends OpenGapId>(
  gap: Gap,
  answer: AnswerId<Gap> & string,
  meaning: string,
  how: Partial<LegalService>,
): LegalService {
  return { id: `${gap}=${answer}`, requirement: `any-${gap}`, meaning, answer, ...how };
}

/** The usual service, with which all others are compared. */
export const amongOthers = rowOf('ten-animals', 'any-catalogue', 'There are ten animals of other clients.');

/** Everything but `amongOthers`, in the order in which a client meets it. */
export const clientServices: readonly LegalService[] = [
  ...gaps.flatMap(rowsOfGap),
  rowOf('names-once-else-409', 'any-duplicate-names', 'A name in use gets 409.', 'refused-409'),
  rowOf('echoes-creation', 'any-status-omitted', 'Only reads show the status that an animal was given.', 'available'),
  rowOf('ids-far-apart', 'any-id-form', 'Ids are far apart and beyond 2^53.', 'rising'),
  rowOf('limit-before-filter', 'any-short-pages', 'The limit is applied before the filter.', 'limit-before-filter'),
  rowOf('cache-of-2-s', 'any-visibility', 'A cache answers with copies of up to two seconds.', 'later'),
  rowOf('one-of-three-replicas-lags-2000-ms', 'any-visibility', 'Every third read is two seconds behind.', 'later'),
  rowOf('chunked-bodies-400', 'any-chunked-bodies', 'A body in chunks gets 400.', 'refused-400'),
  rowOf('unknown-paths-not-implemented', 'any-other-operations', 'What is not shown gets 501.', 'refused-501'),
  rowOf('router-page', 'any-other-operations', 'What is not shown gets 404 with a page of HTML.', 'refused-404'),
  rowOf('bucket', 'any-rate-limit-window', 'The limit is a bucket that refills evenly.', 'at-most-a-minute'),
  rowOf('shared-key', 'any-limit-scope', 'Other clients use up the same limit.', 'shared'),
  rowOf('counts-success-only', 'any-refused-requests', 'Refused requests do not count.', 'not-counted'),
  changedRow(
    'known-categories',
    'refused-400',
    'A category that is not its own gets 400.',
    categories(400, knownCategory),
  ),
  changedRow('name-limits', 'refused-422', 'Names beyond plain ones get 422.', namesMatching(422, plainClientName)),
  changedRow('visibility', 'later', 'An animal is listed and found a moment after the first look for it.', {
    wrap: lagging(shortLagMs, isListingOrRead),
  }),
  changedRow('after-removal', 'gone-410', `Removed on ${removalDayInWords}: getPet gets 410.`, { wrap: removedAt }),
  changedRow('page-cap', 'fewer', 'Pages are capped at two animals.', { gaps: { 'page-cap': 'fewer 2' } }),
  rowOf('reversed-fields', 'any-json', 'The fields of objects come in another order.'),
  rowOf('pretty-json', 'any-json', 'JSON is indented.'),
  rowOf('escaped-json', 'any-json', 'Characters of strings are written as escapes.'),
  rowOf('lower-case-headers', 'any-json', 'Header names are in lower case.'),
  rowOf('errors-in-german', 'any-json', 'The messages of errors are in German.'),
  rowOf('charset-named', 'any-json', 'The media type names its charset.'),
  rowOf('thousand-animals', 'any-catalogue', 'There are more animals of other clients than any page holds.'),
  rowOf('busy', 'any-catalogue', 'Other clients create animals meanwhile.'),
  rowOf('animals-of-others-vanish', 'any-catalogue', 'Animals of other clients vanish meanwhile.'),
];
