/** Reads a pact of the Pact specification, versions 1 to 4. An unreadable one is refused in one sentence. */

import { type Operation, operationOf } from '../spec/operations.ts';
import { keyIsAbsent, providerName, providerStates } from './states.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface State {
  readonly name: string;
  readonly params: Fields;
}

/** A request of a consumer, as it is sent. */
export interface ConsumerRequest {
  readonly method: string;
  /** Path and query, with or without the path of a base address. */
  readonly target: string;
  /** By lower-case name; repeated headers are joined. */
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if there is none. */
  readonly body: string;
}

/** One interaction, read the same way from every version. */
export interface PactInteraction {
  readonly description: string;
  readonly states: readonly State[];
  /** Whether it is a message, which no service of this interface can be asked for. */
  readonly isMessage: boolean;
  /** Whether a comment (version 4) or a state says that its request has no Authorization header. */
  readonly isWithoutKey: boolean;
  /** Its path is relative to the base address. */
  readonly request: ConsumerRequest;
  readonly operation: Operation;
  /** The status that the consumer expects. */
  readonly status: number;
  /** The interaction for JSON.stringify, which writes every digit of its numbers. */
  readonly exact: Fields;
}

export interface Pact {
  /** The file or address of the pact. */
  readonly origin: string;
  readonly consumer: string;
  readonly provider: string;
  readonly interactions: readonly PactInteraction[];
  /** All other fields: the metadata with the version, and the links of a broker. */
  readonly fields: Fields;
}

/** A text is not a readable pact; the message is one sentence. */
export class UnreadablePact extends Error {}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function fieldsOf(value: unknown): Fields {
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

/** The version of the Pact specification, which libraries write in three ways. */
function versionOf({ pactSpecification, 'pact-specification': older, pactSpecificationVersion }: Fields): string {
  return toText(fieldsOf(pactSpecification ?? older)['version'] ?? pactSpecificationVersion ?? 'none');
}

function statesOf({ providerStates: all, providerState, provider_state: oldest }: Fields): readonly State[] {
  if (Array.isArray(all)) {
    return all.map(fieldsOf).map(({ name, params }) => ({ name: toText(name ?? ''), params: fieldsOf(params) }));
  }
  const name = all ?? providerState ?? oldest;
  return typeof name === 'string' && name !== '' ? [{ name, params: {} }] : [];
}

/** Whether a comment, which holds one header name or several, names Authorization. */
function saysAbsent(comments: unknown): boolean {
  const names = [fieldsOf(comments)[keyIsAbsent.key]].flat();
  return names.some((name) => toText(name).toLowerCase() === keyIsAbsent.value.toLowerCase());
}

/** The body as text, which version 4 wraps. */
function bodyOf({ body }: Fields): string {
  const value = (isFields(body) && 'content' in body ? body['content'] : body) ?? '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The query, which is a text in versions 1 and 2. */
function queryOf({ query }: Fields): string {
  if (typeof query === 'string') return query;
  const parameters = new URLSearchParams();
  for (const [name, values] of Object.entries(fieldsOf(query))) {
    for (const value of [values].flat()) parameters.append(name, toText(value));
  }
  return String(parameters);
}

function requestOf(request: Fields): ConsumerRequest {
  const headers = Object.entries(fieldsOf(request['headers'])).map(([name, value]) => [
    name.toLowerCase(),
    [value].flat().map(toText).join(', '),
  ]);
  const path = withoutBase(toText(request['path'] ?? '/'));
  return {
    method: toText(request['method'] ?? 'GET').toUpperCase(),
    target: [path, queryOf(request)].filter((part) => part !== '').join('?'),
    headers: Object.fromEntries(headers) as Readonly<Record<string, string>>,
    body: bodyOf(request),
  };
}

function readInteraction(exact: Fields): PactInteraction {
  const { description, response, comments } = exact;
  const states = statesOf(exact);
  const request = requestOf(fieldsOf(exact['request']));
  return {
    description: toText(description ?? ''),
    states,
    isWithoutKey: saysAbsent(comments) || states.some(({ name }) => name === providerStates.keyMissing.name),
    isMessage: (exact['type'] ?? 'Synchronous/HTTP') !== 'Synchronous/HTTP',
    request,
    operation: operationOf(request.method, request.target.split('?')[0]!),
    status: Number(toText(fieldsOf(response)['status'] ?? 200)),
    exact,
  };
}

// Node 22 has `JSON.rawJSON`; the compiler's library does not declare it yet.
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** Parses JSON so that JSON.stringify writes each number with its original digits, where a double does not. */
function parseExactly(text: string): unknown {
  return JSON.parse(text, (_field: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== String(value) ? rawJson(context!.source!) : value,
  );
}

/** Whether the verifier can read an interaction; of another it would give no result and no reason. */
function isInteraction(one: unknown): boolean {
  const { method } = fieldsOf(fieldsOf(one)['request']);
  const { status } = fieldsOf(fieldsOf(one)['response']);
  return isFields(one) && /^[A-Za-z]+$/.test(toText(method ?? 'GET')) && Number.isInteger(status ?? 200);
}

function parse(text: string, origin: string): Fields {
  if (text.trim() === '') throw new UnreadablePact(`${origin} is empty: expected a pact.`);
  let document: unknown;
  try {
    document = parseExactly(text);
    // JSON that is nested too deeply to be serialised fails here instead of later.
    JSON.stringify(document);
  } catch {
    throw new UnreadablePact(`${origin} is not readable JSON: expected a pact.`);
  }
  if (isFields(document)) return document;
  throw new UnreadablePact(`${origin} is not a pact: expected a JSON object.`);
}

/** Reads a pact from its text; throws an UnreadablePact. */
export function readPact(text: string, origin: string): Pact {
  const { consumer, provider, interactions = [], messages = [], metadata, ...others } = parse(text, origin);
  const expect = (isRight: boolean, expected: string): void => {
    if (!isRight) throw new UnreadablePact(`${origin} is not a pact: ${expected}.`);
  };
  const { name } = fieldsOf(consumer);
  const isWhole = typeof name === 'string' && Array.isArray(interactions) && Array.isArray(messages);
  expect(isWhole, 'expected a consumer with a name, and interactions');
  const version = versionOf(fieldsOf(metadata));
  const found = version === 'none' ? version : JSON.stringify(version.slice(0, 20));
  const versions = 'version 1 to 4 of the Pact specification in its metadata';
  expect(/^[1-4](\.\d+)*$/.test(version), `expected ${versions}, found ${found}`);
  // Before version 4, messages have a list of their own and no type.
  const typed = (messages as unknown[]).map((one) => (isFields(one) ? { ...one, type: 'message' } : one));
  const all = [...(interactions as unknown[]), ...typed];
  if (all.length === 0) throw new UnreadablePact(`${origin} has no interactions.`);
  const wrong = all.findIndex((one) => !isInteraction(one));
  expect(wrong < 0, `interaction ${wrong + 1} needs a method that is a word, and a status that is an integer`);
  return {
    origin,
    consumer: name as string,
    provider: toText(fieldsOf(provider)['name'] || providerName),
    interactions: all.map(fieldsOf).map(readInteraction),
    fields: { ...others, consumer, metadata },
  };
}

/** The text of a pact with some of its interactions. */
export function writePact({ fields, provider }: Pact, interactions: readonly PactInteraction[]): string {
  return JSON.stringify({
    ...fields,
    provider: { name: provider },
    interactions: interactions.map(({ exact }) => exact),
  });
}
