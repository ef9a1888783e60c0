/** The observers: one for each gap that a run can show. */

import type { OpenGapId } from '../../spec/gaps.ts';
import type { Observer } from '../verdict/check.ts';
import { cors } from './1-service/observers.ts';
import { nameLimits } from './2-resources/name-observers.ts';
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
import { knownCategories } from './4.2-create-pet/category-observers.ts';
import {
  chunkedBodies,
  clientSentId,
  duplicateNames,
  extraBodyFields,
  integerWrittenAsDecimal,
  locationHeader,
  otherMediaType,
} from './4.2-create-pet/observers.ts';
import { petIdNotInt64 } from './4.3-get-pet/observers.ts';
import { otherOperations } from './4.4-other-operations/observers.ts';
import { bearerCase, keyScope, limitScope, refusedRequests, wwwAuthenticate } from './5-authentication/observers.ts';
import { errorCodes } from './7-errors/observers.ts';
import {
  ban,
  rateLimitWindow,
  rateLimitWithoutKey,
  retryAfterForm,
  tooManyRequestsBody,
} from './8-limits/observers.ts';
import { afterRemoval, deprecationHeaders } from './9-versioning/observers.ts';
import type { Observe } from './observation.ts';

/** An answer that a gap does not have does not compile. */
const observerByGap: { readonly [Id in OpenGapId]: Observe<Id> } = {
  cors,
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
  'chunked-bodies': chunkedBodies,
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

export const observers: readonly Observer[] = Object.entries(observerByGap).map(
  ([gap, observe]): Observer => ({ gap: gap as OpenGapId, observe }),
);
