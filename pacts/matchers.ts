/** Builds Pact matchers that claim exactly what spec/openapi.yaml promises. */

import { description, type Schema, type SchemaName } from '../spec/description.ts';
import { type PetStatus, petStatuses } from '../spec/operations.ts';
import { MatchersV3 } from './library.ts';

const { eachLike, integer, regex, string } = MatchersV3;

function schemaOf({ $ref, ...schema }: Schema): Schema {
  return $ref === undefined
    ? schema
    : description.components.schemas[$ref.replace('#/components/schemas/', '') as SchemaName];
}

/** The example values with which a mock server answers, by field. */
export type Examples = Readonly<Record<string, string | number>>;

const defaultExamples: Examples = { id: 7, name: 'Rex', categoryId: 1, code: 'some_code', message: 'some message' };

/** The matcher for a schema. Optional fields are left out, since the interface does not promise them. */
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

/** A body of the interface: `known` fields must match exactly, the others only by type. */
export function bodyLike(
  name: 'Pet' | 'Error',
  known: Readonly<Record<string, unknown>> = {},
  examples: Examples = {},
): unknown {
  const matcher = matcherOf(description.components.schemas[name], { ...defaultExamples, ...examples });
  return { ...(matcher as object), ...known };
}

/** Whether a value is one of the statuses of openapi.yaml. */
export function isListedStatus(value: unknown): boolean {
  return petStatuses.some((status) => status === value);
}

/** A page in which every animal has the known status. The rules of a list cascade, so a plain value would match by type. */
export function pageLike(status: PetStatus | undefined): unknown {
  return eachLike(bodyLike('Pet', status === undefined ? {} : { status: regex(`^${status}$`, status) }));
}

/** The exact value that a provider state injects under a name; a mock server uses the example. */
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
