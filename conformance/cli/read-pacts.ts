/** Reads the pacts that a user names: files, folders and addresses. One that cannot be read does not stop the others. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Pact, readPact, UnreadablePact } from '../../pacts/pact.ts';
import { providerName } from '../../pacts/states.ts';
import { decodeEscapes } from '../http/percent-escapes.ts';
import { hideInUrls } from '../http/secret-names.ts';
import { type Transport, TransportError } from '../http/transport.ts';
import { escapeForTerminal, shorten } from '../reporters/escape.ts';
import { UsageError } from '../run/usage-error.ts';
import { readText } from './files.ts';

/** Bytes. */
export const largestPact = 16 * 1024 * 1024;

/** A file or an address without a readable pact; the message is one sentence. */
export interface UnreadableOrigin {
  readonly origin: string;
  readonly message: string;
}

export interface ReadPacts {
  readonly pacts: readonly Pact[];
  readonly unreadable: readonly UnreadableOrigin[];
  /** Pacts with other services, in a folder that has one with this service. */
  readonly others: readonly Pact[];
}

const longestOrigin = 150;

export function isAddress(place: string): boolean {
  return /^https?:\/\//i.test(place);
}

/** A file or an address as messages and reports name it: without secrets, and not too long. */
export function originOf(place: string): string {
  return shorten(escapeForTerminal(isAddress(place) ? hideInUrls(place) : place), longestOrigin);
}

/** The address without user and password, which fetch would refuse there, and the headers that carry them. */
function requestFor(address: string): { readonly url: string; readonly headers: Readonly<Record<string, string>> } {
  const url = URL.parse(address);
  if (url === null) throw new UsageError(`The pact ${originOf(address)} cannot be read: it is not an address.`);
  const { username, password } = url;
  if (username === '' && password === '') return { url: address, headers: {} };
  [url.username, url.password] = ['', ''];
  const user = [username, password].map((part) => decodeEscapes(part) ?? part).join(':');
  return { url: url.href, headers: { authorization: `Basic ${Buffer.from(user).toString('base64')}` } };
}

async function download(address: string, transport?: Transport): Promise<string> {
  const failed = (reason: string) => new UsageError(`The pact ${originOf(address)} cannot be read: ${reason}.`);
  if (transport === undefined) throw failed('this command sends nothing, so name a file or a folder');
  const { status, body, isCut } = await transport({ method: 'GET', ...requestFor(address) }).catch((error: unknown) => {
    throw error instanceof TransportError ? failed(error.message) : error;
  });
  if (status !== 200) throw failed(`expected 200, received ${status}`);
  if (isCut) throw failed(`it has more than ${largestPact} bytes`);
  return new TextDecoder().decode(body);
}

function filesIn(place: string): readonly string[] {
  if (isAddress(place) || !statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [place];
  const files = readdirSync(place).filter((name) => name.endsWith('.json'));
  if (files.length > 0) return files.sort().map((name) => join(place, name));
  throw new UsageError(`The folder ${originOf(place)} holds no pact: expected files that end in .json.`);
}

/**
 * Reads all pacts of some places. Addresses need a transport; a UsageError or UnreadablePact becomes `unreadable`. Consumers
 * keep their pacts with all services in one folder: of those only the ones with this `provider` are read, if there are any.
 */
export async function readPacts(
  places: readonly string[],
  transport?: Transport,
  provider: string = providerName,
): Promise<ReadPacts> {
  const pacts: Pact[] = [];
  const others: Pact[] = [];
  const unreadable: UnreadableOrigin[] = [];
  const tryAt = async <Read>(place: string, read: () => Read | Promise<Read>): Promise<readonly Read[]> => {
    try {
      return [await read()];
    } catch (error) {
      if (!(error instanceof UsageError) && !(error instanceof UnreadablePact)) throw error;
      unreadable.push({ origin: originOf(place), message: error.message });
      return [];
    }
  };
  const readOne = async (file: string): Promise<Pact> => {
    const what = { what: 'The pact', largest: largestPact };
    return readPact(await (isAddress(file) ? download(file, transport) : readText(file, what)), originOf(file));
  };
  for (const place of places) {
    const found: Pact[] = [];
    for (const file of (await tryAt(place, () => filesIn(place))).flat()) {
      found.push(...(await tryAt(file, () => readOne(file))));
    }
    const own = found.filter((pact) => pact.provider === provider);
    pacts.push(...(own.length === 0 ? found : own));
    if (own.length > 0) others.push(...found.filter((pact) => !own.includes(pact)));
  }
  return { pacts, unreadable, others };
}

export function showLeftOut({ others }: ReadPacts): void {
  const names = others.map(({ origin, provider }) => `${origin} (with ${shorten(provider, longestOrigin)})`);
  if (names.length > 0) process.stderr.write(`Left out: ${escapeForTerminal(names.join(', '))}.\n`);
}
