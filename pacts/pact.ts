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
  /** A message, for example, is of another type: no service of this interface can be asked for it. */
  readonly type: string;
  /** Path and query; the path is relative to the base address. */
  readonly request: { readonly method: string; readonly target: string };
  readonly operation: Operation;
  /** The status that the consumer expects; NaN if the pact names none that is a number. */
  readonly status: number;
  /** The interaction for JSON.stringify, which writes every digit of its numbers. Its status is a number wherever it can be one. */
  readonly exact: PactFields;
}

export interface Pact {
  /** The file or address of the pact. */
  readonly origin: string;
  readonly consumer: string;
  readonly provider: string;
  readonly interactions: readonly PactInteraction[];
  /** The plugins of Pact that it needs, each with its version. */
  readonly plugins: readonly string[];
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

/** Whether JSON.rawJSON made a value, to keep digits that a double cannot hold. */
const isRaw = (JSON as unknown as { isRawJSON(value: unknown): boolean }).isRawJSON;

/** The parameter of a state as a plain value: a number, or its digits as text where a double cannot hold them. */
function plainParameter(value: unknown): unknown {
  if (!isRaw(value)) return value;
  const digits = toText(value);
  const isExact = Number.isSafeInteger(Number(digits)) || !/^-?\d+$/.test(digits);
  return isExact ? Number(digits) : digits;
}

function plainParameters(params: unknown): PactFields {
  return Object.fromEntries(Object.entries(fieldsOf(params)).map(([name, value]) => [name, plainParameter(value)]));
}

/** Versions 1 and 2 name one state. */
function statesOf({ providerStates: all, providerState, provider_state: oldest }: PactFields): readonly State[] {
  const states = Array.isArray(all) ? all.map(fieldsOf) : [{ name: all ?? providerState ?? oldest ?? '' }];
  return states
    .map(({ name, params }) => ({ name: toText(name ?? ''), params: plainParameters(params) }))
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

const httpType = 'Synchronous/HTTP';

export function isHttp({ type }: Pick<PactInteraction, 'type'>): boolean {
  return type === httpType;
}

/** The verifier drops an interaction whose status is a text or has a fraction. */
function withNumericStatus(exact: PactFields, status: number): PactFields {
  const response = fieldsOf(exact['response']);
  if (!('status' in response) || Number.isNaN(status) || response['status'] === status) return exact;
  return { ...exact, response: { ...response, status } };
}

function readInteraction(exact: PactFields): PactInteraction {
  const request = fieldsOf(exact['request']);
  const method = toText(request['method'] ?? 'GET').toUpperCase();
  const path = withoutBase(toText(request['path'] ?? '/'));
  const type = toText(exact['type'] ?? httpType);
  const status = Number(toText(fieldsOf(exact['response'])['status'] ?? 200));
  return {
    description: toText(exact['description'] ?? ''),
    states: statesOf(exact),
    type,
    request: { method, target: [path, queryOfPact(request)].filter((part) => part !== '').join('?') },
    operation: operationOf(method, path.split('?')[0]!),
    status,
    exact: type === httpType ? withNumericStatus(exact, status) : exact,
  };
}

/** The names in a tree of objects: of matching rules, the categories and the paths. */
function namesIn(value: unknown): readonly string[] {
  return Object.entries(fieldsOf(value)).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

/** A path of the interaction's matching rules with an open bracket; undefined if there is none. */
export function wrongRulePath({ exact }: PactInteraction): string | undefined {
  const parts = [exact['request'], exact['response']].map((part) => fieldsOf(part)['matchingRules']);
  const paths = parts.flatMap(namesIn).filter((name) => name.startsWith('$'));
  return paths.find((path) => /[[\]]/.test(path.replaceAll(/\[('[^']*'|"[^"]*"|\d+|\*)\]/g, '')));
}

/** The plugins that a pact of version 4 names. */
function pluginsOf({ metadata }: PactFields): readonly string[] {
  const { plugins } = fieldsOf(metadata);
  return (Array.isArray(plugins) ? plugins : [])
    .map(fieldsOf)
    .map(({ name = '', version = '' }) => `${toText(name)} ${toText(version)}`.trim());
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
  const { consumer, provider, interactions = [], messages = [], ...others } = document;
  const { name } = fieldsOf(consumer);
  if (typeof name !== 'string' || !Array.isArray(interactions) || !Array.isArray(messages)) {
    throw new UnreadablePact(`${origin} is not a pact: expected a consumer with a name, and interactions.`);
  }
  const wrong = interactions.findIndex((one) => !isFields(one));
  if (wrong >= 0) throw new UnreadablePact(`${origin} is not a pact: its interaction ${wrong + 1} is no object.`);
  // A pact of version 3 may hold messages alone.
  const ofMessages = messages.map((one) => ({ ...fieldsOf(one), type: 'Asynchronous/Messages' }));
  const all = [...interactions, ...ofMessages];
  if (all.length === 0) throw new UnreadablePact(`${origin} has no interactions.`);
  return {
    origin,
    consumer: name,
    provider: toText(fieldsOf(provider)['name'] || providerName),
    interactions: all.map(readInteraction),
    plugins: pluginsOf(others),
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
