/** Pacts are read from files, folders and addresses; what cannot be read is refused in one sentence. */

import { mkdirSync, mkdtempSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { version2 } from '../../../pacts/test/handmade.ts';
import { readPacts } from '../../cli/read-pacts.ts';
import { UsageError } from '../../cli/usage-error.ts';
import { type Transport, TransportError } from '../../http/transport.ts';

async function rejects(work: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, UsageError);
  assert.match((error as Error).message, message);
}

test('a folder is read in the order of its names, JSON files only', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
  await rejects(readPacts(folder), /holds no pact: expected files that end in \.json\.$/);
  for (const name of ['b', 'a']) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...version2, consumer: { name } }));
  }
  writeFileSync(join(folder, 'readme.md'), 'no pact');
  const pacts = await readPacts(folder);
  assert.equal(
    pacts.map((pact) => pact.consumer),
    ['a', 'b'],
  );
  mkdirSync(join(folder, 'c.json'));
  await rejects(readPacts(folder), /c\.json cannot be read \(EISDIR\): it is a folder/);
});

test('a file that is larger than any pact is not read', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'petstore-conformance-')), 'large.json');
  writeFileSync(file, '');
  truncateSync(file, 16 * 1024 * 1024 + 1);
  await rejects(readPacts(file), /large\.json is larger than 16777216 bytes\.$/);
});

test('an address is read where there is a transport, and what hinders it is one sentence', async () => {
  const asked: string[] = [];
  const answers =
    (status: number, text: string): Transport =>
    ({ url, method }) => {
      asked.push(`${method} ${url}`);
      return Promise.resolve({ status, headers: {}, body: new TextEncoder().encode(text) });
    };
  const url = 'http://127.0.0.1/pact';
  const [pact] = await readPacts(url, answers(200, JSON.stringify(version2)));
  assert.is(pact?.origin, url);
  assert.equal(asked, [`GET ${url}`]);
  await rejects(readPacts(url, answers(404, '')), /cannot be read: expected 200, received 404\.$/);
  await rejects(readPacts(url, answers(500, '{}')), /cannot be read: expected 200, received 500\.$/);
  await rejects(readPacts(url, answers(200, ' \n')), /is empty/);
  const large: Transport = () => Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(), isCut: true });
  await rejects(readPacts(url, large), /cannot be read: it has more than 16777216 bytes\.$/);
  const broken = () => Promise.reject(new TransportError('timeout', 'no complete response within 5 ms'));
  await rejects(readPacts(url, broken), /cannot be read: no complete response within 5 ms\.$/);
});

test.run();
