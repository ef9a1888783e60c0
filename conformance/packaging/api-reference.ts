/** Writes the API reference from the doc comments. An exported name without a doc comment fails the build. */

import { spawnSync } from 'node:child_process';

const root = new URL('../..', import.meta.url).pathname;

/** Writes into a folder, which is emptied first. Throws the output of TypeDoc when TypeDoc warns. */
export function writeApiReference(folder: string): void {
  const tool = `${root}node_modules/typedoc/bin/typedoc`;
  const options = ['--options', 'conformance/packaging/typedoc.json', '--treatWarningsAsErrors', '--out', folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, [tool, ...options], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${stdout}${stderr}`);
}
