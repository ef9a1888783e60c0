/**
 * Builds the published package into dist/. Libraries are bundled, so that a user installs one package. Code that several
 * entries share goes into chunks, so that a command loads only the code that it uses. All files lie in one folder, where
 * the code finds the files that it reads, such as openapi.yaml.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { bundleKit, bundleSingleFile } from './bundle.ts';
import { licensesOf } from './licenses.ts';

const root = new URL('../..', import.meta.url).pathname;
const dist = `${root}dist/`;

rmSync(dist, { recursive: true, force: true });
const licenses = licensesOf(await bundleKit(dist), root);
writeFileSync(`${dist}LICENSES-OF-LIBRARIES.txt`, licenses);
for (const command of ['petstore-conformance', 'petstore-server']) chmodSync(`${dist}${command}.js`, 0o755);

/** The types that are public, a file for each entry. The compiler writes one for each source file first. */
function tool(...words: readonly string[]): void {
  execFileSync(process.execPath, words, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
}
tool('node_modules/typescript/bin/tsc', '-p', 'conformance/packaging');
tool(
  'node_modules/dts-bundle-generator/dist/bin/dts-bundle-generator.js',
  '--silent',
  '--config',
  'conformance/packaging/types.json',
);
rmSync(`${root}build/types`, { recursive: true });

/** The kit as one file, for teams without npm. */
const text = `${await bundleSingleFile()}\n/*\n${licenses.replaceAll('*/', '* /')}*/\n`;
mkdirSync(`${dist}single`, { recursive: true });
writeFileSync(`${dist}single/petstore-conformance.mjs`, text, { mode: 0o755 });
