/** `client -- COMMAND…` as a user runs it, with scripts as clients. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { onlyProgress, run, temporaryFolder, testCalls } from '../command.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const node = process.execPath;

/** A script that relies on the order of animals; it prints its settings, and fails with its key. */
const ordered = at('ordered.mjs');
writeFileSync(
  ordered,
  `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key, PETSTORE_CATEGORY_ID: category } = process.env;
console.log(Object.keys(process.env).filter((name) => name.startsWith('PETSTORE_')).sort().join(), process.argv[2]);
const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' };
const create = (name) => fetch(base + '/pets', { method: 'POST', headers, body: JSON.stringify({ name, categoryId: Number(category) }) });
for (const name of ['a', 'b']) await create(name);
const names = (await (await fetch(base + '/pets', { headers })).json()).map(({ name }) => name);
if (names.indexOf('a') > names.indexOf('b')) throw new Error('not a, ' + key);
`,
);
const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
writeFileSync(at('waivers.yaml'), `- { id: any-list-order, reason: known, owner: us, expires: ${expires} }\n`);
writeFileSync(at('profile.yaml'), 'list-order: oldest-first # In order of creation.\n');
writeFileSync(at('sideways.yaml'), 'list-order: sideways\n');

const ordering = ['--differs-in', 'list-order'];

/** Options and a command → the exit code, and what is printed in lines that are not wrapped. */
const calls: readonly (readonly [words: readonly string[], code: number, ...printed: readonly RegExp[]])[] = [
  [[...ordering, '--waivers', at('waivers.yaml'), '--', node, ordered], 0, /waived/],
  [
    [...ordering, '--gaps', at('profile.yaml'), '--', node, ordered],
    0,
    /^WORKS WITH (\d+) OF \1 LEGAL SERVICES: client: /m,
    /^The output of the client is in \S+\.$/m,
  ],
  [
    ['--', node, '-e', "import('no-such-package')"],
    3,
    /^The client fails with the reference server already: exit code 1 before it sent a request to PETSTORE_BASE_URL \(see .*001-ten-animals.txt\)\. Try it by hand: /m,
    /What the client printed last\n.*ten-animals: exit code 1\n[\s\S]*Cannot find package 'no-such-package'/,
  ],
  [['--time-limit', '1', '--', node, '-e', 'setInterval(() => {}, 1_000)'], 3, /no end within 1 s/],
];

const environment = { COLUMNS: '1000' };
testCalls(
  calls.map(([words, code, ...stdout]) => {
    return { words: ['client', ...words], environment, code, stdout, stderr: onlyProgress };
  }),
);

test('a reliance is shown with what the client printed, in whose output and report no key of a service is', async () => {
  const [file, output] = [at('report.json'), temporaryFolder()];
  const reports = ['--output', output, '--reporter', `json=${file}`, '--reporter', 'terminal'];
  const keys = {
    PETSTORE_API_KEY: 'a-real-key',
    PETSTORE_RATE_LIMIT_KEY: 'another',
    PETSTORE_DIFFERS_IN: 'list-order',
  };
  const words = ['client', ...reports, '--', node, ordered, '--help', 'a-real-key'];
  const { code, stdout } = await run(words, { ...keys, ...environment });
  assert.is(code, 1);
  assert.match(stdout, /^What the client printed last\n[\s\S]*list-order=newest-first: exit code 1\n/m);
  assert.match(stdout, /Error: not a, \[key\]/);
  assert.match(stdout, /--gaps PROFILE/);
  const text = readFileSync(file, 'utf8');
  const { client, requirements } = JSON.parse(text);
  assert.equal(client.command, [node, ordered, '--help', '[key]']);
  assert.equal([client.services[0].id, readdirSync(output).sort()[0]], ['ten-animals', '001-ten-animals.txt']);
  const [{ received }] = requirements.find(({ id }: { id: string }) => id === 'any-list-order').failures;
  assert.match(received, `(see ${output}`);
  assert.match(received, 'it relies on list-order: oldest-first, and the interface does not say so (§4.1)');
  const failed = client.services.find(({ id }: { id: string }) => id === 'list-order=newest-first');
  const printed = readFileSync(failed.output, 'utf8');
  assert.match(printed, /^PETSTORE_API_KEY,PETSTORE_BASE_URL,PETSTORE_CATEGORY_ID --help\n/);
  assert.match(printed, 'not a, [key]');
  assert.not.match(text, /client-[0-9a-f]{24}/);
});

/** Words → the sentence of 2. */
const refused: readonly (readonly [words: readonly string[], sentence: RegExp])[] = [
  [[], /^client takes <COMMAND\.\.\.>, not 0 words; see petstore-conformance client --help\.$/m],
  [['--', 'npm test'], /^The command npm test cannot be started: .* Give its words separately: client -- npm test$/m],
  [['--', '/no/such'], /The command \/no\/such cannot be started: spawn \/no\/such ENOENT/],
  [
    ['--gaps', at('sideways.yaml'), '--', 'true'],
    /^The file .* of --gaps cannot be used: The gap list-order has the answers .*, not "sideways"\.$/m,
  ],
];

const TMPDIR = temporaryFolder();
testCalls(
  refused.map(([words, stderr]) => ({ words: ['client', ...words], environment: { TMPDIR }, code: 2, stderr })),
);
test('a client that cannot be started leaves no folder', () => assert.equal(readdirSync(TMPDIR), []));

test.run();
