/** Collects the licenses of the bundled libraries, which must be distributed with their code. */

import { globSync, readFileSync } from 'node:fs';

interface Library {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

const folderOfLibrary = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

function describe(folder: string, root: string): string {
  const { name, version, license } = JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8')) as Library;
  const [file] = globSync(`${folder}/{LICENSE,LICENCE,license}*`, { cwd: root });
  const text = file === undefined ? `Under the license ${license}; the package holds no text of it.` : '';
  return `${name} ${version} (${license})\n\n${file === undefined ? text : readFileSync(root + file, 'utf8').trim()}\n`;
}

/** One text with the license of each library that one of these files belongs to. */
export function licensesOf(files: readonly string[], root: string): string {
  const folders = new Set(files.flatMap((file) => folderOfLibrary.exec(file)?.[0] ?? []));
  return [...folders]
    .sort()
    .map((folder) => describe(folder, root))
    .join(`\n${'-'.repeat(80)}\n\n`);
}

/** The libraries of such a text, each as "name version". */
export function librariesIn(licenses: string): readonly string[] {
  return licenses.split(/^-{80}$/m).flatMap((part) => /^(\S+ \d+\.\d+\.\d+\S*) \(/.exec(part.trim())?.[1] ?? []);
}
