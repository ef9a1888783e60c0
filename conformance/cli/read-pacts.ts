/** Reads the pacts that a user names: a file, a folder or an address. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Pact, readPact, UnreadablePact } from '../../pacts/pact.ts';
import { type Transport, TransportError } from '../http/transport.ts';
import { readText } from './files.ts';
import { UsageError } from './usage-error.ts';

/** Bytes. */
export const largestPact = 16 * 1024 * 1024;

function readNamed(text: string, origin: string): Pact {
  try {
    return readPact(text, origin);
  } catch (error) {
    throw error instanceof UnreadablePact ? new UsageError(error.message) : error;
  }
}

function readFile(file: string): Pact {
  return readNamed(readText(file, { what: 'The pact', largest: largestPact }), file);
}

async function download(url: string, transport: Transport): Promise<Pact> {
  try {
    const { status, body, isCut } = await transport({ method: 'GET', url, headers: {} });
    if (status !== 200) throw new UsageError(`The pact ${url} cannot be read: expected 200, received ${status}.`);
    if (isCut) throw new UsageError(`The pact ${url} cannot be read: it has more than ${largestPact} bytes.`);
    return readNamed(new TextDecoder().decode(body), url);
  } catch (error) {
    if (!(error instanceof TransportError)) throw error;
    throw new UsageError(`The pact ${url} cannot be read: ${error.message}.`);
  }
}

/** Reads one pact from a file or an address, or all pacts of a folder; rejects with a UsageError. */
export async function readPacts(place: string, transport?: Transport): Promise<readonly Pact[]> {
  if (/^https?:\/\//.test(place) && transport !== undefined) return [await download(place, transport)];
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [readFile(place)];
  const files = readdirSync(place)
    .filter((name) => name.endsWith('.json'))
    .sort();
  if (files.length === 0) throw new UsageError(`The folder ${place} holds no pact: expected files that end in .json.`);
  return files.map((name) => readFile(join(place, name)));
}
