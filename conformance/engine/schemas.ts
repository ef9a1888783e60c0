/** The schemas of spec/openapi.yaml, compiled, and what they say of a body field by field. */

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { description } from '../../spec/description.ts';
import { isJsonObject, type JsonValue } from './json.ts';

/** One way in which a body breaks its schema. `field` is empty when the body as a whole does. */
export interface SchemaProblem {
  readonly field: string;
  readonly expected: string;
}

export type SchemaName = 'Pet' | 'Error';

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats.default(ajv);
ajv.addSchema({
  $id: 'openapi',
  components: { schemas: description.components.schemas },
});

function compile(name: SchemaName): ValidateFunction {
  // The references of the description are relative to its root, which is the schema with this id.
  return ajv.compile({ $ref: `openapi#/components/schemas/${name}` });
}

const validators: Readonly<Record<SchemaName, ValidateFunction>> = {
  Pet: compile('Pet'),
  Error: compile('Error'),
};

/** The fields of a body with numbers as the library wants them; no schema looks deeper. */
function withNumbers(body: JsonValue): unknown {
  if (!isJsonObject(body)) return body;
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => [field, typeof value === 'bigint' ? Number(value) : value]),
  );
}

function problemOf(error: ErrorObject): SchemaProblem {
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
    expected: `type ${String(error.params['type'] ?? error.params['format'])}`,
  };
}

/**
 * What is wrong with a body by its schema, at most one problem a field. Integers are judged elsewhere to their last
 * digit: the format int64 of the library accepts 2^63 and 1e300.
 */
export function schemaProblems(name: SchemaName, body: JsonValue): readonly SchemaProblem[] {
  const validate = validators[name];
  if (validate(withNumbers(body))) return [];
  const problems = (validate.errors ?? []).map(problemOf);
  return problems.filter((one, index) => problems.findIndex((other) => other.field === one.field) === index);
}
