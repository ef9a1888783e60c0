/** What the schemas of spec/openapi.yaml say of a body, field by field. */

import { validateError, validatePet } from './compiled-schemas.js';
import { isJsonObject, type JsonValue } from './json.ts';

/** One breach of a schema, as the compiler of the schemas tells it. */
export interface SchemaError {
  readonly keyword: string;
  /** The fields that lead to it, each behind a slash. */
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string;
}

/** Whether a value keeps a schema; what it breaks stands in `errors` until the next call. */
export interface Validate {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaError[] | null;
}

/** One way in which a body breaks its schema. `field` is empty when the body as a whole does. */
export interface SchemaProblem {
  readonly field: string;
  readonly expected: string;
}

export type SchemaName = 'Pet' | 'Error';

const validators: Readonly<Record<SchemaName, Validate>> = { Pet: validatePet, Error: validateError };

/** The fields of a body with numbers as the library wants them; no schema looks deeper. */
function withNumbers(body: JsonValue): unknown {
  if (!isJsonObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, typeof value === 'bigint' ? Number(value) : value]),
  );
}

function problemOf(error: SchemaError): SchemaProblem {
  if (error.keyword === 'required')
    return {
      field: String(error.params['missingProperty']),
      expected: 'to be there',
    };
  const field = error.instancePath.split('/')[1] ?? '';
  const allowed = error.params['allowedValues'] as readonly string[] | undefined;
  if (allowed !== undefined) return { field, expected: `one of ${allowed.join(', ')}` };
  return {
    field,
    expected: `type ${String(error.params['type'])}`,
  };
}

/**
 * What is wrong with a body by its schema, at most one problem a field. The range of integers is judged elsewhere, to
 * the last digit: as numbers 2^63 and 2^63 - 1 are the same.
 */
export function schemaProblems(name: SchemaName, body: JsonValue): readonly SchemaProblem[] {
  const validate = validators[name];
  if (validate(withNumbers(body))) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'minimum' && keyword !== 'maximum');
  const problems = errors.map(problemOf);
  return problems.filter((one, index) => problems.findIndex((other) => other.field === one.field) === index);
}
