/** The operations that the interface shows (§4), as openapi.yaml describes them, and which one a request asks for. */

import { operations, petStatuses } from './described-operations.ts';

export { operations, petStatuses };

export type PetStatus = (typeof petStatuses)[number];
/** The name of an operation that the interface shows (§4). */
export type OperationName = keyof typeof operations;
/** `other` is everything that the interface does not show (§4.4). */
export type Operation = OperationName | 'other';

interface DescribedOperation {
  readonly method: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, { readonly in: string }>>;
  /** The name of the body's schema by HTTP status; null for an answer without a body. */
  readonly answers: Readonly<Record<number, string | null>>;
}

function byOperation<Value>(read: (operation: DescribedOperation) => Value): Readonly<Record<OperationName, Value>> {
  const entries = Object.entries<DescribedOperation>(operations).map(([name, operation]) => [name, read(operation)]);
  return Object.fromEntries(entries) as Record<OperationName, Value>;
}

/** The HTTP statuses that §4 lists for each operation. */
export const documentedStatuses = byOperation(({ answers }) => Object.keys(answers).map(Number));

/** Whether §4 gives an answer of an operation a body; answers that it does not list may have one. */
export function hasDocumentedBody(operation: OperationName, status: number): boolean {
  const answers: DescribedOperation['answers'] = operations[operation].answers;
  return answers[status] !== null;
}

/** The query parameters that §4 lists for each operation. */
export const queryParameters = byOperation(({ parameters }) =>
  Object.entries(parameters).flatMap(([name, place]) => (place.in === 'query' ? [name] : [])),
);

const routes = Object.entries(operations).map(([name, { method, path }]) => ({
  name: name as OperationName,
  method,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/, '([^/]+)')}$`),
}));

/** The operation that a method and a path ask for; the path is relative to the base address and has no query. */
export function operationOf(method: string, path: string): Operation {
  return routes.find((route) => route.method === method && route.pattern.test(path))?.name ?? 'other';
}

/** The text that stands for the path parameter of an operation; undefined where the path is not the operation's. */
export function pathParameter(operation: OperationName, path: string): string | undefined {
  return routes.find(({ name }) => name === operation)?.pattern.exec(path)?.[1];
}

/** Whether §4.1 allows the text of a limit, or its absence. */
export function isAllowedLimit(limit: string | null): boolean {
  return limit === null || /^([1-9]\d?|100)$/.test(limit);
}
