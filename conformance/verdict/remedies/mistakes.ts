/** The mistakes that implementations of the interface make most often, and the failures that show each of them. */

import type { FailureCode } from '../../../spec/failure-codes.ts';
import type { RequirementId } from '../../../spec/requirements.ts';

/** Failures that show a mistake. A field that is left out matches any failure. */
export interface Sign {
  readonly requirement: RequirementId;
  readonly codes: readonly FailureCode[];
  readonly status?: number;
  /** Matches the value of the input that was sent: JSON, or the id of a credential. */
  readonly input?: RegExp;
  /** Set if something beside the key has to be wrong with the request. */
  readonly hasOtherFault?: true;
}

export interface Mistake {
  /** What the service does wrong. */
  readonly title: string;
  /** What to change, whatever the stack. */
  readonly advice: string;
  /** The first mistake with a sign that matches is the one that a failure shows. */
  readonly signs: readonly Sign[];
  /** Requirements that the mistake breaks too, by failures that may have other reasons. */
  readonly alsoBreaks?: readonly RequirementId[];
}

/** The same codes of several requirements. */
function signsOf(
  requirementIds: readonly RequirementId[],
  codes: readonly FailureCode[],
  sign: Pick<Sign, 'status' | 'input'> = {},
): readonly Sign[] {
  return requirementIds.map((requirement) => ({ requirement, codes, ...sign }));
}

const headersOfLimits = ['rate-limit-header', 'rate-remaining-header', 'rate-reset-header'] as const;
/** Credentials that do not hold the key: a service that reads the key out of the others may go on to the body. */
const withoutKey = /^(?!word-after$|comma-after$|second-of-two$|bearer-twice$|quoted$)/;
const judgedBodies = ['create-required-fields', 'create-invalid-values', 'create-malformed-body'] as const;
const fieldsOfErrors = ['error-code', 'error-message', 'error-status'] as const;

/** In the order of the first mistake that a developer meets: headers, numbers, keys, bodies, pages, limits. */
export const mistakes = {
  'headers-missing': {
    title: 'Headers are missing on what is answered before or outside the limiter',
    advice:
      'Run the limiter before the key is checked, the body is parsed and the path is looked up, and let error pages keep its headers.',
    signs: signsOf([...headersOfLimits, 'rate-headers-elsewhere'], ['missing']),
  },
  'int64-rounded': {
    title: 'A categoryId beyond 2^53 is rounded by the JSON library',
    advice: 'Read and write the number from its digits, as an integer of 64 bits, never as a double.',
    signs: [
      { requirement: 'pet-category-id-kept', codes: ['categoryId-changed'], input: /^-?\d{16,}$/ },
      { requirement: 'create-answer', codes: ['valid-refused'], input: /^-?\d{16,}$/ },
    ],
    // A categoryId beyond int64 in a page was rounded, or was taken as it is.
    alsoBreaks: ['pet-category-id'],
  },
  'values-converted': {
    title: 'A value of another type or range is taken: 2^63, 1.5, true, "1" or the name 123',
    advice: 'Check type and range of the value as it was parsed, before anything converts it.',
    signs: [
      { requirement: 'create-invalid-values', codes: ['accepted'], input: /^(?!null$)/ },
      { requirement: 'create-invalid-values', codes: ['unexpected-status'], status: 500, input: /^-?\d{19,}$/ },
      { requirement: 'pet-category-id', codes: ['categoryId-wrong'] },
      { requirement: 'pet-name', codes: ['name-wrong'] },
    ],
  },
  'null-omitted': {
    title: 'null is read as if the field were omitted',
    advice:
      'Ask whether the field is present, not whether its value is null: a null that was sent is an invalid value.',
    signs: [{ requirement: 'create-invalid-values', codes: ['accepted'], input: /^null$/ }],
  },
  'body-before-key': {
    title: 'The body is parsed and checked before the key',
    advice: 'Check the key first: without a valid one the answer is 401, whatever the body holds.',
    signs: [400, 415, 422].flatMap((status) => [
      { requirement: 'auth-missing-key', codes: ['unexpected-status'], status, hasOtherFault: true },
      {
        requirement: 'auth-bearer-header',
        codes: ['unexpected-status'],
        status,
        input: /^(elsewhere|basic-|scheme-)/,
        hasOtherFault: true,
      },
      {
        requirement: 'auth-invalid-key',
        codes: ['unexpected-status'],
        status,
        input: withoutKey,
        hasOtherFault: true,
      },
    ]),
  },
  'key-lookup': {
    title: 'A key counts without its scheme, with a word behind it, or as a name that every object has',
    advice: 'Match the whole header, Bearer and one token, and look the token up in a map or a set.',
    signs: [
      { requirement: 'auth-bearer-header', codes: ['accepted'], input: /scheme/ },
      { requirement: 'auth-invalid-key', codes: ['accepted'], input: /^(word-|comma-after$|second-of-two$)/ },
      { requirement: 'auth-invalid-key', codes: ['unexpected-status'], status: 500, input: /^word-/ },
    ],
  },
  'broken-body': {
    title: 'No body, null or broken JSON ends in a server error',
    advice:
      'Answer 400 with an Error wherever parsing throws, for deep nesting too, and where the parsed body is no object.',
    signs: signsOf(['create-required-fields', 'create-malformed-body'], ['unexpected-status'], { status: 500 }),
    alsoBreaks: ['errors-listed'],
  },
  'unusual-text': {
    title: 'A lone surrogate, bytes that are not UTF-8, or deep nesting ends in a server error',
    advice:
      'Refuse with 400 what cannot be encoded as UTF-8 before it is stored, or every later page fails; catch what a parser throws for deep nesting.',
    signs: [{ requirement: 'create-body-utf8', codes: ['unexpected-status'], status: 500 }],
    alsoBreaks: ['create-malformed-body', 'list-answer', 'errors-listed'],
  },
  'framework-errors': {
    title: "The framework's own errors stand in place of an Error",
    advice:
      'Set one handler for all errors, those of parsing, validation and routing too, that writes code, message and status.',
    signs: [
      ...signsOf(['service-json', 'error-shape'], ['not-json', 'not-an-object']),
      ...signsOf(fieldsOfErrors, ['code-missing', 'code-wrong', 'message-missing', 'message-wrong', 'status-missing']),
      ...signsOf(judgedBodies, ['unexpected-status'], { status: 422 }),
      ...signsOf(['list-limit-refused', 'list-status-refused'], ['refusal-without-error']),
    ],
  },
  'names-trimmed': {
    title: 'Names are trimmed, or changed in another way',
    advice:
      'Store and return a name as it came: no trimming, no escaping, no normalization, in forms and serializers too.',
    signs: [{ requirement: 'pet-name-kept', codes: ['name-changed'] }],
  },
  'page-limit': {
    title: 'A page has more than 100 animals, or the default of 20 is forgotten',
    advice: 'Give limit its default in one place, and refuse or clamp what is outside 1 to 100 before the query runs.',
    signs: [
      { requirement: 'list-limit', codes: ['too-many'] },
      { requirement: 'list-limit-default', codes: ['too-many', 'default-differs'] },
    ],
  },
  'limit-answers': {
    title: 'The 429 is bare, or each route has a limit of its own',
    advice: 'Count per key, not per route, and send Retry-After and the three headers with the 429.',
    signs: [{ requirement: 'rate-retry-after', codes: ['unusable'] }],
    alsoBreaks: ['rate-exceeded', 'rate-remaining-falls'],
  },
} as const satisfies Readonly<Record<string, Mistake>>;

export type MistakeId = keyof typeof mistakes;
