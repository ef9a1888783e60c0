/** What §2 says of the fields of an animal and of an Error. A test compares it with spec/openapi.yaml. */

import { petStatuses } from '../../spec/operations.ts';
import { isJsonObject, type JsonValue } from './json.ts';
import { isPetStatus } from './read-request.ts';

/** One violation of a schema. `field` is empty if the body as a whole violates it. */
export interface SchemaProblem {
  readonly field: string;
  readonly expected: string;
}

/** Returns what a field should hold instead of a value; undefined if that is right. A missing field has undefined. */
type FieldCheck = (value: JsonValue | undefined) => string | undefined;

const textField: FieldCheck = (value) => (typeof value === 'string' ? undefined : 'a string');
const integerField: FieldCheck = (value) => (typeof value === 'bigint' ? undefined : 'an integer');
const status: FieldCheck = (value) =>
  value === undefined || isPetStatus(value) ? undefined : (textField(value) ?? `one of ${petStatuses.join(', ')}`);

const schemas = {
  Pet: { id: integerField, name: textField, categoryId: integerField, status },
  Error: { code: textField, message: textField, status: integerField },
} as const satisfies Readonly<Record<string, Readonly<Record<string, FieldCheck>>>>;

/** The violations of a schema, one for each wrong field. `isInt64` judges the range of integers. */
export function schemaProblems(name: keyof typeof schemas, body: JsonValue): readonly SchemaProblem[] {
  if (!isJsonObject(body)) return [{ field: '', expected: 'an object' }];
  return Object.entries(schemas[name]).flatMap(([field, check]) => {
    const expected = check(body[field]);
    return expected === undefined ? [] : [{ field, expected }];
  });
}
