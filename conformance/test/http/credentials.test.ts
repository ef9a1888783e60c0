/** Credentials are derived from the key: wrong ones, whatever the key is, each found by its id and sent in its place. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { noKey } from '../../http/credentials.ts';
import { trialSettings } from '../../proof/trial.ts';
import { plainListing, prepare } from '../../run/planned-request.ts';
import { credentialIds, findCredential, refusedCredentials } from '../../sections/5-authentication/credentials.ts';

const tokenOf = (id: string, key: string): string | undefined =>
  findCredential(id, { api: key })?.headers['authorization']?.slice('Bearer '.length);

test('no refused credential is the real key', () => {
  const long = 'x'.repeat(200);
  for (const key of ['a', 'ab', '0000', '7777', 'UPPER', 'lower', long, 'a-b_c.d~e', '!!!', '*', 'null', 'x7X7x']) {
    const headers = refusedCredentials({ api: key }).map((one) => one.headers['authorization']);
    assert.ok(headers.length > 10 && !headers.includes(`Bearer ${key}`), key);
  }
  assert.equal([tokenOf('case-exchanged', 'key'), tokenOf('lower-case', 'key')], ['KEY', undefined]);
  // The low bits of the last character of base64 may be padding.
  for (const bytes of [4, 5, 7, 8, 16, 32]) {
    const content = Buffer.from(Array.from({ length: bytes }, (_nothing, at) => (at * 89 + 7) % 256));
    const other = tokenOf('last-character-changed', content.toString('base64'))!;
    assert.not.equal(Buffer.from(other, 'base64'), content, String(bytes));
  }
});

test('credentials differ, and each is found by its id', () => {
  const keys = { api: 'Some-Key-1', rateLimit: 'Other-Key-2' };
  const all = credentialIds.map((id) => findCredential(id, keys)!);
  const contents = all.map(({ headers, query }) => JSON.stringify([headers, query]));
  assert.is(new Set(contents).size, contents.length);
  assert.is(findCredential('none', keys), noKey);
  assert.is(findCredential('rate-limit-key', keys)?.headers['authorization'], 'Bearer Other-Key-2');
  assert.is(findCredential('id-of-no-credential', keys), undefined);
  const { headers, query } = findCredential('elsewhere', { api: 'a&b' })!;
  assert.match(`${headers['x-api-key']} ${headers['cookie']} ${query}`, /^a&b api_key=a%26b; .*api_key=a%26b&/);
});

test('a credential in the query stands behind the parameters, or alone', () => {
  const keys = { api: 'Some-Key-1' };
  const credential = findCredential('elsewhere', keys)!;
  const urlOf = (target: string): string =>
    prepare({ ...plainListing, target, credential }, keys, trialSettings(60)).outgoing.url;
  assert.match(urlOf('/pets?limit=1'), /\/pets\?limit=1&[^?]+$/);
  assert.match(urlOf('/pets'), /\/pets\?[^?&]+=/);
});

test.run();
