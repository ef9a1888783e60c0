/** §5: each credential as a request has it, and as the text from which a shell makes the same. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  credentialIds,
  findCredential,
  isUnusualCredential,
  refusedCredentials,
  type SentId,
} from '../../../sections/5-authentication/credentials.ts';

const api = 'Key-9f==';
const piped = (command: string): string => `Bearer $(printf %s "$PETSTORE_API_KEY" | ${command})`;

/** Kind → id, the value of Authorization for that key, and its text for a shell; `{key}` stands for the variable of the key. */
const rows: Readonly<Record<string, readonly (readonly [id: SentId, sent: string, shell?: string])[]>> = {
  invalid: [
    ['last-character-changed', 'Bearer Key-97==', piped("sed 's/.\\(=*\\)$/7\\1/'")],
    ['last-character-missing', 'Bearer Key-9f=', 'Bearer {key%?}'],
    ['never-issued', 'Bearer never-issued-key'],
    ['one-character-more', 'Bearer Key-9f==x', 'Bearer {key}x'],
    ['word-after', 'Bearer Key-9f== x', 'Bearer {key} x'],
    ['first-character-missing', 'Bearer ey-9f==', 'Bearer {key#?}'],
    ['one-character-before', 'Bearer xKey-9f==', 'Bearer x{key}'],
    ['very-long', `Bearer ${'0'.repeat(1_500)}`, 'Bearer $(printf %01500d 0)'],
    ['word-null', 'Bearer null'],
    ['word-constructor', 'Bearer constructor'],
    ['word-undefined', 'Bearer undefined'],
    ['first-character-changed', 'Bearer 7ey-9f==', piped("sed 's/^./7/'")],
    ['comma-after', 'Bearer Key-9f==,', 'Bearer {key},'],
    ['bearer-twice', 'Bearer Bearer Key-9f==', 'Bearer Bearer {key}'],
    ['quoted', 'Bearer "Key-9f=="', 'Bearer \\"{key}\\"'],
    ['sql-quote', "Bearer ' OR '1'='1"],
    ['star', 'Bearer *'],
    ['word-proto', 'Bearer __proto__'],
    ['second-of-two', 'Bearer never-issued-key, Bearer Key-9f==', 'Bearer never-issued-key, Bearer {key}'],
  ],
  misplaced: [
    [
      'basic-user-and-password',
      `Basic ${btoa(`${api}:${api}`)}`,
      `Basic $(printf %s:%s "$PETSTORE_API_KEY" "$PETSTORE_API_KEY" | base64 | tr -d '\\n')`,
    ],
    ['without-scheme', 'Key-9f==', '{key}'],
    ['scheme-token', 'Token Key-9f==', 'Token {key}'],
    ['scheme-api-key', 'ApiKey Key-9f==', 'ApiKey {key}'],
    ['scheme-without-space', 'BearerKey-9f==', 'Bearer{key}'],
    ['scheme-with-colon', 'Bearer:Key-9f==', 'Bearer:{key}'],
    ['scheme-x-bearer', 'XBearer Key-9f==', 'XBearer {key}'],
  ],
  missing: [['bearer-without-key', 'Bearer']],
  'other-case': [
    ['case-exchanged', 'Bearer kEY-9F==', piped('tr a-zA-Z A-Za-z')],
    ['lower-case', 'Bearer key-9f==', piped('tr A-Z a-z')],
  ],
  lenient: [['lower-case-bearer', 'bearer Key-9f==', 'bearer {key}']],
};

const inShell = (text: string): string => text.replace(/\$\{PETSTORE_API_KEY/g, '{key');

test('each credential has a value for a request, a text for a shell, and a kind', () => {
  for (const [kind, ofKind] of Object.entries(rows)) {
    for (const [id, sent, shell = sent] of ofKind) {
      const { shown, headers } = findCredential(id, { api })!;
      assert.equal([shown.kind, headers], [kind, { authorization: sent }], id);
      assert.equal([inShell(shown.curl.words), shown.curl.query], [`-H "Authorization: ${shell}"`, undefined], id);
    }
  }
  const known = Object.values(rows).flatMap((ofKind) => ofKind.map(([id]) => id));
  assert.equal([...known, 'none', 'elsewhere', 'empty-header'].toSorted(), credentialIds.toSorted());
});

test('the form of a header is told apart from the key in it, as libraries that read such headers do', () => {
  const formOf = (id: string): string | undefined => findCredential(id, { api, rateLimit: 'other' })!.shown.form;
  const forms = Map.groupBy(['api-key', 'rate-limit-key', ...credentialIds], formOf);
  assert.equal(forms.get('no Authorization header'), ['none', 'elsewhere', 'empty-header']);
  assert.equal(forms.get('another scheme than Bearer'), [
    'basic-user-and-password',
    'without-scheme',
    'scheme-token',
    'scheme-api-key',
    'scheme-without-space',
    'scheme-with-colon',
    'scheme-x-bearer',
  ]);
  assert.equal(forms.get('Bearer without a plain token'), [
    // The key ends with the padding of base64, which nothing may follow.
    'one-character-more',
    'bearer-without-key',
    'word-after',
    'comma-after',
    'bearer-twice',
    'quoted',
    'sql-quote',
    'star',
    'second-of-two',
  ]);
  assert.is(forms.size, 4);
  assert.ok(forms.get('Bearer and a token')!.includes('lower-case-bearer'));
});

test('an empty header has the form that curl sends, and no header has none', () => {
  const empty = findCredential('empty-header', { api })!;
  assert.equal([empty.headers, empty.shown.curl.words], [{ authorization: '' }, '-H "Authorization;"']);
  assert.equal(findCredential('none', { api })!.headers, {});
});

test('the key in all other places is escaped in cookies and in the query', () => {
  const { headers, query, shown } = findCredential('elsewhere', { api: 'a/B' })!;
  const names = ['x-api-key', 'api-key', 'x-auth-token', 'x-access-token', 'x-authorization', 'x-auth-key'];
  assert.equal(headers, {
    ...Object.fromEntries(names.map((name) => [name, 'a/B'])),
    'x-forwarded-authorization': 'Bearer a/B',
    authentication: 'Bearer a/B',
    cookie: 'api_key=a%2FB; token=a%2FB; session=a%2FB; access_token=a%2FB',
  });
  assert.is(query, 'api_key=a%2FB&access_token=a%2FB&key=a%2FB&token=a%2FB&apikey=a%2FB&auth=a%2FB');
  const inQuery = 'api_key={key}&access_token={key}&key={key}&token={key}&apikey={key}&auth={key}';
  assert.is(inShell(shown.curl.query!), inQuery);
  assert.match(inShell(shown.curl.words), '-H "X-API-Key: {key}" -H "Api-Key: {key}" -H "X-Auth-Token: {key}"');
});

test('a character that is changed differs in a high bit, and digits of a hexadecimal key stay digits', () => {
  const changed = (key: string) =>
    ['first-character-changed', 'last-character-changed'].map(
      (id) => findCredential(id, { api: key })!.headers['authorization'],
    );
  assert.equal(changed('xyz9=='), ['Bearer ayz9==', 'Bearer xyza==']);
  assert.equal(changed('F00A'), ['Bearer 700A', 'Bearer F007']);
});

test('what firewalls and proxies refuse by themselves is unusual', () => {
  const unusual = credentialIds.filter(isUnusualCredential);
  const expected = ['elsewhere', 'very-long', 'comma-after', 'quoted', 'sql-quote', 'star', 'second-of-two'];
  assert.equal(unusual, expected);
  for (const id of credentialIds) {
    assert.is(findCredential(id, { api })!.shown.isUnusual ?? false, expected.includes(id), id);
  }
});

test('refused are all that are missing, wrong or misplaced; what equals the key is none, and the other key is known', () => {
  const ids = refusedCredentials({ api, rateLimit: 'other' }).map(({ shown: { id } }) => id);
  const open = ['case-exchanged', 'lower-case', 'lower-case-bearer'];
  assert.equal(
    ids,
    credentialIds.filter((id) => !open.includes(id)),
  );
  assert.is(findCredential('lower-case', { api: 'key-1' }), undefined);
  assert.is(findCredential('rate-limit-key', { api }), undefined);
  assert.equal(findCredential('rate-limit-key', { api, rateLimit: 'other' })!.headers, {
    authorization: 'Bearer other',
  });
  assert.equal(findCredential('api-key', { api })!.headers, { authorization: `Bearer ${api}` });
});

test.run();
