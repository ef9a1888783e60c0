/** `petstore-server --service NAME`: serves one of the legal services that `client` tries, and stays until it is interrupted. */

import { parseArgs } from 'node:util';
import { defined } from '../../spec/defined.ts';
import { noHabits, serveVariant } from '../clients/serve-variant.ts';
import { type ClientHabits, referenceVariant, type ServiceVariant, variantWith } from '../clients/service-variant.ts';
import { variations } from '../clients/variations/index.ts';
import { shown, wholeNumber } from '../options/readers.ts';
import { suggest } from '../options/suggest.ts';
import { UsageError } from '../run/usage-error.ts';
import { print } from './files.ts';
import { apiKeyVariable } from './own-secrets.ts';
import { listening } from './refusals.ts';
import { untilAborted } from './stop.ts';

/** Reads the name of a service, as a report shows it: one variation or more, with a plus sign between them. */
export function readService(text: string): ServiceVariant {
  if (text === referenceVariant.id) return referenceVariant;
  const known = [referenceVariant.id, ...variations.map((variation) => variation.id)];
  const named = text.split(/\s\+\s/).map((id) => {
    const found = variations.find((variation) => variation.id === id.trim());
    if (found !== undefined) return found;
    throw new UsageError(`--service takes the name of a service, not "${shown(id.trim())}".${suggest(id, known)}`);
  });
  return variantWith(named);
}

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

/** Resolves with the exit code; throws a UsageError for words that it cannot use. */
export async function serveService(words: readonly string[], interruption: AbortSignal): Promise<number> {
  const options = { service: { type: 'string' }, port: { type: 'string', default: '0' } } as const;
  const { values, tokens } = parseArgs({ args: [...words], options, strict: false, tokens: true });
  const other = tokens.find((token) => token.kind !== 'option' || !Object.hasOwn(options, token.name));
  if (other !== undefined) throw new UsageError('With --service, petstore-server takes --port alone.');
  const variant = readService(String(values.service));
  const port = wholeNumber(0, 65_535)(String(values.port), '--port');
  const key = process.env[apiKeyVariable] || undefined;
  // Pages are among the clients that this is for.
  const allowing = { ...variant, gaps: { cors: 'any-origin', ...variant.gaps } } as const;
  const served = await listening(
    () => serveVariant(allowing, firstRequests, defined({ port, key })),
    port,
    '127.0.0.1',
  );
  const { baseUrl, key: made, categoryId } = served.environment;
  // A key that the user has set is not shown.
  const shownKey = key === undefined ? [`PETSTORE_API_KEY=${made}`] : [];
  await print([`PETSTORE_BASE_URL=${baseUrl}`, ...shownKey, `PETSTORE_CATEGORY_ID=${categoryId}`, ''].join('\n'));
  const meaning = variant.variations.map((variation) => ` ${variation.meaning}`).join('');
  process.stderr.write(`Serving ${variant.id}.${meaning} Ctrl-C ends it.\n`);
  await untilAborted(interruption);
  await served.close();
  return 0;
}
