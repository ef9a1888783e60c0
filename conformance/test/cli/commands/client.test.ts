/** `client -- COMMAND…` as a user runs it, with scripts as clients. */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const at = (name: string): string => join(folder, name);
const node = process.execPath;

/** A script that asks as it pleases; `ask` sends with the key. */
function script(name: string, body: string): string {
  const head = `const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key, PETSTORE_CATEGORY_ID: category } = process.env;
const ask = (path, init = {}) => fetch(base + path, { ...init, headers: { authorization: 'Bearer ' + key, 'content-type': 'application/json' } });
const create = (name) => ask('/pets', { method: 'POST', body: JSON.stringify({ name, categoryId: Number(category) }) });
`;
  writeFileSync(at(`${name}.mjs`), head + body);
  return at(`${name}.mjs`);
}

const plain = script('plain', "if ((await ask('/pets')).status !== 200) process.exit(1);");
const ordered = script(
  'ordered',
  "for (const name of ['a', 'b']) await create(name);\nif ((await (await ask('/pets')).json())[0].name !== 'a') throw new Error('not a, ' + key);",
);
const endless = script('endless', 'setInterval(() => {}, 1_000);');
const names = script(
  'names',
  "if (!(await ask('/pets')).ok) process.exit(1);\nconsole.log(Object.keys(process.env).filter((name) => name.startsWith('PETSTORE_')).sort().join(), process.argv[2]);",
);
const careless = `k="Authorization: Bearer $PETSTORE_API_KEY"; curl -s -H "$k" "$PETSTORE_BASE_URL/pets?limit=500"
curl -s -X PUT -H "$k" -d '{}' "$PETSTORE_BASE_URL/pets/1"; curl -s "$PETSTORE_BASE_URL/pets"; true`;

const expires = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
writeFileSync(at('waivers.yaml'), `- { id: any-list-order, reason: known, owner: us, expires: ${expires} }\n`);
writeFileSync(at('profile.yaml'), 'list-order: oldest-first # In order of creation.\n');
writeFileSync(at('sideways.yaml'), 'list-order: sideways\n');

const ordering = ['--differs-in', 'list-order'];

/** Options and a command → the exit code, and what is printed in lines that are not wrapped. */
const calls: readonly (readonly [words: readonly string[], code: number, ...printed: readonly RegExp[]])[] = [
  [
    ['--verbose', ...ordering, '--', node, plain],
    0,
    /✓ pass {2}any-list-order {2}Works whatever the answer is: In which order are animals listed\? \(2 exchanges\)/,
    /^WORKS WITH (\d+) OF \1 LEGAL SERVICES: client: /m,
    /^The output of the client is in \S+\.$/m,
  ],
  [
    [...ordering, '--', node, ordered],
    1,
    /^What the client printed last\n[\s\S]*list-order=newest-first: exit code 1\n/m,
    /Error: not a, \[key\]/,
    /expected the client to work with list-order=newest-first \(In reverse order of creation\.\)/,
    /--gaps PROFILE/,
  ],
  [[...ordering, '--waivers', at('waivers.yaml'), '--', node, ordered], 0, /waived/],
  [[...ordering, '--gaps', at('profile.yaml'), '--', node, ordered], 0],
  [
    ['--', node, '-e', "import('no-such-package')"],
    3,
    /^The client fails with the reference server already: exit code 1 before it sent a request to PETSTORE_BASE_URL \(see .*001-reference\.txt\)\. Try it by hand: /m,
    /What the client printed last\n.*reference: exit code 1\n[\s\S]*Cannot find package 'no-such-package'/,
  ],
  [
    ['--quiet', '--differs-in', 'limit-out-of-range', '--', 'sh', '-c', careless],
    1,
    /^Works with 5 of 5 legal services; 1 requirement broken/,
  ],
  [['--time-limit', '1', '--', node, endless], 3, /no end within 1 s/],
];

for (const [words, code, ...printed] of calls) {
  test(`client ${words.join(' ').slice(0, 60)} ends with ${code}`, async () => {
    const result = await run(['client', ...words], { COLUMNS: '1000' });
    assert.is(result.code, code, result.stdout + result.stderr);
    for (const pattern of printed) assert.match(result.stdout, pattern);
  });
}

/** The report of a client, and the folder of its output. */
async function reportOn(words: readonly string[], environment: Readonly<Record<string, string>>) {
  const [file, output] = [at('report.json'), temporaryFolder()];
  const result = await run(['client', '--output', output, '--reporter', `json=${file}`, ...words], environment);
  return { ...result, output, text: readFileSync(file, 'utf8'), report: JSON.parse(readFileSync(file, 'utf8')) };
}

test('the output of each run is kept without its key, and the report names it', async () => {
  const words = [...ordering, '--', node, ordered];
  const { code, stdout, output, text, report } = await reportOn(words, { PETSTORE_API_KEY: 'a-real-key' });
  assert.is(code, 1);
  const lines = /^Works with \d+ of \d+ legal services; relies on 1 answer: client: [^\n]+\nWritten to [^\n]+\.\n$/;
  assert.match(stdout, lines);
  assert.equal(report.client.command, [node, ordered]);
  assert.equal([report.client.services[0].id, readdirSync(output).sort()[0]], ['reference', '001-reference.txt']);
  const failed = report.client.services.find((one: { isPassed: boolean }) => !one.isPassed);
  assert.match(readFileSync(failed.output, 'utf8'), 'not a, [key]');
  const { failures } = report.requirements.find((one: { id: string }) => one.id === 'any-list-order');
  assert.match(failures[0].received, `(see ${output}`);
  assert.match(failures[0].received, 'it relies on list-order: oldest-first, and the interface does not say so (§4.1)');
  assert.not.match(text, /client-[0-9a-f]{24}/);
});

test('its command meets no key of a real service, and its flags are its own', async () => {
  const environment = { PETSTORE_RATE_LIMIT_KEY: 'a-real-key', PETSTORE_DIFFERS_IN: 'list-order' };
  const { code, output, report } = await reportOn(['--', node, names, '--help', 'a-real-key'], environment);
  assert.equal([code, report.client.command], [0, [node, names, '--help', '[key]']]);
  const printed = readFileSync(join(output, '001-reference.txt'), 'utf8');
  assert.is(printed, 'PETSTORE_API_KEY,PETSTORE_BASE_URL,PETSTORE_CATEGORY_ID --help\n');
});

/** Words → the sentence of 2. */
const refused: readonly (readonly [words: readonly string[], sentence: RegExp])[] = [
  [[], /^client takes <COMMAND\.\.\.>, not 0 words; see petstore-conformance client --help\.$/m],
  [['--', 'npm test'], /^The command npm test cannot be started: .* Give its words separately: client -- npm test$/m],
  [['--', '/no/such'], /The command \/no\/such cannot be started: no such file or directory \(ENOENT\)/],
  [['--gaps', at('sideways.yaml'), '--', 'true'], /^The file .* of --gaps .* has the answers .*, not "sideways"; /],
];

test('a client that cannot be started ends with 2 and one sentence, and leaves no folder', async () => {
  const emptyFolder = temporaryFolder();
  for (const [words, sentence] of refused) {
    const { code, stdout, stderr } = await run(['client', ...words], { TMPDIR: emptyFolder });
    assert.equal([code, stdout, readdirSync(emptyFolder)], [2, '', []]);
    assert.match(stderr, sentence);
    assert.match(stderr, /^[^\n]+\n$/);
  }
});

test.run();
