/** Builds what is published into dist/: the sources without types, the types, and what is read at run time. */

import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, rmSync } from 'node:fs';

const root = new URL('../..', import.meta.url).pathname;

/** What is no TypeScript and belongs to the package. */
const assets = '{spec/openapi.yaml,conformance/report.schema.json,conformance/*/compiled-*}';

rmSync(`${root}dist`, { recursive: true, force: true });
const compiler = `${root}node_modules/typescript/bin/tsc`;
execFileSync(process.execPath, [compiler, '-p', `${root}conformance/build`], { stdio: 'inherit' });
for (const file of globSync(assets, { cwd: root })) copyFileSync(root + file, `${root}dist/${file}`);
