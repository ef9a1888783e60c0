/** Rules about the body of createPet (§4.2). */

import { type NewPetReading, readNewPet } from '../../conformance/http/read-request.ts';
import { isFields } from '../pact.ts';
import { type Claims, isCreation, isRefused } from './claims.ts';
import { contradiction, open, type Rules } from './rule.ts';

function hasOtherMediaType(claims: Claims): boolean {
  return isCreation(claims) && !isRefused(claims) && !/^application\/json\s*(;|$)/i.test(claims.mediaType);
}

/** The body of a creation, read; undefined if no rule here applies to it. */
function readingOf(claims: Claims): NewPetReading | undefined {
  if (!isCreation(claims) || isRefused(claims) || hasOtherMediaType(claims)) return undefined;
  const headers = { 'content-type': claims.mediaType };
  return readNewPet({ request: { method: claims.method, target: claims.path, headers, body: claims.sentText } });
}

/** The unlisted fields of a body that is valid otherwise. */
function unlistedFields(claims: Claims): readonly string[] {
  const kind = readingOf(claims)?.kind ?? 'invalid';
  if (kind === 'invalid' || !isFields(claims.sent)) return [];
  return Object.keys(claims.sent).filter((field) => !['name', 'categoryId', 'status'].includes(field));
}

export const bodyRules = {
  'body-other-media-type': open('other-media-type', (claims) =>
    hasOtherMediaType(claims) ? [`request.headers.content-type is ${claims.mediaType}`] : [],
  ),
  'body-invalid-accepted': contradiction((claims) => {
    const reading = readingOf(claims);
    return reading?.kind === 'invalid' && claims.status === 201
      ? [`request.body has a mistake to which §4.2 answers 400: ${reading.fault}`]
      : [];
  }),
  'body-valid-refused': contradiction((claims) => {
    const reading = readingOf(claims);
    return reading?.kind === 'valid' && reading.isPlainName && claims.status === 400
      ? ['response.status is 400, but §4.2 answers 201 to a valid body of a known category']
      : [];
  }, 'known-categories'),
  'body-with-id': open('client-sent-id', (claims) =>
    unlistedFields(claims).includes('id') ? ['request.body has an id'] : [],
  ),
  'body-field-unlisted': open('extra-body-fields', (claims) =>
    unlistedFields(claims)
      .filter((field) => field !== 'id')
      .map((field) => `request.body has the unlisted field ${field}`),
  ),
  'body-name-not-plain': open('name-limits', (claims) => {
    const reading = readingOf(claims);
    if (reading?.kind !== 'valid' || reading.isPlainName) return [];
    const name = JSON.stringify(reading.pet.name);
    return [`request.body.name is ${name}, but only plain short names are sure to be accepted`];
  }),
} as const satisfies Rules;
