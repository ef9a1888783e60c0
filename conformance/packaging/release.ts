/**
 * `npm run release -- VERSION [--dry-run]`: makes a release in build/release/, with a commit and a tag. It publishes
 * nothing and pushes nothing; it prints the commands that do. A dry run keeps neither commit nor tag.
 *
 * Everything is made in a work tree of its own, so that a release that fails changes nothing.
 */

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { librariesIn } from './licenses.ts';
import * as texts from './release-texts.ts';

const singleFile = 'petstore-conformance.mjs';
/** Where the action of the same tag looks for the single file. */
const placeForAction = `conformance/ci/${singleFile}`;
/** Pages and recipes that name the repository and the version. */
const addressed = ['README.md', 'conformance/README.md', 'conformance/ci/{README.md,*.yml}'];

function call(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim();
}

function rewrite(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

function readManifest(folder: string): texts.Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as texts.Manifest;
}

function commitVersion(folder: string, version: string): void {
  call('npm', ['version', version, '--no-git-tag-version', '--allow-same-version', '--ignore-scripts'], folder);
  rewrite(join(folder, 'conformance/verdict/kit.ts'), (text) =>
    text.replace(/version: '.*?'/, `version: '${version}'`),
  );
  const day = new Date().toISOString().slice(0, 10);
  rewrite(join(folder, 'CHANGELOG.md'), (text) => texts.closeUnreleased(text, version, day));
  const manifest = readManifest(folder);
  for (const file of globSync(addressed, { cwd: folder })) {
    rewrite(join(folder, file), (text) => texts.withAddresses(text, manifest, version));
  }
  call('git', ['commit', '--quiet', '--all', '--allow-empty', '--message', `Release ${version}`], folder);
}

function writeArtefacts(folder: string, artefacts: string, version: string, changes: string): void {
  rmSync(artefacts, { recursive: true, force: true });
  mkdirSync(artefacts, { recursive: true });
  // prepack builds.
  call('npm', ['pack', '--pack-destination', artefacts, '--loglevel=error'], folder);
  copyFileSync(join(folder, 'dist/single', singleFile), join(artefacts, singleFile));
  const sbom = call('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx'], folder);
  const bundled = librariesIn(readFileSync(join(folder, 'dist/LICENSES-OF-LIBRARIES.txt'), 'utf8'));
  const bill = texts.billOfBundled(JSON.parse(sbom) as texts.BillOfMaterials, bundled, 'petstore-conformance');
  writeFileSync(join(artefacts, 'petstore-conformance.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
  const sums = globSync('*', { cwd: artefacts })
    .sort()
    .map((file) => `${hash('sha256', readFileSync(join(artefacts, file)))}  ${file}\n`)
    .join('');
  writeFileSync(join(artefacts, 'SHA256SUMS'), sums);
  writeFileSync(join(artefacts, 'notes.md'), texts.notesFor(version, changes, sums));
}

/** Commits the single file for the action. The tag points to this commit, and no branch contains it. */
function commitSingleFile(folder: string, version: string): void {
  copyFileSync(join(folder, 'dist/single', singleFile), join(folder, placeForAction));
  call('git', ['add', '--force', placeForAction], folder);
  const message = `Release ${version} with the single file for the action`;
  call('git', ['commit', '--quiet', '--message', message], folder);
}

/** Makes the release. With `isDry`, the repository keeps neither its commit nor its tag. */
function release(root: string, version: string, isDry: boolean): void {
  const artefacts = join(root, 'build/release');
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-release-'));
  const git = (...args: readonly string[]): string => call('git', args, root);
  git('worktree', 'add', '--quiet', '--detach', folder, 'HEAD');
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const changes = texts.unreleasedOf(readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'));
    commitVersion(folder, version);
    writeArtefacts(folder, artefacts, version, changes);
    commitSingleFile(folder, version);
    if (isDry) return;
    const [tagged = '', released = ''] = call('git', ['rev-parse', 'HEAD', 'HEAD~1'], folder).split('\n');
    git('merge', '--quiet', '--ff-only', released);
    git('tag', '--annotate', `v${version}`, '--message', `petstore-conformance ${version}`, tagged);
  } finally {
    git('worktree', 'remove', '--force', folder);
  }
}

function main(root: string): void {
  const { values, positionals } = parseArgs({
    options: { 'dry-run': { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [version = ''] = positionals;
  const isDry = values['dry-run'];
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const isChanged = !isDry && call('git', ['status', '--porcelain'], root) !== '';
  const complaint = isChanged
    ? 'Commit your changes first.'
    : texts.complaintOf(readManifest(root), version, changelog);
  if (complaint !== undefined) {
    console.error(complaint);
    process.exitCode = 2;
    return;
  }
  release(root, version, isDry);
  const tarball = basename(globSync('build/release/*.tgz', { cwd: root })[0] ?? '');
  console.log(
    isDry
      ? `Release ${version} is in build/release/. Nothing was committed.`
      : `Release ${version} is in build/release/, committed and tagged. To publish it:
  git push origin HEAD v${version}
  gh release create v${version} build/release/* --notes-file build/release/notes.md
  npm publish build/release/${tarball}`,
  );
}

main(new URL('../..', import.meta.url).pathname);
