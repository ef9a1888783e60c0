/** Pacts are read from files and folders; what cannot be read is refused in one sentence. */

import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { version2 } from '../../../pacts/test/handmade.ts';
import { readPacts } from '../../cli/read-pacts.ts';
import { temporaryFolder } from './command.ts';

const folder = temporaryFolder();
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
  const large = join(folder, 'large.json');
  writeFileSync(large, '');
  truncateSync(large, 16 * 1024 * 1024 + 1);
  const odd = folderWith(['pet-store']);
  mkdirSync(join(odd, 'c.json'));
  const address = 'http://me:pass-word@host/pact?token=sesame';
  const { pacts, unreadable } = await readPacts([folderWith([]), large, odd, address]);
  assert.is(pacts.length, 1);
  const sentences = [
    /holds no pact: expected files that end in \.json\.$/,
    /large\.json is larger than 16777216 bytes\.$/,
  ];
  const others = [
    /c\.json cannot be read: illegal operation on a directory \(EISDIR\)/,
    /^The pact \S+ cannot be read: name/,
  ];
  assert.is(unreadable.length, 4);
  for (const [at, sentence] of [...sentences, ...others].entries()) assert.match(unreadable[at]!.message, sentence);
  assert.not.match(unreadable[3]!.message, /pass-word|sesame/);
});

test.run();
