/** Pacts are read from files and folders; what cannot be read is refused in one sentence. */

import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { version2 } from '../../../pacts/test/handmade.ts';
import { readPacts } from '../../cli/read-pacts.ts';
import { run, temporaryFolder } from './command.ts';

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

/** Places, and the name of the service → the services of the pacts that are read, and of those left out. */
const rows: readonly (readonly [place: string, provider: string, read: string, leftOut: string])[] = [
  [shop, 'pet-store', 'pet-store', 'Pet Shop,payments'],
  [shop, 'Pet Shop', 'Pet Shop', 'payments,pet-store'],
  // Nobody knows by which name the consumers call the service.
  [shop, 'pets', 'Pet Shop,payments,pet-store', ''],
  // Whoever names a file wants it.
  [join(shop, 'site-payments.json'), 'pet-store', 'payments', ''],
];

for (const [place, provider, ...expected] of rows) {
  test(`of ${place.slice(-20)} for ${provider} is read: ${expected[0]}`, async () => {
    const { pacts, others } = await readPacts([place], provider);
    assert.equal(
      [pacts, others].map((all) => all.map((pact) => pact.provider).join()),
      expected,
    );
  });
}

test('what is left out is said', async () => {
  const { code, stdout, stderr } = await run(['pact', 'lint', shop]);
  assert.is(code, 0, stdout);
  const both = /^Left out: \S+site-Pet Shop\.json \(with Pet Shop\), \S+site-payments\.json \(with payments\)\.$/m;
  assert.match(stderr, both);
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
