/** Matchers for what spec/openapi.yaml promises of a body, and for nothing else. */

import { description, type Schema, type SchemaName } from '../spec/description.ts';
import { MatchersV3 } from './library.ts';

const { eachLike, integer, regex, string } = MatchersV3;

function schemaOf({ $ref, ...schema }: Schema): Schema {
  return $ref === undefined
    ? schema
    : description.components.schemas[$ref.replace('#/components/schemas/', '') as SchemaName];
}

/** What a mock server answers with, by field. */
export type Examples = Readonly<Record<string, string | number>>;

const defaultExamples: Examples = { id: 7, name: 'Rex', categoryId: 1, code: 'some_code', message: 'some message' };

/** What a schema says of a value. A field that is not required is left out: nothing promises that it comes. */
function matcherOf(reference: Schema, examples: Examples, name = ''): unknown {
  const schema = schemaOf(reference);
  if (schema.enum !== undefined) return regex(`^(${schema.enum.join('|')})$`, schema.enum[0]!);
  if (schema.type === 'integer') return integer(Number(examples[name] ?? 1));
  if (schema.type === 'array') return eachLike(matcherOf(schema.items ?? {}, examples));
  if (schema.type !== 'object') return string(String(examples[name] ?? 'text'));
  const fields = (schema.required ?? []).map((field) => [
    field,
    matcherOf(schema.properties?.[field] ?? {}, examples, field),
  ]);
  return Object.fromEntries(fields) as Readonly<Record<string, unknown>>;
}

/** A body as the interface describes it, with some fields that are known to the digit, and examples for the others. */
export function bodyLike(
  name: 'Pet' | 'Error',
  known: Readonly<Record<string, unknown>> = {},
  examples: Examples = {},
): unknown {
  const matcher = matcherOf(description.components.schemas[name], { ...defaultExamples, ...examples });
  return { ...(matcher as object), ...known };
}

/** Whether a value is one of those that openapi.yaml lists for a status. */
export function isListedStatus(value: unknown): boolean {
  return description.components.schemas.PetStatus.enum?.some((status) => status === value) ?? false;
}

/** A page in which every animal has fields that are known. */
export function pageLike(known: Readonly<Record<string, unknown>>): unknown {
  return eachLike(bodyLike('Pet', known));
}

/** The value that a provider state injects under a name, to the letter; a mock server takes the example for it. */
export function exactly(name: string, example: string | number): unknown {
  return {
    'pact:matcher:type': 'equality',
    'pact:generator:type': 'ProviderState',
    expression: name,
    value: example,
  };
}

const digits = '^\\d+$';

/** Headers of every answer (§8). */
export const rateHeaders = {
  'X-RateLimit-Limit': regex(digits, '60'),
  'X-RateLimit-Remaining': regex(digits, '59'),
  'X-RateLimit-Reset': regex(digits, '1795228800'),
} as const;

export const jsonHeaders = {
  ...rateHeaders,
  'Content-Type': regex('^(?i:application/json)\\s*(;.*)?$', 'application/json'),
} as const;

/** The two forms of Retry-After (§8): seconds, or a date of HTTP. */
export const retryAfter = regex('^(\\d+|[A-Z][a-z]{2,8},? .*)$', '1');
