/** Validates bodies against the schemas of spec/openapi.yaml, field by field. */

import { validateError, validatePet } from './compiled-schemas.js';
import { isJsonObject, type JsonValue } from './json.ts';

/** One violation of a schema, as ajv reports it; `instancePath` is a JSON pointer to the value. */
export interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Validates a value; `errors` holds the violations until the next call. */
export interface Validate {
  (value: unknown): boolean;
  readonly errors?: readonly SchemaError[] | null;
}

/** One violation of a schema. `field` is empty if the body as a whole violates it. */
export interface SchemaProblem {
  readonly field: string;
  readonly expected: string;
}

export type SchemaName = 'Pet' | 'Error';

const validators: Readonly<Record<SchemaName, Validate>> = { Pet: validatePet, Error: validateError };

/** Converts the bigints of a body to numbers, which ajv expects; no schema looks deeper than its fields. */
function withNumbers(body: JsonValue): unknown {
  if (!isJsonObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, typeof value === 'bigint' ? Number(value) : value]),
  );
}

function problemOf({ keyword, params, instancePath }: SchemaError): SchemaProblem {
  if (keyword === 'required') {
    const field = String(params['missingProperty']);
    return { field, expected: /^(id|categoryId|status)$/.test(field) ? 'an integer' : 'a string' };
  }
  const field = instancePath.split('/')[1] ?? '';
  const { allowedValues, type } = params;
  if (Array.isArray(allowedValues)) return { field, expected: `one of ${allowedValues.join(', ')}` };
  return { field, expected: `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${type}` };
}

/**
 * The violations of a schema, at most one for each field. `isInt64` judges the range of integers exactly: as doubles, 2^63
 * and 2^63 - 1 are equal.
 */
export function schemaProblems(name: SchemaName, body: JsonValue): readonly SchemaProblem[] {
  const validate = validators[name];
  if (validate(withNumbers(body))) return [];
  const errors = (validate.errors ?? []).filter(({ keyword }) => keyword !== 'minimum' && keyword !== 'maximum');
  const problems = errors.map(problemOf);
  return problems.filter((one, index) => problems.findIndex((other) => other.field === one.field) === index);
}
