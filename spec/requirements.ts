/** Every requirement that the interface states for a service, in our own words, with its section. */

import { removalDayInWords } from './facts.ts';
import { pageLimit, pageLimitInWords, petStatusesInWords } from './operations.ts';
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
   * A run without evidence for it cannot judge the target (exit code 3). `run`: sixty requests show it on every legal
   * service; `traffic`: recorded traffic without evidence for it cannot be judged either.
   */
  readonly core?: 'run' | 'traffic';
}

/** A row of the tables below. A string is the text of a required requirement that has no other field. */
type StatedRequirement = string | (Omit<Requirement, 'id' | 'section' | 'level'> & Partial<Pick<Requirement, 'level'>>);

/** The requirements of a section, each with its id. */
export function inSection<Id extends string>(
  section: SectionId,
  stated: Readonly<Record<Id, StatedRequirement>>,
): readonly (Requirement & { readonly id: Id })[] {
  return Object.entries<StatedRequirement>(stated).map(([id, one]) => {
    return { id: id as Id, section, level: 'required', ...(typeof one === 'string' ? { text: one } : one) };
  });
}

/** Every requirement of the interface by its id, in the order of its sections. */
export const requirements = [
  ...inSection('1', {
    'service-json': { core: 'run', text: 'Every payload is well-formed JSON, sent as application/json.' },
    'service-staging-paths': {
      text: 'Staging has a base address of its own, with the same paths.',
      untested: 'A run judges one base address; run the kit against each.',
    },
  }),
  ...inSection('2', {
    'pet-id': 'Every animal carries an id, an integer in the range of int64.',
    'pet-id-unique': 'No two animals share an id.',
    'pet-id-assigned': {
      needs: ['creation'],
      text: 'The service assigns the id of an animal: one that a client sends does not become it.',
    },
    'pet-name': 'Every animal carries a name, a string.',
    'pet-category-id': 'Every animal carries a categoryId, an integer in the range of int64.',
    'pet-status': `The status of an animal is ${petStatusesInWords}, or it carries none.`,
    'pet-name-kept': {
      core: 'run',
      needs: ['creation'],
      text: 'An accepted name is returned code point for code point, at once and on later reads.',
    },
    'pet-category-id-kept': {
      core: 'run',
      needs: ['creation'],
      text: 'An accepted categoryId is returned as the same int64, at once and on later reads.',
    },
    'pet-status-kept': {
      core: 'run',
      needs: ['creation'],
      text: 'An accepted status is returned unchanged, at once and on the first read.',
    },
    'error-code': 'Every Error carries a code, a string.',
    'error-message': 'Every Error carries a message, a string.',
    'error-status': 'Every Error carries a status, an integer.',
  }),
  ...inSection('4.1', {
    'list-answer': {
      core: 'traffic',
      text: 'A listing with a valid key and allowed parameters answers 200 with a JSON array of animals.',
    },
    'list-limit': `A page holds no more animals than limit asks for, and never more than ${pageLimit.most}.`,
    'list-limit-default': `A listing without limit is a listing with limit ${pageLimit.usual}.`,
    'list-limit-refused': {
      level: 'advised',
      text: `A limit that is not an integer ${pageLimitInWords} is refused with an Error.`,
    },
    'list-status-filter': 'A listing with a status holds only animals of that status.',
    'list-status-refused': {
      level: 'advised',
      text: 'A status filter that is not a PetStatus is refused with an Error.',
    },
    'list-complete': {
      needs: ['creation'],
      text: 'Every animal is listed: once it had time to appear, every page with room for it holds it.',
    },
  }),
  ...inSection('4.2', {
    'create-answer': {
      core: 'traffic',
      needs: ['creation'],
      text: 'A valid body answers 201 with the created animal; names and categories may be refused, no status, no order of fields, and no way to write JSON.',
    },
    'create-required-fields': {
      core: 'run',
      needs: ['creation'],
      text: 'A body without name or without categoryId, or without anything, answers 400 with an Error.',
    },
    'create-invalid-values': {
      core: 'run',
      needs: ['creation'],
      text: 'A body with a value of the wrong type or outside its range answers 400 with an Error.',
    },
    'create-malformed-body': {
      needs: ['creation'],
      text: 'A body that is not a JSON object answers 400 with an Error.',
    },
    'create-body-utf8': {
      level: 'advised',
      needs: ['creation'],
      text: 'A body with bytes that are not UTF-8 answers 400, and is not stored with other characters.',
    },
    'create-refused-stores-nothing': { needs: ['creation'], text: 'A body that is refused creates no animal.' },
  }),
  ...inSection('4.3', {
    'get-answer': {
      needs: ['get-pet'],
      text: 'The id of an animal answers 200 with that animal, once it had time to appear.',
    },
    'get-not-found': { needs: ['get-pet'], text: 'An id that no animal has answers 404 with an Error.' },
    'get-id-not-int64': { needs: ['get-pet'], text: 'A petId that is not an int64 finds no animal.' },
  }),
  ...inSection('5', {
    'auth-valid-key': {
      core: 'traffic',
      text: 'A valid key, sent as a bearer token in the Authorization header, is accepted within its scope and lifetime.',
    },
    'auth-missing-key': {
      core: 'run',
      text: 'A request without a key answers 401 with an Error, on every operation and whatever else is wrong with it.',
    },
    'auth-invalid-key': {
      core: 'run',
      text: 'A request with an invalid key answers 401 with an Error, on every operation and whatever else is wrong with it.',
    },
    'auth-key-case': { level: 'advised', text: 'Keys that differ only in upper and lower case are different keys.' },
    'auth-bearer-header':
      'A key that is sent by another scheme, or elsewhere than in the Authorization header, is a missing key.',
    'auth-refused-stores-nothing': {
      needs: ['creation'],
      text: 'A request that is refused for its key creates no animal.',
    },
  }),
  ...inSection('7', {
    'error-shape': { core: 'run', text: 'The body of every listed error is an Error, a JSON object.' },
    'error-status-equals': {
      core: 'run',
      text: 'The status field of an Error equals the HTTP status of the response.',
    },
    'error-not-empty': { level: 'advised', text: 'The code and the message of an Error are not empty.' },
    'errors-listed': {
      core: 'run',
      text: 'No operation answers with a lasting server error, since the list of errors has none.',
    },
  }),
  ...inSection('8', {
    'rate-limit-header': {
      core: 'run',
      text: 'Every answer of the three operations, a 429 or a 500 too, carries X-RateLimit-Limit, an integer: one limit before one reset.',
    },
    'rate-remaining-header': {
      core: 'run',
      text: 'Every answer of the three operations carries X-RateLimit-Remaining, an integer from 0 to the limit.',
    },
    'rate-remaining-falls':
      'X-RateLimit-Remaining falls with each request that is carried out, by one whatever the operation, and does not rise before the limit resets.',
    'rate-reset-header': {
      core: 'run',
      text: 'Every answer of the three operations carries X-RateLimit-Reset, the Unix timestamp in seconds at which the limit resets: at most a day ahead, a minute for a limit by the minute.',
    },
    'rate-headers-plain': {
      level: 'advised',
      text: 'The X-RateLimit headers are plain integers, with nothing after them.',
    },
    'rate-headers-elsewhere': {
      level: 'advised',
      text: 'Answers to paths and methods that the interface does not show carry the X-RateLimit headers as well.',
    },
    'rate-limit-plan': { needs: ['plan'], text: "X-RateLimit-Limit is a number of the key's plan." },
    'rate-limit-day': {
      text: 'A key may send as many requests a day as its plan says, and no more.',
      untested: 'A run would have to use up the day of a key.',
    },
    'rate-exceeded': {
      needs: ['rate-limit-key'],
      text: 'A request that exceeds the rate limit answers 429, on every operation, and none does before.',
    },
    'rate-retry-after': {
      needs: ['rate-limit-key'],
      text: 'Every 429 says in Retry-After how long to wait, in seconds or as an HTTP date.',
    },
    'rate-retry-after-length': {
      level: 'advised',
      needs: ['rate-limit-key'],
      text: 'Retry-After asks for no more than a day, which is the longest that a limit lasts.',
    },
    'rate-retry-after-suffices': {
      level: 'advised',
      needs: ['rate-limit-key'],
      text: 'A client that has waited for Retry-After alone is served again.',
    },
    'rate-recovery': {
      needs: ['rate-limit-key'],
      text: 'A client that has waited for Retry-After and for the reset is served again.',
    },
  }),
  ...inSection('9', {
    'version-base-address': { level: 'advised', text: 'The base address ends in the version segment v1.' },
    'get-until-removal': {
      needs: ['get-pet'],
      text: `Until its removal on ${removalDayInWords}, getPet answers as §4.3 describes.`,
    },
  }),
];

/** The id of a requirement; a misspelt one does not compile. */
export type RequirementId = (typeof requirements)[number]['id'];

export function levelOf(id: RequirementId): Level {
  return requirements.find((requirement) => requirement.id === id)!.level;
}

/** Whether a string is the id of a requirement. */
export function isRequirementId(id: string): id is RequirementId {
  return requirements.some((requirement) => requirement.id === id);
}
