/** Bundles the kit and its libraries with esbuild, for the package and for tests of the command. */

import { copyFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, relative } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { readCommit } from '../cli/commit.ts';
import { compileSchemasOfReports } from './compile-schemas.ts';

const root = new URL('../..', import.meta.url).pathname;

/** Name in dist → source. The workers are entries, since each is started as a file of its own. */
const entries = {
  'petstore-conformance': 'conformance/cli.ts',
  'petstore-server': 'conformance/cli/petstore-server.ts',
  index: 'conformance/library/index.ts',
  'reference-server': 'reference-server/twin/index.ts',
  faults: 'conformance/sections/faults.ts',
  pacts: 'pacts/index.ts',
  'uvu.suite': 'conformance/library/uvu.suite.ts',
  worker: 'conformance/proof/worker.ts',
  native: 'pacts/verify/native.ts',
};

const assets = ['spec/openapi.yaml', 'conformance/report.schema.json'];

const banner =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); const requireBuiltIn = require;";

/** The text of a module that evaluates another one when one of its members is first read. */
function whereUsed(required: string, members: readonly string[]): string {
  return `for (const name of ${JSON.stringify(members)}) {
  Object.defineProperty(exports, name, { enumerable: true, get: () => ${required}[name] });
}`;
}

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
      // node:https loads all of TLS, which takes ten milliseconds, and many targets have an address with http://.
      contents:
        pluginData === 'https'
          ? whereUsed("requireBuiltIn('node:https')", ['Agent', 'request'])
          : `module.exports = requireBuiltIn('node:${pluginData}');`,
    }));
  },
};

/** Evaluates the library for YAML at its first use: most commands read none, and it takes a tenth of their start. */
const yamlWhereUsed: Plugin = {
  name: 'yaml-where-used',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^yaml$/ }, ({ path, namespace }) =>
      namespace === 'where-used' ? undefined : { path, namespace: 'where-used' },
    );
    onLoad({ filter: /.*/, namespace: 'where-used' }, () => ({
      contents: whereUsed("require('yaml')", ['parse', 'stringify']),
      resolveDir: root,
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
  plugins: [builtInsWhereUsed, yamlWhereUsed, compiledValidator],
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The files of the sources that a bundle holds, relative to the root. */
type Sources = readonly string[];

/** Bundles every entry into a folder, which ends with a slash, with the files that the code reads. */
export async function bundleKit(folder: string): Promise<Sources> {
  const { metafile } = await build({
    ...common,
    entryPoints: entries,
    outdir: folder,
    splitting: true,
    sourcemap: 'linked',
    sourcesContent: false,
  });
  for (const asset of assets) copyFileSync(root + asset, folder + asset.split('/').at(-1));
  return Object.keys(metafile.inputs).filter((file) => !/^(built-in|where-used):/.test(file));
}

/** The command as the text of one file. It leaves out the commands that start files of their own. */
export async function bundleSingleFile(): Promise<string> {
  const { outputFiles } = await build({
    ...common,
    entryPoints: [entries['petstore-conformance']],
    external: [...common.external, './commands/self-test.ts', './commands/pact-*'],
    minifyWhitespace: true,
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
