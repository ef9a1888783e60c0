/** Reads a pact of the Pact specification, versions 1 to 4. An unreadable one is refused in one sentence. */

import { rawJson } from '../conformance/http/json.ts';
import { type Operation, operationOf } from '../spec/operations.ts';
import { providerName } from './states.ts';

export type PactFields = Readonly<Record<string, unknown>>;

export interface State {
  readonly name: string;
  readonly params: PactFields;
}

/** One interaction, read the same way from every version, as far as its states need it: the verifier reads the rest. */
export interface PactInteraction {
  readonly description: string;
  readonly states: readonly State[];
  /** Whether it is a message, which no service of this interface can be asked for. */
  readonly isMessage: boolean;
  /** Path and query; the path is relative to the base address. */
  readonly request: { readonly method: string; readonly target: string };
  readonly operation: Operation;
  /** The status that the consumer expects. */
  readonly status: number;
  /** The interaction for JSON.stringify, which writes every digit of its numbers. */
  readonly exact: PactFields;
}

export interface Pact {
  /** The file or address of the pact. */
  readonly origin: string;
  readonly consumer: string;
  readonly provider: string;
  readonly interactions: readonly PactInteraction[];
  /** All other fields: the metadata with the version, and the links of a broker. */
  readonly fields: PactFields;
}

/** A text is not a readable pact; the message is one sentence. */
export class UnreadablePact extends Error {}

export function isFields(value: unknown): value is PactFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): PactFields {
  return isFields(value) ? value : {};
}

/** A value of a pact as text. String() would throw for hostile objects. */
function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** Removes the path of a base address, which ends in the version segment (§1), from the front of a path. */
export function withoutBase(path: string): string {
  return path.replace(/^(?:\/[^/?]+)*?\/v1(?=\/)/, '');
}

/** Versions 1 and 2 name one state. */
function statesOf({ providerStates: all, providerState, provider_state: oldest }: PactFields): readonly State[] {
  const states = Array.isArray(all) ? all.map(fieldsOf) : [{ name: all ?? providerState ?? oldest ?? '' }];
  return states
    .map(({ name, params }) => ({ name: toText(name ?? ''), params: fieldsOf(params) }))
    .filter(({ name }) => name !== '');
}

/** The query, which is a text in versions 1 and 2. */
function queryOfPact({ query }: PactFields): string {
  if (typeof query === 'string') return query;
  const all = Object.entries(fieldsOf(query));
  const pairs = all.flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, toText(value)]),
  );
  return String(new URLSearchParams(pairs));
}

function readInteraction(exact: PactFields): PactInteraction {
  const request = fieldsOf(exact['request']);
  const method = toText(request['method'] ?? 'GET').toUpperCase();
  const path = withoutBase(toText(request['path'] ?? '/'));
  return {
    description: toText(exact['description'] ?? ''),
    states: statesOf(exact),
    isMessage: (exact['type'] ?? 'Synchronous/HTTP') !== 'Synchronous/HTTP',
    request: { method, target: [path, queryOfPact(request)].filter((part) => part !== '').join('?') },
    operation: operationOf(method, path.split('?')[0]!),
    status: Number(toText(fieldsOf(exact['response'])['status'] ?? 200)),
    exact,
  };
}

/** Parses JSON so that JSON.stringify writes each number with its original digits, where a double does not. */
function parseExactly(text: string): PactFields | undefined {
  try {
    const document: unknown = JSON.parse(text, (_field, value: unknown, context?: { source?: string }) =>
      typeof value === 'number' && context?.source !== String(value) ? rawJson(context!.source!) : value,
    );
    return fieldsOf(document);
  } catch {
    // What nests too deeply for JSON.stringify overflows the function above first.
    return undefined;
  }
}

/** Reads a pact from its text; throws an UnreadablePact. */
export function readPact(text: string, origin: string): Pact {
  const document = parseExactly(text);
  if (document === undefined) throw new UnreadablePact(`${origin} is not readable JSON: expected a pact.`);
  const { consumer, provider, interactions = [], ...others } = document;
  const { name } = fieldsOf(consumer);
  if (typeof name !== 'string' || !Array.isArray(interactions)) {
    throw new UnreadablePact(`${origin} is not a pact: expected a consumer with a name, and interactions.`);
  }
  if (interactions.length === 0) throw new UnreadablePact(`${origin} has no interactions.`);
  return {
    origin,
    consumer: name,
    provider: toText(fieldsOf(provider)['name'] || providerName),
    interactions: interactions.map(fieldsOf).map(readInteraction),
    fields: { ...others, consumer },
  };
}

/** The text of a pact with these interactions, or all. */
export function writePact(
  pact: Pact,
  interactions: readonly PactFields[] = pact.interactions.map(({ exact }) => exact),
) {
  const { fields, provider } = pact;
  return JSON.stringify({ ...fields, provider: { name: provider }, interactions });
}
