/** What the target does where the interface is silent: one observer for each gap that a run can show. */

import type { OpenGapId } from '../../spec/gaps.ts';
import type { Exchange } from '../http/exchange.ts';
import { statusOf } from '../http/read-response.ts';
import type { PlannedRequest } from '../run/planned-request.ts';
import type { Check, Scenario } from '../run/scenario.ts';
import type { Session } from '../run/session.ts';
import type { Observer } from '../verdict/check.ts';
import { readHistory } from '../verdict/history.ts';
import { lengthsToAsk, nameLimits } from './2-resources/name-observers.ts';
import { extraResponseFields, idForm, statusOmitted } from './2-resources/observers.ts';
import {
  laterPages,
  limitNotInteger,
  limitOutOfRange,
  listOrder,
  statusFilterUnknown,
  unknownQueryParameters,
} from './4.1-list-pets/observers.ts';
import { pageCap, shortPages, visibility } from './4.1-list-pets/visibility-observers.ts';
import {
  clientSentId,
  creationsOf,
  duplicateNames,
  extraBodyFields,
  integerWrittenAsDecimal,
  knownCategories,
  otherMediaType,
} from './4.2-create-pet/observers.ts';
import { isRemoved } from './4.3-get-pet/invariants.ts';
import { lowerCaseBearer } from './5-authentication/refused-credentials.ts';
import { keyScope, limitScope, refusedRequests } from './5-authentication/scope-observers.ts';
import {
  ban,
  rateLimitWindow,
  rateLimitWithoutKey,
  retryAfterForm,
  tooManyRequestsBody,
} from './8-limits/observers.ts';
import {
  afterRemoval,
  bearerCase,
  deprecationHeaders,
  errorCodes,
  locationHeader,
  otherOperations,
  petIdNotInt64,
  wwwAuthenticate,
} from './answer-observers.ts';
import type { Observe } from './observation.ts';
import { createPet, drawUnknownId, getPet, knownIds, listPets, plainCategory } from './requests.ts';

/** The id of an answer that its gap has not does not compile. */
const observers: { readonly [Id in OpenGapId]: Observe<Id> } = {
  'known-categories': knownCategories,
  'name-limits': nameLimits,
  'duplicate-names': duplicateNames,
  'status-omitted': statusOmitted,
  'id-form': idForm,
  'extra-response-fields': extraResponseFields,
  'limit-out-of-range': limitOutOfRange,
  'limit-not-integer': limitNotInteger,
  'status-filter-unknown': statusFilterUnknown,
  'unknown-query-parameters': unknownQueryParameters,
  'list-order': listOrder,
  'page-cap': pageCap,
  'short-pages': shortPages,
  visibility,
  'later-pages': laterPages,
  'extra-body-fields': extraBodyFields,
  'client-sent-id': clientSentId,
  'integer-written-as-decimal': integerWrittenAsDecimal,
  'other-media-type': otherMediaType,
  'location-header': locationHeader,
  'pet-id-not-int64': petIdNotInt64,
  'other-operations': otherOperations,
  'key-scope': keyScope,
  'bearer-case': bearerCase,
  'www-authenticate': wwwAuthenticate,
  'error-codes': errorCodes,
  'too-many-requests-body': tooManyRequestsBody,
  'rate-limit-window': rateLimitWindow,
  'rate-limit-without-key': rateLimitWithoutKey,
  'limit-scope': limitScope,
  'refused-requests': refusedRequests,
  'retry-after-form': retryAfterForm,
  ban,
  'after-removal': afterRemoval,
  'deprecation-headers': deprecationHeaders,
};

/** Where long names are refused: whether one of the lengths that services commonly allow is the longest. */
async function askForLengths(session: Session): Promise<void> {
  if (session.settings.isReadOnly) return;
  const lengths = lengthsToAsk(creationsOf(readHistory(session.exchanges, session.settings)));
  // With a mark in front: how long a name may be that has none is open as well, and a refusal of it is judged.
  const create = (length: number): Promise<Exchange> =>
    session.send(createPet({ name: `-${session.newName()} `.padEnd(length, 'x'), categoryId: plainCategory(session) }));
  for (const length of lengths) {
    if (statusOf(await create(length + 1)) === 201) continue;
    await create(length);
    return;
  }
}

/** A method that is not shown, where it can do nothing: there is no such animal. */
function otherMethod(session: Session): PlannedRequest {
  return { operation: 'other', method: 'POST', target: `/pets/${drawUnknownId(session)}` };
}

/** Requests on which the interface is silent; their answers are observed, never judged but for server errors. */
const askTheGaps: Scenario = {
  kind: 'scenario',
  id: 'ask-the-gaps',
  rank: 6,
  verifies: ['errors-listed'],
  title: 'Asks what the interface leaves open: another case of Bearer, unknown parameters, paths and methods',
  run: async (session) => {
    const [known] = knownIds(session);
    await session.sendAll([
      listPets('limit=1', lowerCaseBearer(session.keys.api)),
      listPets('limit=1&colour=brown'),
      { operation: 'other', target: '/no-such-path' },
      ...(session.settings.isReadOnly ? [] : [otherMethod(session)]),
      ...(isRemoved(session) && known !== undefined ? [getPet(known)] : []),
    ]);
    await askForLengths(session);
  },
};

export const observationChecks: readonly Check[] = [
  askTheGaps,
  ...Object.entries(observers).map(
    ([gap, observe]): Observer => ({ kind: 'observer', gap: gap as OpenGapId, observe }),
  ),
];
