/** Writes spec/described-operations.ts: the operations of openapi.yaml as literals, so that types derive from them. */

import { execFileSync } from 'node:child_process';
import { defined } from '../../spec/defined.ts';
import { type DescribedAnswer, type DescribedOperation, description } from '../../spec/description.ts';

const root = new URL('../..', import.meta.url);

function schemaName(reference: string | undefined): string | undefined {
  return reference?.slice('#/components/schemas/'.length);
}

function answerOf({ $ref, content }: DescribedAnswer): string | null {
  const { responses } = description.components;
  if ($ref !== undefined) return answerOf(responses[$ref.slice('#/components/responses/'.length)]!);
  return schemaName(content?.['application/json'].schema.$ref) ?? null;
}

/** The answers that §4 lists. §7 lists 429 for every operation, and its body is not shown. */
function answersOf({ responses }: DescribedOperation): Readonly<Record<string, string | null>> {
  const listed = Object.entries(responses).filter(([status]) => status !== '429');
  return Object.fromEntries(listed.map(([status, answer]) => [status, answerOf(answer)]));
}

function parametersOf({ parameters = [] }: DescribedOperation): Readonly<Record<string, object>> {
  return Object.fromEntries(
    parameters.map(({ name, in: place, required = false, schema: { $ref, ...schema } }) => {
      const { type, minimum, maximum, default: usual } = schema;
      // A bound of int64 is no number of JavaScript; the format says it.
      const bounds = schema.format === 'int64' ? {} : { minimum, maximum, default: usual };
      return [name, defined({ in: place, required, schema: schemaName($ref), type, format: schema.format, ...bounds })];
    }),
  );
}

function describe(method: string, path: string, operation: DescribedOperation): object {
  return defined({
    method: method.toUpperCase(),
    path,
    parameters: parametersOf(operation),
    body: schemaName(operation.requestBody?.content['application/json'].schema.$ref),
    answers: answersOf(operation),
    deprecated: operation.deprecated,
  });
}

export function describedOperationsFile(): string {
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [operation.operationId, describe(method, path, operation)]),
  );
  const literal = JSON.stringify(Object.fromEntries(operations)).replace(/"(\d{3})":/g, '$1:');
  const statuses = description.components.schemas.PetStatus.enum;
  const text = `/** The operations and statuses of openapi.yaml; \`npm run generate types\` writes this file. */

export const operations = ${literal} as const;

/** The states of an animal (§2, §3). */
export const petStatuses = ${JSON.stringify(statuses)} as const;
`;
  const biome = new URL('node_modules/@biomejs/biome/bin/biome', root).pathname;
  const words = [biome, 'format', '--stdin-file-path=spec/described-operations.ts'];
  return execFileSync(process.execPath, words, { cwd: root, input: text, encoding: 'utf8' });
}
