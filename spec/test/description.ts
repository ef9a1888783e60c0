/** The interface as spec/openapi.yaml describes it, for everything that compiles or compares it. */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface DescribedParameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly description: string;
  readonly parameters?: readonly DescribedParameter[];
  readonly responses: Readonly<Record<string, object>>;
}

/** The parts of the description that are read; the file holds more. */
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, { readonly enum?: readonly string[] }>> };
}

/** All of spec/openapi.yaml. The object is shared, and nothing changes it. */
export const description = parse(readFileSync(new URL('../openapi.yaml', import.meta.url), 'utf8')) as Description;
