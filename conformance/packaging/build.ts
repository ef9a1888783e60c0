/**
 * Builds the published package into dist/. Libraries are bundled, so that a user installs one package. Code that several
 * entries share goes into chunks, so that a command loads only the code that it uses. All files lie in one folder, where
 * the code finds the files that it reads, such as openapi.yaml.
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

/** Name in dist → source. The workers are entries, since each is started as a file of its own. */
const entries = {
  'petstore-conformance': 'conformance/cli.ts',
  'petstore-server': 'reference-server/twin/cli.ts',
  index: 'conformance/index.ts',
  'reference-server': 'reference-server/twin/index.ts',
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
 * Requires Node's own modules at their first use. An import of node:http would evaluate all of its exports, fetch
 * included, which takes longer than loading the rest of the kit. And an older Node refuses a file that imports a module
 * it does not have, before that file could print a sentence about it.
 */
const builtInsWhereUsed: Plugin = {
  name: 'built-ins-where-used',
  setup({ onResolve, onLoad }) {
    // Each importer gets a module of its own: a shared one would be another file to load.
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
  // A release is built in a work tree whose node_modules is a link: the output names no folder outside.
  preserveSymlinks: true,
  // Optional peers that a user installs, and a polyfill that only old versions of Node need.
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

/** The kit as one file, for teams without npm. It leaves out the commands that start files of their own. */
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
