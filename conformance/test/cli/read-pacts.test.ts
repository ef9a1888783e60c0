/** Pacts are read from files and folders; what cannot be read is refused in one sentence. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import version2 from '../../../pacts/test/shelter-kiosk-version-2.json' with { type: 'json' };
import { readPacts } from '../../cli/read-pacts.ts';
import type { UsageError } from '../../run/usage-error.ts';
import { temporaryFolder } from './command.ts';

/** A folder with a pact for each of these services, and a file that is no pact. */
function folderWith(providers: readonly string[]): string {
  const made = temporaryFolder();
  for (const name of providers) {
    writeFileSync(join(made, `site-${name}.json`), JSON.stringify({ ...version2, provider: { name } }));
  }
  writeFileSync(join(made, 'readme.md'), 'no pact');
  return made;
}
const shop = folderWith(['pet-store', 'payments', 'Pet Shop']);

/** A folder in which another one is named like a pact. */
const nested = folderWith(['pet-store']);
mkdirSync(join(nested, 'c.json'));

test('of a folder the pacts with the service are read, or all of them where none names it; what is no pact is refused in one sentence', async () => {
  for (const [place, provider, read] of [
    [shop, 'pet-store', /^pet-store$/],
    [shop, 'Pet Shop', /^Pet Shop$/],
    [shop, 'pets', /^Pet Shop,payments,pet-store$/],
    // Whoever names a file wants it.
    [join(shop, 'site-payments.json'), 'pet-store', /^payments$/],
    [folderWith([]), 'pet-store', /^UsageError: The folder \S+ holds no pact: expected files that end in \.json\.$/],
    [nested, 'pet-store', /^UsageError: The pact \S+c\.json cannot be read: .*EISDIR/],
  ] as const) {
    const found = readPacts([place], provider).then((pacts) => pacts.map((pact) => pact.provider).join());
    assert.match(await found.catch((error: UsageError) => `${error.constructor.name}: ${error.message}`), read);
  }
});

test.run();
