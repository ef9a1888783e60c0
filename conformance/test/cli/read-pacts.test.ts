/** Pacts are read from files, folders and addresses; what cannot be read is refused in one sentence. */

import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { version2 } from '../../../pacts/test/handmade.ts';
import { readPacts } from '../../cli/read-pacts.ts';
import { type Transport, TransportError } from '../../http/transport.ts';
import { run, temporaryFolder } from './command.ts';

/** The one message about a place that has no readable pact. */
async function refused(place: string, message: RegExp, transport?: Transport): Promise<void> {
  const { pacts, unreadable } = await readPacts([place], transport);
  assert.equal([pacts.length, unreadable.length], [0, 1]);
  assert.match(unreadable[0]!.message, message);
}

test('a folder is read in the order of its names, JSON files only', async () => {
  const folder = temporaryFolder();
  await refused(folder, /holds no pact: expected files that end in \.json\.$/);
  for (const name of ['b', 'a']) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...version2, consumer: { name } }));
  }
  writeFileSync(join(folder, 'readme.md'), 'no pact');
  const { pacts } = await readPacts([folder]);
  assert.equal(
    pacts.map((pact) => pact.consumer),
    ['a', 'b'],
  );
  mkdirSync(join(folder, 'c.json'));
  const { pacts: others, unreadable } = await readPacts([folder]);
  assert.is(others.length, 2);
  assert.match(unreadable[0]!.message, /c\.json cannot be read: illegal operation on a directory \(EISDIR\)/);
});

test('of a folder with pacts for several services, those for another one are left out', async () => {
  const folder = temporaryFolder();
  const files = ['pet-store', 'payments', 'Pet Shop'].map((name) => {
    const file = join(folder, `site-${name}.json`);
    writeFileSync(file, JSON.stringify({ ...version2, provider: { name } }));
    return file;
  });
  const readFrom = async (place: string, provider?: string) => {
    const { pacts, others } = await readPacts([place], undefined, provider);
    return [pacts, others].map((all) => all.map((pact) => pact.provider));
  };
  assert.equal(await readFrom(folder), [['pet-store'], ['Pet Shop', 'payments']]);
  assert.equal(await readFrom(folder, 'Pet Shop'), [['Pet Shop'], ['payments', 'pet-store']]);
  // Nobody knows by which name the consumers call the service.
  assert.equal(await readFrom(folder, 'pets'), [['Pet Shop', 'payments', 'pet-store'], []]);
  // Whoever names a file wants it.
  assert.equal(await readFrom(files[1]!), [['payments'], []]);
  const { code, stdout, stderr } = await run(['pact', 'lint', folder]);
  assert.is(code, 0, stdout);
  assert.match(
    stderr,
    /^Left out: \S+site-Pet Shop\.json \(with Pet Shop\), \S+site-payments\.json \(with payments\)\.$/m,
  );
});

test('a file that is larger than any pact is not read', async () => {
  const file = join(temporaryFolder(), 'large.json');
  writeFileSync(file, '');
  truncateSync(file, 16 * 1024 * 1024 + 1);
  await refused(file, /large\.json is larger than 16777216 bytes\.$/);
});

test('user and password of an address travel in a header, decoded where their escapes are well formed', async () => {
  const sent: (string | undefined)[] = [];
  const transport: Transport = ({ url, headers }) => {
    assert.is(url, 'http://127.0.0.1/pact');
    sent.push(headers['authorization']);
    return Promise.resolve({ status: 200, headers: {}, body: new TextEncoder().encode(JSON.stringify(version2)) });
  };
  await readPacts(['http://us%40er:p%3Aw@127.0.0.1/pact', 'http://us%zzer:50%@127.0.0.1/pact'], transport);
  assert.equal(
    sent,
    ['us@er:p:w', 'us%zzer:50%'].map((user) => `Basic ${Buffer.from(user).toString('base64')}`),
  );
});

test('an address is read where there is a transport, and a failure to read it is one sentence', async () => {
  const asked: string[] = [];
  const answers =
    (status: number, text: string): Transport =>
    ({ url, method }) => {
      asked.push(`${method} ${url}`);
      return Promise.resolve({ status, headers: {}, body: new TextEncoder().encode(text) });
    };
  const url = 'http://127.0.0.1/pact';
  const { pacts } = await readPacts([url], answers(200, JSON.stringify(version2)));
  assert.is(pacts[0]?.origin, url);
  assert.equal(asked, [`GET ${url}`]);
  await refused(url, /cannot be read: this command sends nothing, so name a file or a folder\.$/);
  await refused(url, /cannot be read: expected 200, received 404\.$/, answers(404, ''));
  await refused(url, /cannot be read: expected 200, received 500\.$/, answers(500, '{}'));
  await refused(url, /is empty/, answers(200, ' \n'));
  const large: Transport = () => Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(), isCut: true });
  await refused(url, /cannot be read: it has more than 16777216 bytes\.$/, large);
  const broken = () => Promise.reject(new TransportError('timeout', 'no complete response within 5 ms'));
  await refused(url, /cannot be read: no complete response within 5 ms\.$/, broken);
});

test.run();
