/**
 * Builds what is published into dist/. Libraries are built in, so that one package is installed and few files are
 * loaded; what several entries share stands in chunks, and what a command does not use is not loaded. All lies in one
 * folder: what code reads from beside itself, such as openapi.yaml, is found there.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, relative } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { readCommit } from '../cli/commit.ts';
import { compileSchemasOfReports } from './compile-schemas.ts';
import { licensesOf } from './licenses.ts';

const root = new URL('../..', import.meta.url).pathname;
const dist = `${root}dist/`;

/** Name in dist → source. The workers are entries since they are started by their own address. */
const entries = {
  'petstore-conformance': 'conformance/cli.ts',
  'petstore-server': 'reference-server/cli.ts',
  index: 'conformance/index.ts',
  'reference-server': 'reference-server/index.ts',
  faults: 'conformance/sections/faults.ts',
  pacts: 'pacts/index.ts',
  'uvu.suite': 'conformance/uvu.suite.ts',
  worker: 'conformance/proof/worker.ts',
  native: 'pacts/verify/native.ts',
};

const assets = ['spec/openapi.yaml', 'conformance/report.schema.json'];

const banner =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); const requireBuiltIn = require;";

/**
 * Node's own modules are required where they are used. An import of node:http makes all that it exports, fetch and its
 * like included, which takes longer than to read the rest; and an older node refuses a file that imports what it has
 * not, before the file can say so in a sentence.
 */
const builtInsWhereUsed: Plugin = {
  name: 'built-ins-where-used',
  setup({ onResolve, onLoad }) {
    // Each that imports one has it in the same file: one for all of them would be a file more to load.
    onResolve({ filter: new RegExp(`^(node:)?(${builtinModules.join('|')})$`) }, ({ path, importer }) => ({
      path: `${path} of ${relative(root, importer)}`,
      namespace: 'built-in',
      pluginData: path.replace('node:', ''),
    }));
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ pluginData }) => ({
      contents: `module.exports = requireBuiltIn('node:${pluginData}');`,
    }));
  },
};

/** The package validates reports by compiled code; the sources compile the schema when a report is read. */
const compiledValidator: Plugin = {
  name: 'compiled-validator',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]cli[/\\]report-validator\.ts$/ }, ({ path }) => ({
      contents: compileSchemasOfReports(),
      resolveDir: dirname(path),
    }));
  },
};

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.18',
  // What a user installs, if at all; the last is for a node without streams of the web.
  external: ['@pact-foundation/*', '@pactflow/*', 'uvu', 'web-streams-polyfill'],
  define: { commitOfBuild: JSON.stringify(readCommit() ?? '') },
  banner: { js: banner },
  plugins: [builtInsWhereUsed, compiledValidator],
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

rmSync(dist, { recursive: true, force: true });
const { metafile } = await build({ ...common, entryPoints: entries, outdir: dist, splitting: true });
const files = Object.keys(metafile.inputs).filter((file) => !file.startsWith('built-in:'));
const licenses = licensesOf(files, root);
writeFileSync(`${dist}LICENSES-OF-LIBRARIES.txt`, licenses);
for (const asset of assets) copyFileSync(root + asset, dist + asset.split('/').at(-1));
for (const command of ['petstore-conformance', 'petstore-server']) chmodSync(`${dist}${command}.js`, 0o755);
const compiler = `${root}node_modules/typescript/bin/tsc`;
execFileSync(process.execPath, [compiler, '-p', `${root}conformance/packaging`], { stdio: 'inherit' });

/** For teams without npm: one file that is all of it, but for what starts files of its own. */
const singleFile = `${dist}single/petstore-conformance.mjs`;
const { outputFiles } = await build({
  ...common,
  entryPoints: [entries['petstore-conformance']],
  outfile: singleFile,
  external: [...common.external, './cli/commands/self-test.ts', './cli/commands/pact-*'],
  minifyWhitespace: true,
  write: false,
});
mkdirSync(dirname(singleFile), { recursive: true });
writeFileSync(singleFile, `${outputFiles[0]?.text}\n/*\n${licenses.replaceAll('*/', '* /')}*/\n`, { mode: 0o755 });
