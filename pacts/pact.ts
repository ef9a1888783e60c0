/** Reads a pact of the Pact specification, versions 1 to 4. An unreadable one is refused in one sentence. */

import { providerName, providerStates } from './states.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Removes the path of a base address, which ends in the version segment (§1), from the front of a path. */
export function withoutBase(path: string): string {
  return path.replace(/^(?:\/[^/?]+)*?\/v1(?=\/)/, '');
}

export interface State {
  readonly name: string;
  readonly params: Fields;
}

/** The reason why an interaction is not plain HTTP. */
export interface Obstacle {
  readonly code: 'message' | 'plugin';
  readonly reason: string;
}

/** One interaction, read the same way from every version. */
export interface PactInteraction {
  readonly description: string;
  readonly states: readonly State[];
  /** The reason why no service of this interface can be asked; undefined for a request and its response. */
  readonly obstacle: Obstacle | undefined;
  /** Whether a comment (version 4) or a state says that its request has no Authorization header. */
  readonly isWithoutKey: boolean;
  readonly request: Fields;
  readonly response: Fields;
  /** The interaction as JSON with every digit, since parsed numbers may be rounded. */
  readonly text: string;
  /** Its id in a Pact Broker. */
  readonly brokerId?: unknown;
}

export interface Pact {
  /** The file or address of the pact. */
  readonly origin: string;
  readonly consumer: string;
  readonly provider: string;
  readonly interactions: readonly PactInteraction[];
  /** Holds the version of the Pact specification. */
  readonly metadata: Fields;
}

/** A text is not a readable pact; the message is one sentence. */
export class UnreadablePact extends Error {}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value of a pact as text. String() would throw for hostile objects. */
export function toText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function objectsOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** The version of the Pact specification, which libraries write in three ways. */
function versionOf({ metadata }: Fields): string | undefined {
  const { pactSpecification, 'pact-specification': older, pactSpecificationVersion } = fieldsOf(metadata);
  const version = fieldsOf(pactSpecification ?? older)['version'] ?? pactSpecificationVersion;
  return typeof version === 'string' || typeof version === 'number' ? String(version) : undefined;
}

function statesOf({ providerStates, providerState, provider_state: oldest }: Fields): readonly State[] {
  if (Array.isArray(providerStates)) {
    return providerStates
      .map(fieldsOf)
      .map(({ name, params }) => ({ name: toText(name ?? ''), params: fieldsOf(params) }));
  }
  const name = providerStates ?? providerState ?? oldest;
  return typeof name === 'string' && name !== '' ? [{ name, params: {} }] : [];
}

/** The comment that says that a header is absent; no version of Pact has a field for that. */
export const keyIsAbsent = { key: 'absentHeaders', value: 'Authorization' } as const;

/** Whether a comment, which holds one header name or several, names Authorization. */
function saysAbsent(comments: unknown): boolean {
  const names = [fieldsOf(comments)[keyIsAbsent.key]].flat();
  return names.some((name) => toText(name).toLowerCase() === keyIsAbsent.value.toLowerCase());
}

const message: Obstacle = { code: 'message', reason: 'it is a message, but the interface shows none' };

function obstacleOf({ type = 'Synchronous/HTTP', pluginConfiguration }: Fields): Obstacle | undefined {
  if (type !== 'Synchronous/HTTP') return message;
  const [plugin] = Object.keys(fieldsOf(pluginConfiguration));
  if (plugin === undefined) return undefined;
  return {
    code: 'plugin',
    reason: `it needs the plugin ${JSON.stringify(plugin.slice(0, 100))}, but the interface has only JSON`,
  };
}

function readInteraction(interaction: Fields, text: string): PactInteraction {
  const { description, request, response, comments, _id: brokerId } = interaction;
  const states = statesOf(interaction);
  return {
    description: toText(description ?? ''),
    states,
    isWithoutKey: saysAbsent(comments) || states.some(({ name }) => name === providerStates.keyMissing.name),
    obstacle: obstacleOf(interaction),
    request: fieldsOf(request),
    response: fieldsOf(response),
    text,
    brokerId,
  };
}

// Node 22 has `JSON.rawJSON`; the compiler's library does not declare it yet.
const rawJson = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON;

/** Parses JSON so that JSON.stringify writes each number with its original digits. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_field: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? rawJson(context.source) : value,
  );
}

/** The fields of a pact, and the JSON of each interaction. */
function documentOf(text: string, origin: string) {
  if (text.trim() === '') throw new UnreadablePact(`${origin} is empty: expected a pact.`);
  let fields: unknown;
  let texts: readonly string[];
  try {
    fields = JSON.parse(text);
    // JSON that is nested too deeply to be serialised fails here instead of later.
    const { interactions } = fieldsOf(parseExactly(text));
    texts = Array.isArray(interactions) ? interactions.map((one) => JSON.stringify(one)) : [];
  } catch {
    throw new UnreadablePact(`${origin} is not readable JSON: expected a pact.`);
  }
  if (!isFields(fields)) throw new UnreadablePact(`${origin} is not a pact: expected a JSON object.`);
  return { fields, texts };
}

function assertVersion(document: Fields, origin: string): void {
  const version = versionOf(document);
  if (version !== undefined && /^[1-4](\.\d+)*$/.test(version)) return;
  const found = version === undefined ? 'none' : JSON.stringify(version.slice(0, 20));
  throw new UnreadablePact(
    `${origin}: expected version 1 to 4 of the Pact specification in its metadata, found ${found}.`,
  );
}

/** Why an interaction is not one of the Pact specification: the native verifier would give no reason, or send another request. */
function mistakeIn(interaction: unknown): string | undefined {
  if (!isFields(interaction)) return 'is not a JSON object';
  const method = fieldsOf(interaction['request'])['method'] ?? 'GET';
  const status = fieldsOf(interaction['response'])['status'] ?? 200;
  if (typeof method !== 'string' || !/^[A-Za-z]+$/.test(method)) return 'has a method that is not a word';
  return Number.isInteger(status) ? undefined : 'has a status that is not an integer';
}

/** Reads a pact from its text; throws an UnreadablePact. */
export function readPact(text: string, origin: string): Pact {
  const { fields, texts } = documentOf(text, origin);
  const { consumer, provider, interactions = [], messages = [] } = fields;
  const { name } = fieldsOf(consumer);
  if (typeof name !== 'string' || !Array.isArray(interactions) || !Array.isArray(messages)) {
    throw new UnreadablePact(`${origin} is not a pact: expected a consumer with a name, and interactions.`);
  }
  assertVersion(fields, origin);
  const all: readonly unknown[] = [...interactions, ...messages];
  if (all.length === 0) throw new UnreadablePact(`${origin} has no interactions.`);
  // The verifier loads every plugin that the metadata name, even for requests that need none.
  const { plugins: _plugins, ...metadata } = fieldsOf(fields['metadata']);
  return {
    origin,
    consumer: name,
    provider: toText(fieldsOf(provider)['name'] || providerName),
    metadata,
    interactions: all.map((one, at) => {
      const mistake = mistakeIn(one);
      if (mistake !== undefined) throw new UnreadablePact(`${origin} is not a pact: interaction ${at + 1} ${mistake}.`);
      const interaction = readInteraction(fieldsOf(one), texts[at] ?? '');
      // Before version 4, messages have a list of their own and no type.
      return at < interactions.length ? interaction : { ...interaction, obstacle: message };
    }),
  };
}

/** Separates requests from other interactions; they are verified and reported in this order. */
export function splitByKind({
  interactions,
}: Pact): Readonly<Record<'requests' | 'others', readonly PactInteraction[]>> {
  return {
    requests: interactions.filter(({ obstacle }) => obstacle === undefined),
    others: interactions.filter(({ obstacle }) => obstacle !== undefined),
  };
}
