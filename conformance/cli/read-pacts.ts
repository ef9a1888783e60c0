/** Reads the pacts that a user names: files and folders. */

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Pact, readPact, UnreadablePact } from '../../pacts/pact.ts';
import { providerName } from '../../pacts/states.ts';
import { hideInUrls } from '../http/secret-names.ts';
import { isAddress, shown } from '../options/readers.ts';
import { UsageError } from '../run/usage-error.ts';
import { readText } from './files.ts';

/** Bytes. */
export const largestPact = 16 * 1024 * 1024;

const longestOrigin = 150;

/** A file as messages and reports name it: without secrets, and not too long. */
function originOf(place: string): string {
  return shown(hideInUrls(place), longestOrigin);
}

async function readOne(file: string): Promise<Pact> {
  const text = await readText(file, 'The pact', largestPact);
  try {
    return readPact(text, originOf(file));
  } catch (error) {
    throw error instanceof UnreadablePact ? new UsageError(error.message) : error;
  }
}

function filesIn(place: string): readonly string[] {
  if (isAddress(place)) {
    throw new UsageError(
      `The pact ${originOf(place)} cannot be read: name a file or a folder, or its broker in PACT_BROKER_BASE_URL.`,
    );
  }
  if (!statSync(place, { throwIfNoEntry: false })?.isDirectory()) return [place];
  const files = readdirSync(place).filter((name) => name.endsWith('.json'));
  if (files.length > 0) return files.sort().map((name) => join(place, name));
  throw new UsageError(`The folder ${originOf(place)} holds no pact: expected files that end in .json.`);
}

/**
 * Reads all pacts of some places; rejects with a UsageError for one that cannot be read. Consumers keep their pacts with all
 * services in one folder: of those only the ones with this `provider` are read, if there are any.
 */
export async function readPacts(places: readonly string[], provider: string = providerName): Promise<readonly Pact[]> {
  const pacts: Pact[] = [];
  for (const place of places) {
    const found = await Promise.all(filesIn(place).map(readOne));
    const own = found.filter((pact) => pact.provider === provider);
    pacts.push(...(own.length === 0 ? found : own));
  }
  return pacts;
}
