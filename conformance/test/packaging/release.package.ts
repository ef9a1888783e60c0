/** A whole release, made in a copy of the project. */

import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { librariesIn } from '../../packaging/licenses.ts';

const root = new URL('../../..', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-release-test-'));
const artefacts = join(folder, 'build/release');

const copied = ['.github', '.gitignore', 'conformance', 'spec', 'reference-server', 'pacts', 'package.json'];
const alsoCopied = ['package-lock.json', 'tsconfig.json', 'README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE'];
for (const name of [...copied, ...alsoCopied]) cpSync(join(root, name), join(folder, name), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));

function git(...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
}

git('init', '--quiet');
git('config', 'user.name', 'A maintainer');
git('config', 'user.email', 'maintainer@example.com');
writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');

function commitAll(message: string): string {
  git('add', '.');
  git('commit', '--quiet', '--message', message);
  return git('rev-parse', 'HEAD');
}

/** As a maintainer calls it, without the variables of the npm that runs this test. */
function release(...words: readonly string[]) {
  const plain = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name));
  const command = join(folder, 'conformance/packaging/release.ts');
  return spawnSync(process.execPath, [command, ...words], { encoding: 'utf8', env: Object.fromEntries(plain) });
}

function read(file: string): string {
  return readFileSync(join(folder, file), 'utf8');
}

/** What package.json says of the project, whether its maintainers have filled it in or not. */
function describeProject(fields: Readonly<Record<string, string | undefined>>): void {
  const manifest = JSON.parse(read('package.json'));
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ ...manifest, ...fields }, null, 2)}\n`);
}

describeProject({ author: undefined, bugs: undefined, homepage: undefined, repository: undefined });
commitAll('As it is');

test('nothing is released before package.json says whose it is', () => {
  const { status, stderr } = release('9.8.7');
  assert.equal([status, stderr], [2, 'Fill in author, bugs, homepage, repository in package.json first.\n']);
  const home = 'https://github.com/pets/petstore-conformance';
  describeProject({ author: 'The maintainers', bugs: `${home}/issues`, homepage: home, repository: `${home}.git` });
  const uncommitted = release('9.8.7');
  assert.equal([uncommitted.status, uncommitted.stderr], [2, 'Commit your changes first.\n']);
  assert.not.ok(existsSync(artefacts));
});

test('a dry run makes every file of a release, and changes nothing else', () => {
  const before = commitAll('Say whose it is');
  const { status, stdout, stderr } = release('9.8.7', '--dry-run');
  assert.is(status, 0, stdout + stderr);
  assert.is(stdout, 'Release 9.8.7 is in build/release/. Nothing was committed.\n');
  assert.equal([git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain')], [before, '', '']);
  assert.is(git('worktree', 'list').split('\n').length, 1);
  const names = ['SHA256SUMS', 'notes.md', 'petstore-conformance-9.8.7.tgz', 'petstore-conformance.cdx.json'];
  assert.equal(readdirSync(artefacts).sort(), [...names, 'petstore-conformance.mjs']);
  for (const line of read('build/release/SHA256SUMS').trim().split('\n')) {
    const [digest, file = ''] = line.split('  ');
    assert.is(
      createHash('sha256')
        .update(readFileSync(join(artefacts, file)))
        .digest('hex'),
      digest,
    );
    assert.ok(read('build/release/notes.md').includes(line));
  }
});

interface Described {
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes: readonly unknown[];
}

test('the bill of materials is of CycloneDX, and lists the libraries whose code is in the package, with their digests', () => {
  const { bomFormat, metadata, components, dependencies } = JSON.parse(
    read('build/release/petstore-conformance.cdx.json'),
  );
  const own = metadata.component;
  assert.equal([bomFormat, own.name, own.version], ['CycloneDX', 'petstore-conformance', '9.8.7']);
  const pack = join(artefacts, 'petstore-conformance-9.8.7.tgz');
  const licenses = execFileSync('tar', ['-xzOf', pack, 'package/dist/LICENSES-OF-LIBRARIES.txt'], { encoding: 'utf8' });
  const listed = (components as readonly Described[]).map(({ name, version }) => `${name} ${version}`);
  assert.equal(listed.sort(), [...librariesIn(licenses)].sort());
  assert.ok(listed.some((one) => one.startsWith('node-fetch ')) && listed.length > 5, listed.join());
  for (const { name, version, purl, hashes } of components as readonly Described[]) {
    assert.is(purl, `pkg:npm/${name.replace('@', '%40')}@${version}`);
    assert.ok(hashes.length > 0, name);
  }
  assert.is(dependencies.length, components.length);
});

test('a release is committed, and its tag holds the single file where the action looks for it', () => {
  const { status, stdout, stderr } = release('9.8.7');
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, 'git push origin HEAD v9.8.7\n');
  assert.equal([git('log', '-1', '--format=%s'), git('status', '--porcelain')], ['Release 9.8.7', '']);
  assert.match(read('CHANGELOG.md'), /^## Unreleased\n\n## 9\.8\.7 \(\d{4}-\d\d-\d\d\)\n\n\S/m);
  assert.match(
    read('conformance/ci/github-workflow.yml'),
    'pets/petstore-conformance/.github/actions/conformance@v9.8.7',
  );
  const place = 'conformance/ci/petstore-conformance.mjs';
  assert.not.ok(existsSync(join(folder, place)));
  assert.is(git('show', '--format=', '--name-only', 'v9.8.7^{commit}'), place);
  const single = join(artefacts, 'petstore-conformance.mjs');
  assert.is(git('rev-parse', `v9.8.7:${place}`), git('hash-object', single));
  assert.is(execFileSync(process.execPath, [single, '--version'], { encoding: 'utf8' }), '9.8.7\n');
  assert.ok(readFileSync(single, 'utf8').includes(git('rev-parse', 'HEAD')));
  const again = release('9.8.7');
  assert.is(again.stderr, 'CHANGELOG.md has a section for 9.8.7 already.\n');
});

test.after(() => rmSync(folder, { recursive: true, force: true }));

test.run();
