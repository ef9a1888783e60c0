/** The interface as spec/openapi.yaml describes it: read here, once for all who match, compare or validate by it. */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { components, paths } from './openapi.ts';

/** A JSON Schema, as far as it is looked at part by part. */
export interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  /** `#/components/schemas/` and a name, in place of all else. */
  readonly $ref?: string;
}

export type SchemaName = keyof components['schemas'];

/** The parts of the description that are looked at; the others are there as well. */
export interface Description {
  readonly paths: Readonly<Record<keyof paths, object>>;
  readonly components: { readonly schemas: Readonly<Record<SchemaName, Schema>> };
}

/** All of spec/openapi.yaml. It is shared, and nothing changes it. */
export const description = parse(readFileSync(new URL('openapi.yaml', import.meta.url), 'utf8')) as Description;
