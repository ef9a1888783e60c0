/** Every requirement that the interface states for a service, in our own words, with its section. */

import type { SectionId } from './sections.ts';

/** `required`: the interface states it, breaking it fails a run. `advised`: a sensible reading, breaking it warns. */
export type Level = 'required' | 'advised';

/**
 * What a run needs to show a requirement: permission to create animals, a second key that may be exhausted, the plan of
 * the key, or getPet before its removal (§9).
 */
export type Need = 'creation' | 'rate-limit-key' | 'plan' | 'get-pet';

/** One requirement. `id` is a slug, area first, never reused; `untested` says why no request can show it. */
export interface Requirement {
  readonly id: string;
  readonly section: SectionId;
  readonly level: Level;
  readonly text: string;
  readonly untested?: string;
  readonly needs?: readonly Need[];
  /**
   * A verdict on the target needs evidence for it. `run`: sixty requests show it on every legal service; `traffic`:
   * recorded traffic must show it as well.
   */
  readonly core?: 'run' | 'traffic';
}

/** Every requirement of the interface, in the order of its sections. */
export const requirements = [
  {
    id: 'service-json',
    section: '1',
    level: 'required',
    core: 'run',
    text: 'Every payload is well-formed JSON, sent as application/json.',
  },
  {
    id: 'service-staging-paths',
    section: '1',
    level: 'required',
    text: 'Staging has a base address of its own, with the same paths.',
    untested: 'A run judges one base address; run the kit against each.',
  },
  {
    id: 'pet-id',
    section: '2',
    level: 'required',
    text: 'Every animal carries an id, an integer in the range of int64.',
  },
  {
    id: 'pet-id-unique',
    section: '2',
    level: 'required',
    text: 'No two animals share an id.',
  },
  {
    id: 'pet-id-assigned',
    section: '2',
    level: 'required',
    needs: ['creation'],
    text: 'The service assigns the id of an animal: one that a client sends does not become it.',
  },
  {
    id: 'pet-name',
    section: '2',
    level: 'required',
    text: 'Every animal carries a name, a string.',
  },
  {
    id: 'pet-category-id',
    section: '2',
    level: 'required',
    text: 'Every animal carries a categoryId, an integer in the range of int64.',
  },
  {
    id: 'pet-status',
    section: '2',
    level: 'required',
    text: 'The status of an animal is available, pending or sold, or it carries none.',
  },
  {
    id: 'pet-name-kept',
    section: '2',
    level: 'required',
    core: 'run',
    needs: ['creation'],
    text: 'An accepted name is returned code point for code point, at once and on later reads.',
  },
  {
    id: 'pet-category-id-kept',
    section: '2',
    level: 'required',
    core: 'run',
    needs: ['creation'],
    text: 'An accepted categoryId is returned as the same int64, at once and on later reads.',
  },
  {
    id: 'pet-status-kept',
    section: '2',
    level: 'required',
    core: 'run',
    needs: ['creation'],
    text: 'An accepted status is returned unchanged, at once and on the first read.',
  },
  {
    id: 'error-code',
    section: '2',
    level: 'required',
    text: 'Every Error carries a code, a string.',
  },
  {
    id: 'error-message',
    section: '2',
    level: 'required',
    text: 'Every Error carries a message, a string.',
  },
  {
    id: 'error-status',
    section: '2',
    level: 'required',
    text: 'Every Error carries a status, an integer.',
  },
  {
    id: 'list-answer',
    section: '4.1',
    level: 'required',
    core: 'traffic',
    text: 'A listing with a valid key and allowed parameters answers 200 with a JSON array of animals.',
  },
  {
    id: 'list-limit',
    section: '4.1',
    level: 'required',
    text: 'A page holds no more animals than limit asks for, and never more than 100.',
  },
  {
    id: 'list-limit-default',
    section: '4.1',
    level: 'required',
    text: 'A listing without limit is a listing with limit 20.',
  },
  {
    id: 'list-limit-refused',
    section: '4.1',
    level: 'advised',
    text: 'A limit that is not an integer from 1 to 100 is refused with an Error.',
  },
  {
    id: 'list-status-filter',
    section: '4.1',
    level: 'required',
    text: 'A listing with a status holds only animals of that status.',
  },
  {
    id: 'list-status-refused',
    section: '4.1',
    level: 'advised',
    text: 'A status filter that is not a PetStatus is refused with an Error.',
  },
  {
    id: 'list-complete',
    section: '4.1',
    level: 'required',
    needs: ['creation'],
    text: 'Every animal is listed: once it had time to appear, every page with room for it holds it.',
  },
  {
    id: 'create-answer',
    section: '4.2',
    level: 'required',
    core: 'traffic',
    needs: ['creation'],
    text: 'A valid body answers 201 with the created animal; names and categories may be refused, no status, no order of fields, and no way to write JSON.',
  },
  {
    id: 'create-required-fields',
    section: '4.2',
    level: 'required',
    core: 'run',
    needs: ['creation'],
    text: 'A body without name or without categoryId, or without anything, answers 400 with an Error.',
  },
  {
    id: 'create-invalid-values',
    section: '4.2',
    level: 'required',
    core: 'run',
    needs: ['creation'],
    text: 'A body with a value of the wrong type or outside its range answers 400 with an Error.',
  },
  {
    id: 'create-malformed-body',
    section: '4.2',
    level: 'required',
    needs: ['creation'],
    text: 'A body that is not a JSON object answers 400 with an Error.',
  },
  {
    id: 'create-refused-stores-nothing',
    section: '4.2',
    level: 'required',
    needs: ['creation'],
    text: 'A body that is refused creates no animal.',
  },
  {
    id: 'get-answer',
    section: '4.3',
    level: 'required',
    needs: ['get-pet'],
    text: 'The id of an animal answers 200 with that animal, once it had time to appear.',
  },
  {
    id: 'get-not-found',
    section: '4.3',
    level: 'required',
    needs: ['get-pet'],
    text: 'An id that no animal has answers 404 with an Error.',
  },
  {
    id: 'get-id-not-int64',
    section: '4.3',
    level: 'required',
    needs: ['get-pet'],
    text: 'A petId that is not an int64 finds no animal.',
  },
  {
    id: 'auth-valid-key',
    section: '5',
    level: 'required',
    core: 'traffic',
    text: 'A valid key, sent as a bearer token in the Authorization header, is accepted within its scope and lifetime.',
  },
  {
    id: 'auth-missing-key',
    section: '5',
    level: 'required',
    core: 'run',
    text: 'A request without a key answers 401 with an Error, on every operation and whatever else is wrong with it.',
  },
  {
    id: 'auth-invalid-key',
    section: '5',
    level: 'required',
    core: 'run',
    text: 'A request with an invalid key answers 401 with an Error, on every operation and whatever else is wrong with it.',
  },
  {
    id: 'auth-key-case',
    section: '5',
    level: 'advised',
    text: 'Keys that differ only in upper and lower case are different keys.',
  },
  {
    id: 'auth-bearer-header',
    section: '5',
    level: 'required',
    text: 'A key that is sent by another scheme, or elsewhere than in the Authorization header, is a missing key.',
  },
  {
    id: 'auth-refused-stores-nothing',
    section: '5',
    level: 'required',
    needs: ['creation'],
    text: 'A request that is refused for its key creates no animal.',
  },
  {
    id: 'error-shape',
    section: '7',
    level: 'required',
    core: 'run',
    text: 'The body of every listed error is an Error, a JSON object.',
  },
  {
    id: 'error-status-equals',
    section: '7',
    level: 'required',
    core: 'run',
    text: 'The status field of an Error equals the HTTP status of the response.',
  },
  {
    id: 'error-not-empty',
    section: '7',
    level: 'advised',
    text: 'The code and the message of an Error are not empty.',
  },
  {
    id: 'errors-listed',
    section: '7',
    level: 'required',
    core: 'run',
    text: 'No operation answers with a lasting server error, since the list of errors has none.',
  },
  {
    id: 'rate-limit-header',
    section: '8',
    level: 'required',
    core: 'run',
    text: 'Every answer of the three operations carries X-RateLimit-Limit, an integer: one limit before one reset.',
  },
  {
    id: 'rate-remaining-header',
    section: '8',
    level: 'required',
    core: 'run',
    text: 'Every answer of the three operations carries X-RateLimit-Remaining, an integer from 0 to the limit.',
  },
  {
    id: 'rate-remaining-falls',
    section: '8',
    level: 'required',
    text: 'X-RateLimit-Remaining falls with each request that is carried out, and does not rise before the limit resets.',
  },
  {
    id: 'rate-reset-header',
    section: '8',
    level: 'required',
    core: 'run',
    text: 'Every answer of the three operations carries X-RateLimit-Reset, the Unix timestamp in seconds at which the limit resets: at most a day ahead, a minute for a limit by the minute.',
  },
  {
    id: 'rate-headers-plain',
    section: '8',
    level: 'advised',
    text: 'The X-RateLimit headers are plain integers, with nothing after them.',
  },
  {
    id: 'rate-limit-plan',
    section: '8',
    level: 'required',
    needs: ['plan'],
    text: "X-RateLimit-Limit is a number of the key's plan.",
  },
  {
    id: 'rate-limit-day',
    section: '8',
    level: 'required',
    text: 'A key may send as many requests a day as its plan says, and no more.',
    untested: 'A run would have to use up the day of a key.',
  },
  {
    id: 'rate-exceeded',
    section: '8',
    level: 'required',
    needs: ['rate-limit-key'],
    text: 'A request that exceeds the rate limit answers 429, on every operation, and none does before.',
  },
  {
    id: 'rate-retry-after',
    section: '8',
    level: 'required',
    needs: ['rate-limit-key'],
    text: 'Every 429 says in Retry-After how long to wait, in seconds or as an HTTP date.',
  },
  {
    id: 'rate-retry-after-length',
    section: '8',
    level: 'advised',
    needs: ['rate-limit-key'],
    text: 'Retry-After asks for no more than a day, which is the longest that a limit lasts.',
  },
  {
    id: 'rate-recovery',
    section: '8',
    level: 'required',
    needs: ['rate-limit-key'],
    text: 'A client that has waited for Retry-After and for the reset is served again.',
  },
  {
    id: 'version-base-address',
    section: '9',
    level: 'advised',
    text: 'The base address ends in the version segment v1.',
  },
  {
    id: 'get-until-removal',
    section: '9',
    level: 'required',
    needs: ['get-pet'],
    text: 'Until its removal on 5 December 2030, getPet answers as §4.3 describes.',
  },
] as const satisfies readonly Requirement[];

/** The id of a requirement; a misspelt one does not compile. */
export type RequirementId = (typeof requirements)[number]['id'];

/** What a run needs to show a requirement. */
export function needsOf({ needs = [] }: Requirement): readonly Need[] {
  return needs;
}

/** Whether a string is the id of a requirement. */
export function isRequirementId(id: string): id is RequirementId {
  return requirements.some((requirement) => requirement.id === id);
}
