/** Every program that a page shows fits the types and runs, with what it leaves to the reader in front of it. */

import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startServer } from '../../../reference-server/twin/index.ts';
import { type Block, blocksOf, root } from './blocks.ts';

/** What programs of a page take for granted. */
const given: Readonly<Record<string, string>> = {
  'conformance/README.md': `import { writeFileSync } from 'node:fs';
const apiKey = process.env['SERVICE_KEY'] ?? '';
writeFileSync('started', '');
`,
  'pacts/README.md': `function myClient({ baseUrl, key }: { readonly baseUrl: string; readonly key: string }) {
  return {
    async find(id: number): Promise<{ readonly name: string } | undefined> {
      const response = await fetch(\`\${baseUrl}/pets/\${id}\`, { headers: { authorization: \`Bearer \${key}\` } });
      return response.status === 200 ? ((await response.json()) as { readonly name: string }) : undefined;
    },
  };
}
`,
  'reference-server/README.md': `function yourClient(url: string, key: string) {
  const headers = { authorization: \`Bearer \${key}\` };
  return { listAvailable: () => fetch(\`\${url}/pets?status=available\`, { headers }).then((answer) => answer.json()) };
}
`,
};

/** Stands in for Vitest, of which a page uses no more; published.package.ts runs the real one. */
const vitest = {
  'index.js': `import assert from 'node:assert';
export { test } from 'node:test';
export const expect = (value) => ({ toBe: (wanted) => assert.strictEqual(value, wanted) });
`,
  'index.d.ts': `export declare function test(name: string, run: () => Promise<void>): unknown;
export declare function expect(value: unknown): { toBe(wanted: unknown): void };
`,
};

/** Entry of the package → its source. */
const entries = {
  'petstore-conformance': 'conformance/library/index.ts',
  'petstore-conformance/reference-server': 'reference-server/twin/index.ts',
  'petstore-conformance/faults': 'conformance/sections/faults.ts',
  'petstore-conformance/pacts': 'pacts/index.ts',
};

const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-programs-'));

/** The packages that programs import, found as if they were installed: ours by its sources. */
function installPackages(): void {
  const own = join(folder, 'node_modules/petstore-conformance');
  mkdirSync(own, { recursive: true });
  const paths = Object.entries(entries).map(([name, source]) => [name.replace('petstore-conformance', '.'), source]);
  for (const name of ['conformance', 'reference-server', 'pacts']) symlinkSync(join(root, name), join(own, name));
  const exported = Object.fromEntries(paths.map(([name, source]) => [name, `./${source}`]));
  writeFileSync(join(own, 'package.json'), JSON.stringify({ type: 'module', exports: exported }));
  const standIn = join(folder, 'node_modules/vitest');
  mkdirSync(standIn);
  writeFileSync(join(standIn, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  for (const [name, text] of Object.entries(vitest)) writeFileSync(join(standIn, name), text);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}

interface Program {
  readonly block: Block;
  readonly file: string;
}

function write(block: Block, at: number): Program {
  const file = `program-${at}.ts`;
  const code = block.code.replaceAll("'https://staging.example.com/v1'", "process.env['SERVICE_URL'] ?? ''");
  writeFileSync(join(folder, file), `${given[block.page] ?? ''}${code}`);
  return { block, file };
}

installPackages();
const programs = blocksOf('ts').map(write);

const server = await startServer();

function node(...args: readonly string[]): Promise<{ readonly code: number; readonly output: string }> {
  const env = { ...process.env, SERVICE_URL: server.url, SERVICE_KEY: server.key, PACT_DO_NOT_TRACK: 'true' };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : 1, output: stdout + stderr });
    });
  });
}

test('every program fits the types of the package', async () => {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    readonly compilerOptions: object;
  };
  const typeRoots = [join(root, 'node_modules/@types')];
  const settings = { compilerOptions: { ...compilerOptions, typeRoots }, include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
  const { code, output } = await node(join(root, 'node_modules/typescript/bin/tsc'), '-p', folder);
  assert.is(code, 0, output);
});

for (const { block, file } of programs) {
  test(`${block.page}, line ${block.line}: the program runs`, async () => {
    const { code, output } = await node(file);
    assert.is(code, 0, output);
    if (block.code.includes('node:test')) assert.match(output, /^. pass 4\d$/m);
    if (block.code.includes('petStorePact')) assert.ok(existsSync(join(folder, 'pacts/adoption-site-pet-store.json')));
  });
}

test('there are programs in pages for services, clients and pacts', () => {
  assert.equal([...new Set(programs.map(({ block }) => block.page))], Object.keys(given));
});

test.after(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

test.run();
