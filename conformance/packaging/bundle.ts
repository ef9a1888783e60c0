/**
 * Bundles the kit with its libraries, for the package and for tests of the command. Code that several entries share goes
 * into chunks, so that a command loads only the code that it uses. Started by itself it builds what is published: the
 * package into dist/, and the command as one file into dist/single/, for teams without npm.
 */

import { copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { unreadableHere } from '../library/node-version.ts';

const root = new URL('../..', import.meta.url).pathname;

/** Name in dist → source. The verifier of pacts is an entry, since it is started as a file of its own. */
const entries = {
  'petstore-conformance': 'conformance/cli.ts',
  'petstore-server': 'conformance/cli/petstore-server.ts',
  index: 'conformance/library/index.ts',
  'reference-server': 'reference-server/twin/index.ts',
  faults: 'conformance/faults/index.ts',
  pacts: 'pacts/index.ts',
  'uvu.suite': 'conformance/cli/uvu.suite.ts',
  native: 'pacts/verify/native.ts',
};

/** The commands of the package, and what it exports to programs. */
const commandEntries = ['petstore-conformance', 'petstore-server'];
const libraryEntries = ['index', 'reference-server', 'faults', 'pacts', 'uvu.suite'];

const buildOptions = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.18',
  // Optional peers that a user installs, and a polyfill that only old versions of Node need.
  external: ['@pact-foundation/*', '@pactflow/*', 'uvu', 'web-streams-polyfill'],
  // Libraries in CommonJS call require(). An old Node knows no name with node: before it.
  banner: { js: "import { createRequire } from 'module'; const require = createRequire(import.meta.url);" },
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The license of each library that one of these files belongs to: their code may be passed on with it alone. */
function licensesOf(files: readonly string[]): string {
  const folders = new Set(files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const [file] = globSync(`${folder}/{LICENSE,LICENCE,license}*`, { cwd: root });
    return `${folder}\n\n${file === undefined ? 'See its package.json.' : readFileSync(root + file, 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}

interface Bundle {
  readonly licenses: string;
  /** The names that an entry exports. */
  readonly exportsOf: (name: string) => readonly string[];
}

/** Bundles every entry into a folder, whose name ends with a slash, and copies files that the kit reads. */
export async function bundleKit(folder: string): Promise<Bundle> {
  const { metafile } = await build({ ...buildOptions, entryPoints: entries, outdir: folder, splitting: true });
  const licenses = licensesOf(Object.keys(metafile.inputs));
  writeFileSync(`${folder}LICENSES.txt`, licenses);
  const besides = globSync(['spec/openapi.yaml', 'conformance/ci/*.{sh,yml,yaml}'], { cwd: root });
  for (const file of besides) copyFileSync(root + file, folder + basename(file));
  const exportsOf = (name: string): readonly string[] => {
    const [, output] = Object.entries(metafile.outputs).find(([file]) => basename(file) === `${name}.js`)!;
    return output.exports;
  };
  return { licenses, exportsOf };
}

/** The check of Node alone, without anything that Node 12 lacks. */
async function bundleNodeCheck(file: string): Promise<void> {
  const { platform, logLevel, absWorkingDir } = buildOptions;
  const options = { bundle: true, platform, logLevel, absWorkingDir, format: 'cjs', target: 'node12' } as const;
  await build({ ...options, entryPoints: ['conformance/library/node-version.ts'], outfile: file });
}

/** Starts a command where Node is new enough. An error that reaches this file is one of the installation. */
const commandFile = (name: string, nodeCheck: string, program: string): string => `#!/usr/bin/env node
'use strict';
const complaint = require('${nodeCheck}').complaintOfNode('${name}');
if (complaint === undefined) {
  import('${program}').catch((error) => {
    console.error(error);
    process.exitCode = 4;
  });
} else {
  console.error(complaint);
  process.exitCode = 2;
}
`;

/**
 * Exports what the bundle of a library does, where Node is new enough. Runners of tests that resolve modules take it. Node 12
 * cannot read the await and shows its line, so the sentence stands there as well.
 */
const libraryModule = (name: string, exported: readonly string[]): string => `import check from "./node-version.cjs";
const complaint = check.complaintOfNode();
if (complaint !== undefined) throw new Error(complaint);
${exported.length === 0 ? '' : `export const { ${exported.join(', ')} } = `}await import("../${name}.js"); // ${unreadableHere}
`;

/**
 * The same without an await, for require(). By module-sync in package.json a new Node takes it for import as well: require()
 * can then load modules that import the library. A library with a top-level await has no module-sync.
 */
const libraryScript = (name: string, exported: readonly string[]): string => `'use strict';
const complaint = require('./node-version.cjs').complaintOfNode();
if (complaint !== undefined) throw new Error(complaint);
const library = require('../${name}.js');
${exported.map((one) => `exports.${one} = library.${one};`).join('\n')}
`;

/** Writes the files that a user's Node reads first: an old one fails on the first line of a bundle. */
async function writeEntries(dist: string, { exportsOf }: Bundle): Promise<void> {
  const folder = `${dist}entry/`;
  await bundleNodeCheck(`${folder}node-version.cjs`);
  for (const name of commandEntries) {
    const command = commandFile(name, './node-version.cjs', `../${name}.js`);
    writeFileSync(`${folder}${name}.cjs`, command, { mode: 0o755 });
  }
  for (const name of libraryEntries) {
    writeFileSync(`${folder}${name}.js`, libraryModule(name, exportsOf(name)));
    writeFileSync(`${folder}${name}.cjs`, libraryScript(name, exportsOf(name)));
  }
}

/**
 * Bundles the command into one file. It leaves out the commands that need files of their own. Its modules are functions, and
 * take what they need of node when they run, so that an old Node reads the file and gets its sentence before any of them runs.
 */
async function bundleSingleFile(file: string, licenses: string): Promise<void> {
  const moduleNames = 'const module = { exports: {} }, moduleUrl = import.meta.url;';
  const program = `./${entries['petstore-conformance']}`;
  const command = commandFile('petstore-conformance', './conformance/library/node-version.ts', program);
  await build({
    ...buildOptions,
    format: 'cjs',
    target: 'node12',
    banner: { js: `${buildOptions.banner.js} ${moduleNames}` },
    define: { 'import.meta.url': 'moduleUrl' },
    stdin: { contents: command, resolveDir: root },
    external: [...buildOptions.external, './commands/init.ts', './commands/self-test.ts', './commands/pact-*'],
    outfile: file,
    footer: { js: `/*\n${licenses.replaceAll('*/', '* /')}*/` },
  });
}

if (import.meta.main) {
  const dist = `${root}dist/`;
  rmSync(dist, { recursive: true, force: true });
  const bundle = await bundleKit(dist);
  await writeEntries(dist, bundle);
  await bundleSingleFile(`${dist}single/petstore-conformance.mjs`, bundle.licenses);
}
