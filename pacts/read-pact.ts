/** Reads pact files of the versions 1 to 4 of the Pact specification; what cannot be read is one sentence. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readText } from '../conformance/command-line/files.ts';
import { UsageError } from '../conformance/command-line/usage-error.ts';
import { type Transport, TransportError } from '../conformance/engine/transport.ts';
import { providerName } from './states.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** A path without that of a base address before it, which ends in the version segment (§1). */
export function withoutBase(path: string): string {
  return path.replace(/^(?:\/[^/?]+)*?\/v1(?=\/)/, '');
}

export interface State {
  readonly name: string;
  readonly params: Fields;
}

/** One interaction, as far as it is the same in all versions. */
export interface PactInteraction {
  readonly description: string;
  readonly states: readonly State[];
  /** Whether it is a request and its response; messages are none. */
  readonly isHttp: boolean;
  readonly request: Fields;
  readonly response: Fields;
}

export interface Pact {
  /** The file or address that it comes from. */
  readonly origin: string;
  readonly consumer: string;
  readonly provider: string;
  readonly interactions: readonly PactInteraction[];
  /** All of it, to the digit: a parsed number may be another. */
  readonly text: string;
  /** What is in it. */
  readonly document: Fields;
}

const largestPact = 16 * 1024 * 1024;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
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
      .map(({ name, params }) => ({ name: String(name ?? ''), params: fieldsOf(params) }));
  }
  const name = providerStates ?? providerState ?? oldest;
  return typeof name === 'string' && name !== '' ? [{ name, params: {} }] : [];
}

function readInteraction(interaction: Fields, isMessage: boolean): PactInteraction {
  const { description, type = 'Synchronous/HTTP', request, response } = interaction;
  return {
    description: String(description ?? ''),
    states: statesOf(interaction),
    isHttp: type === 'Synchronous/HTTP' && !isMessage,
    request: fieldsOf(request),
    response: fieldsOf(response),
  };
}

/** Reads a pact from its text; throws a UsageError. */
export function readPact(text: string, origin: string): Pact {
  if (text.trim() === '') throw new UsageError(`${origin} is empty: expected a pact.`);
  let document: unknown;
  try {
    document = JSON.parse(text);
    // What is nested too deeply to be written again fails here, and not later.
    JSON.stringify(document);
  } catch {
    throw new UsageError(`${origin} is no JSON that can be read: expected a pact.`);
  }
  if (!isFields(document)) throw new UsageError(`${origin} is no pact: expected a JSON object.`);
  const { consumer, provider, interactions = [], messages = [] } = document;
  const { name } = fieldsOf(consumer);
  if (typeof name !== 'string' || !Array.isArray(interactions) || !Array.isArray(messages)) {
    throw new UsageError(`${origin} is no pact: expected a consumer with a name, and interactions.`);
  }
  const version = versionOf(document);
  if (version === undefined || !/^[1-4](\.\d+)*$/.test(version)) {
    const told = version === undefined ? 'none' : JSON.stringify(version);
    throw new UsageError(
      `${origin}: expected version 1 to 4 of the Pact specification in its metadata, found ${told}.`,
    );
  }
  const odd = [...interactions, ...messages].findIndex((one) => !isFields(one));
  if (odd !== -1) throw new UsageError(`${origin} is no pact: interaction ${odd + 1} is no JSON object.`);
  if (interactions.length + messages.length === 0) throw new UsageError(`${origin} holds no interaction.`);
  return {
    origin,
    consumer: name,
    provider: String(fieldsOf(provider)['name'] || providerName),
    text,
    document,
    interactions: [
      ...interactions.map((one) => readInteraction(fieldsOf(one), false)),
      ...messages.map((one) => readInteraction(fieldsOf(one), true)),
    ],
  };
}

function readFile(file: string): Pact {
  return readPact(readText(file, { what: 'The pact', largest: largestPact }), file);
}

async function download(url: string, transport: Transport): Promise<Pact> {
  try {
    const { status, body } = await transport({ method: 'GET', url, headers: {} });
    if (status !== 200) throw new UsageError(`The pact ${url} cannot be read: expected 200, received ${status}.`);
    return readPact(new TextDecoder().decode(body), url);
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    throw new UsageError(`The pact ${url} cannot be read: ${error.message}.`);
  }
}

/** Reads the pacts of a file, of all JSON files of a folder, or of an address. */
export async function readPacts(place: string, transport?: Transport): Promise<readonly Pact[]> {
  if (/^https?:\/\//.test(place) && transport !== undefined) return [await download(place, transport)];
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [readFile(place)];
  const files = readdirSync(place)
    .filter((name) => name.endsWith('.json'))
    .sort();
  if (files.length === 0) throw new UsageError(`The folder ${place} holds no pact: expected files that end in .json.`);
  return files.map((name) => readFile(join(place, name)));
}
