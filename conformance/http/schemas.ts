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
type Check = (value: JsonValue | undefined) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : 'a string');
const integer: Check = (value) => (typeof value === 'bigint' ? undefined : 'an integer');
const status: Check = (value) =>
  value === undefined || isPetStatus(value) ? undefined : (text(value) ?? `one of ${petStatuses.join(', ')}`);

const schemas = {
  Pet: { id: integer, name: text, categoryId: integer, status },
  Error: { code: text, message: text, status: integer },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Check>>>>;

/** The violations of a schema, one for each wrong field. `isInt64` judges the range of integers. */
export function schemaProblems(name: keyof typeof schemas, body: JsonValue): readonly SchemaProblem[] {
  if (!isJsonObject(body)) return [{ field: '', expected: 'an object' }];
  return Object.entries(schemas[name]).flatMap(([field, check]) => {
    const expected = check(body[field]);
    return expected === undefined ? [] : [{ field, expected }];
  });
}
