/** The interface as spec/openapi.yaml describes it, read once for everything that matches, compares or validates by it. */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { components, paths } from './openapi.ts';

/** The parts of a JSON Schema that the kit reads. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  /** `#/components/schemas/` and a name, in place of all else. */
  readonly $ref?: string;
}

export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, object>>;
}

export type SchemaName = keyof components['schemas'];

/** The parts of the description that the kit reads; the file holds more. */
interface Description {
  readonly paths: Readonly<Record<keyof paths, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<SchemaName, Schema>> };
}

/** All of spec/openapi.yaml. The object is shared, and nothing changes it. */
export const description = parse(readFileSync(new URL('openapi.yaml', import.meta.url), 'utf8')) as Description;
