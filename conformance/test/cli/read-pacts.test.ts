/** Pacts are read from files and folders; what cannot be read is refused in one sentence. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { version2 } from '../../../pacts/test/handmade.ts';
import { readPacts } from '../../cli/read-pacts.ts';
import { temporaryFolder } from './command.ts';

/** Pacts for services of these names, behind which stand those of other folders. */
function folderWith(providers: readonly string[]): string {
  const made = temporaryFolder();
  for (const name of providers) {
    writeFileSync(join(made, `site-${name}.json`), JSON.stringify({ ...version2, provider: { name } }));
  }
  writeFileSync(join(made, 'readme.md'), 'no pact');
  return made;
}
const shop = folderWith(['pet-store', 'payments', 'Pet Shop']);

test('of a folder the pacts with the service are read, or all where nobody knows its name', async () => {
  for (const [place, provider, read] of [
    [shop, 'pet-store', 'pet-store'],
    [shop, 'Pet Shop', 'Pet Shop'],
    [shop, 'pets', 'Pet Shop,payments,pet-store'],
    // Whoever names a file wants it.
    [join(shop, 'site-payments.json'), 'pet-store', 'payments'],
  ] as const) {
    const { pacts } = await readPacts([place], provider);
    assert.is(pacts.map((pact) => pact.provider).join(), read);
  }
});

test('what cannot be read is one sentence, and does not stop the others', async () => {
  const odd = folderWith(['pet-store']);
  mkdirSync(join(odd, 'c.json'));
  const { pacts, unreadable } = await readPacts([folderWith([]), odd]);
  const sentences = unreadable.map(({ message }) => message).join('\n');
  assert.is(pacts.length, 1);
  assert.match(
    sentences,
    /^.* holds no pact: expected files that end in \.json\.\n.*c\.json cannot be read: .*\(EISDIR\)/,
  );
});

test.run();
