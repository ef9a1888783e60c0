/** `client --serve NAME`: starts one service variant, says how to reach it, and stays until it is interrupted. */

import { defined } from '../../spec/defined.ts';
import { noHabits, type ServedVariant, serveVariant } from '../clients/serve-variant.ts';
import type { ClientHabits, ServiceVariant } from '../clients/service-variant.ts';
import { print } from './files.ts';
import { listening } from './refusals.ts';
import { untilAborted } from './stop.ts';

/** Without earlier runs of the client, a 429 meets its first request of the operation. */
const firstRequests: ClientHabits = {
  ...noHabits,
  usual: [
    { operation: 'listPets', nth: 1 },
    { operation: 'createPet', nth: 1 },
    { operation: 'getPet', nth: 1 },
  ],
  repeated: { operation: 'listPets', nth: 1 },
};

/** The variables that a client needs, as a shell reads them; a key that the user has set is not shown. */
function variablesOf({ environment: { baseUrl, key, categoryId } }: ServedVariant, isOwnKey: boolean): string {
  const shownKey = isOwnKey ? [] : [`PETSTORE_API_KEY=${key}`];
  return [`PETSTORE_BASE_URL=${baseUrl}`, ...shownKey, `PETSTORE_CATEGORY_ID=${categoryId}`].join('\n');
}

export async function serveClient(variant: ServiceVariant, port: number, interruption: AbortSignal): Promise<number> {
  const key = process.env['PETSTORE_API_KEY'] || undefined;
  // Pages are among the clients that this is for.
  const allowing = { ...variant, gaps: { cors: 'any-origin', ...variant.gaps } } as const;
  const start = () => serveVariant(allowing, firstRequests, defined({ port, key }));
  const served = await listening(start, port, '127.0.0.1');
  const meaning = variant.variations.map((variation) => ` ${variation.meaning}`).join('');
  await print(`${variablesOf(served, key !== undefined)}\n`);
  process.stderr.write(`Serving ${variant.id}.${meaning} Ctrl-C ends it.\n`);
  await untilAborted(interruption);
  await served.close();
  return 0;
}
