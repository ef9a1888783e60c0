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

/** One interaction, read the same way from every version. */
export interface PactInteraction {
  readonly description: string;
  readonly states: readonly State[];
  /** The reason why no service of this interface can be asked; undefined for a request and its response. */
  readonly obstacle: { readonly code: 'message' | 'plugin'; readonly reason: string } | undefined;
  /** Whether a comment (version 4) or a state says that its request has no Authorization header. */
  readonly isWithoutKey: boolean;
  readonly request: Fields;
  readonly response: Fields;
  /** The interaction as JSON with every digit, since parsed numbers may be rounded. */
  readonly text: string;
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
function versionOf({ metadata }: Fields): string {
  const { pactSpecification, 'pact-specification': older, pactSpecificationVersion } = fieldsOf(metadata);
  const version = fieldsOf(pactSpecification ?? older)['version'] ?? pactSpecificationVersion;
  return typeof version === 'string' || typeof version === 'number' ? String(version) : 'none';
}

function statesOf({ providerStates: all, providerState, provider_state: oldest }: Fields): readonly State[] {
  if (Array.isArray(all)) {
    return all.map(fieldsOf).map(({ name, params }) => ({ name: toText(name ?? ''), params: fieldsOf(params) }));
  }
  const name = all ?? providerState ?? oldest;
  return typeof name === 'string' && name !== '' ? [{ name, params: {} }] : [];
}

/** The comment that says that a header is absent; no version of Pact has a field for that. */
export const keyIsAbsent = { key: 'absentHeaders', value: 'Authorization' } as const;

/** Whether a comment, which holds one header name or several, names Authorization. */
function saysAbsent(comments: unknown): boolean {
  const names = [fieldsOf(comments)[keyIsAbsent.key]].flat();
  return names.some((name) => toText(name).toLowerCase() === keyIsAbsent.value.toLowerCase());
}

function obstacleOf({ type = 'Synchronous/HTTP', pluginConfiguration }: Fields): PactInteraction['obstacle'] {
  if (type !== 'Synchronous/HTTP') return { code: 'message', reason: 'it is a message, but the interface shows none' };
  const [plugin] = Object.keys(fieldsOf(pluginConfiguration));
  if (plugin === undefined) return undefined;
  const name = JSON.stringify(plugin.slice(0, 100));
  return { code: 'plugin', reason: `it needs the plugin ${name}, but the interface has only JSON` };
}

function readInteraction(interaction: Fields, text: string): PactInteraction {
  const { description, request, response, comments } = interaction;
  const states = statesOf(interaction);
  return {
    description: toText(description ?? ''),
    states,
    isWithoutKey: saysAbsent(comments) || states.some(({ name }) => name === providerStates.keyMissing.name),
    obstacle: obstacleOf(interaction),
    request: fieldsOf(request),
    response: fieldsOf(response),
    text,
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

/** Why an interaction is not one of the Pact specification: the native verifier would give no reason, or send another request. */
function mistakeIn(interaction: unknown): string | undefined {
  if (!isFields(interaction)) return 'is not a JSON object';
  const method = fieldsOf(interaction['request'])['method'] ?? 'GET';
  const status = fieldsOf(interaction['response'])['status'] ?? 200;
  if (typeof method !== 'string' || !/^[A-Za-z]+$/.test(method)) return 'has a method that is not a word';
  return Number.isInteger(status) ? undefined : 'has a status that is not an integer';
}

/** Parses the document, once as values and once with every digit. */
function parse(text: string): readonly [value: unknown, exact: Fields] | undefined {
  try {
    const exact = fieldsOf(parseExactly(text));
    // JSON that is nested too deeply to be serialised fails here instead of later.
    JSON.stringify(exact);
    return [JSON.parse(text), exact];
  } catch {
    return undefined;
  }
}

/** Reads a pact from its text; throws an UnreadablePact. */
export function readPact(text: string, origin: string): Pact {
  const isPact = (isRight: boolean, otherwise: string): void => {
    if (!isRight) throw new UnreadablePact(`${origin} ${otherwise}`);
  };
  isPact(text.trim() !== '', 'is empty: expected a pact.');
  const [document, exact] = parse(text) ?? [];
  isPact(exact !== undefined, 'is not readable JSON: expected a pact.');
  isPact(isFields(document), 'is not a pact: expected a JSON object.');
  const { consumer, provider, interactions = [], messages = [], metadata } = fieldsOf(document);
  const { name } = fieldsOf(consumer);
  const isWhole = typeof name === 'string' && Array.isArray(interactions) && Array.isArray(messages);
  isPact(isWhole, 'is not a pact: expected a consumer with a name, and interactions.');
  const version = versionOf({ metadata });
  const found = version === 'none' ? version : JSON.stringify(version.slice(0, 20));
  isPact(
    /^[1-4](\.\d+)*$/.test(version),
    `is not a pact: expected version 1 to 4 of the Pact specification in its metadata, found ${found}.`,
  );
  // Before version 4, messages have a list of their own and no type.
  const typed = (messages as unknown[]).map((one) => (isFields(one) ? { ...one, type: 'message' } : one));
  const all = [...(interactions as unknown[]), ...typed];
  isPact(all.length > 0, 'has no interactions.');
  const { interactions: texts, messages: _messages, metadata: exactMetadata, ...others } = exact!;
  // The verifier loads every plugin that the metadata name, even for requests that need none.
  const { plugins: _plugins, ...plain } = fieldsOf(exactMetadata);
  return {
    origin,
    consumer: name as string,
    provider: toText(fieldsOf(provider)['name'] || providerName),
    interactions: all.map((one, at) => {
      const mistake = mistakeIn(one);
      isPact(mistake === undefined, `is not a pact: interaction ${at + 1} ${mistake}.`);
      return readInteraction(fieldsOf(one), JSON.stringify((texts as unknown[] | undefined)?.[at] ?? {}));
    }),
    fields: { ...others, metadata: plain },
  };
}

/** The text of a pact with some of its interactions. */
export function writePact({ fields, provider }: Pact, interactions: readonly PactInteraction[]): string {
  const others = JSON.stringify({ ...fields, provider: { name: provider } }).slice(0, -1);
  return `${others},"interactions":[${interactions.map(({ text }) => text).join()}]}`;
}
