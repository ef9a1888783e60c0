/** What is published, used as a stranger does: the tarball is installed into empty folders and everything in it is run. */

import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../spec/requirements.ts';
import { alone, execute, folder, install, installNode, npm, root, script, startServer, user } from './installation.ts';
import { blocksOf } from './pages/blocks.ts';

// Scripts run here alone: prepack builds what is packed.
const packing = ['pack', '--pack-destination', folder, '--json', '--loglevel=error'];
const packed = await execute('npm', packing, { cwd: root });
assert.is(packed.code, 0, packed.stderr);
const [tarball = ''] = globSync(join(folder, '*.tgz'));

// Copied out, since beside the sources it would find what it must do without.
const single = join(folder, 'single', 'petstore-conformance.mjs');
cpSync(join(root, 'dist', 'single'), dirname(single), { recursive: true });
cpSync(new URL('published', import.meta.url).pathname, user, { recursive: true });
const installed = install(alone, [tarball]);
const [node22, node20, node16, node14, node12] = await Promise.all([
  installNode(22),
  installNode(20),
  installNode(16),
  installNode(14),
  installNode(12),
]);
await installed;
await npm(['install', '--save-dev', tarball], user);

const key = 'a-key-of-the-package-test';

test('one package is installed for a run, small, and without what nobody runs', async () => {
  const listed = await npm(['ls', '--all', '--parseable'], alone);
  assert.is(listed.trim().split('\n').length, 2, listed);
  const files = globSync('node_modules/**/*', { cwd: alone });
  const bytes = files
    .map((file) => statSync(join(alone, file)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
  assert.ok(bytes < 4_000_000, String(bytes));
  assert.ok(statSync(tarball).size < 700_000, String(statSync(tarball).size));
  assert.ok(statSync(single).size < 2 * 1024 * 1024, String(statSync(single).size));
  assert.match(readFileSync(single, 'utf8'), /\nnode_modules\/fast-check\n/);
  const named = files.map((file) => file.replace('node_modules/petstore-conformance/', ''));
  const unused = /\/(test|example|packaging)\/|\.test\.|tsconfig|single|(?<!\.d)\.ts$/m;
  assert.not.match(named.join('\n'), unused);
  assert.ok(named.includes('dist/LICENSES.txt'));
});

/** The calls of the command → what they print; those of the single file come with its path. */
const calls: readonly (readonly [words: readonly string[], printed: RegExp])[] = [
  [['run', '--embedded', '--max-requests', '60'], /^CONFORMS/m],
  [['--help'], /^ {2}run \[BASE_URL\]/m],
  [['explain', 'error-message'], /§2 error-message/],
  [['run', '--dry-run', '--max-requests', '60'], /at most +60 requests/],
  [['init', 'http://localhost:8080/v1'], /^petstore-conformance\.sh is written\.$/m],
];

for (const [major, node] of [
  ['22', node22],
  ['24', process.execPath],
] as const) {
  test(`Node ${major}: the commands, the single file, the server, the suite for uvu and a program of a user`, async () => {
    const printed = await execute(node, ['--version'], { cwd: alone });
    assert.ok(printed.stdout.startsWith(`v${major}.`), printed.stdout);
    for (const [words, pattern] of calls) {
      for (const [file, args] of [
        [script('petstore-conformance'), words],
        [node, [single, ...words]],
      ] as const) {
        // What init writes stands beside the package alone.
        if (words[0] === 'init' && file === node) continue;
        const { code, stdout, stderr } = await execute(file, args, { cwd: mkdtempSync(join(folder, 'call-')), node });
        assert.is(code, 0, stderr + stdout);
        assert.match(stdout, pattern);
      }
    }
    const server = await startServer(node, key);
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.baseUrl, PETSTORE_MAX_REQUESTS: '60' };
    const judged = await execute(script('petstore-conformance'), ['run'], { cwd: alone, node, env });
    const suite = await execute(node, ['node_modules/uvu/bin.js', '.', 'uvu-suite'], { cwd: user, node, env });
    await server.close();
    assert.is(judged.code, 0, judged.stderr + judged.stdout);
    assert.is(suite.code, 0, suite.stderr + suite.stdout);
    assert.is(countTests(suite.stdout), requirements.length + 1);
    const program = await execute(node, ['program.js'], { cwd: user, node });
    assert.is(program.code, 0, program.stderr);
    const shown = JSON.parse(program.stdout) as Readonly<Record<string, unknown>>;
    assert.equal(shown['verdicts'], ['conforms', 'conforms', 'does-not-conform']);
    assert.equal([shown['version'], shown['requirements']], [shown['kit'], requirements.length]);
    assert.match(String(shown['html']), /^<!doctype html/i);
    assert.match(String(shown['schema']), /report, format version \d/);
    assert.is(shown['openapi'], 'openapi: 3.1.0');
  });
}

test('what is missing is said in one sentence: a newer Node, a package of Pact, the package for the single file', async () => {
  const tooOld =
    /^petstore-(conformance|server) needs Node 22\.18 or newer, and this is (1[24]\.\d+\.\d+: npx|(1[6-9]|2\d)\.\d+\.\d+: npx --yes) node@24 \S+ runs it with another\.\n$/;
  const pactCore = 'npm install --save-dev @pact-foundation/pact-core@20\n';
  const pact = join(root, 'pacts/adoption-site-pet-store.json');
  for (const [file, args, sentence] of [
    [node20, [script('petstore-conformance'), 'run'], tooOld],
    [node20, [single, 'run'], tooOld],
    [node20, [script('petstore-server'), '--port', '0'], tooOld],
    // These could not read the first line of a bundle.
    ...[node16, node14, node12].flatMap((node) => [
      [node, [single, 'run'], tooOld] as const,
      [node, [script('petstore-conformance'), 'run'], tooOld] as const,
      [node, [script('petstore-server'), '--port', '0'], tooOld] as const,
    ]),
    [script('petstore-conformance'), ['pact', 'lint', pact], pactCore],
    [script('petstore-conformance'), ['pact', 'verify', '--pact', pact], pactCore],
    [process.execPath, [single, 'init', 'http://a/v1'], 'This file has no init: install the package'],
    [process.execPath, [single, 'self-test'], 'This file has no self-test: install the package petstore-conformance'],
  ] as const) {
    const { code, stdout, stderr } = await execute(file, args, { cwd: alone });
    assert.equal([code, stdout], [2, ''], stderr);
    assert.match(stderr, sentence);
  }
  for (const library of ['', '/reference-server', '/faults', '/pacts', '/uvu.suite']) {
    const imported = `import('petstore-conformance${library}').catch((error) => console.log(error.message))`;
    for (const node of [node20, node16, node14]) {
      assert.match((await execute(node, ['-e', imported], { cwd: alone })).stdout, tooOld);
    }
    const required = `try { require('petstore-conformance${library}') } catch (error) { console.log(error.message) }`;
    for (const node of [node20, node16, node14, node12]) {
      assert.match((await execute(node, ['-e', required], { cwd: alone })).stdout, tooOld);
    }
    // Node 12 cannot read a top-level await. It shows the line of it.
    const module = join(alone, 'imports.mjs');
    writeFileSync(module, `import 'petstore-conformance${library}';`);
    const { stderr } = await execute(node12, [module], { cwd: alone });
    const [, line = ''] = stderr.split('\n');
    assert.match(line, / petstore-conformance needs Node 22\.18 or newer: npx node@24 FILE runs it with another\.$/);
  }
  for (const library of ['', '/reference-server', '/faults']) {
    const required = await execute(process.execPath, ['-e', `require('petstore-conformance${library}')`], {
      cwd: alone,
    });
    assert.equal([required.code, required.stderr], [0, ''], library);
  }
  const consumer = await execute(process.execPath, ['-e', "import('petstore-conformance/pacts')"], { cwd: alone });
  assert.is(consumer.code, 1);
  assert.match(consumer.stderr, "Cannot find package '@pact-foundation/pact'");
});

/** The compiler, in a folder. */
async function compile(cwd: string, ...args: readonly string[]): Promise<void> {
  const compiler = join(user, 'node_modules/typescript/bin/tsc');
  const { code, stdout } = await execute(process.execPath, [compiler, '--noEmit', '--strict', ...args], { cwd });
  assert.is(code, 0, stdout);
}

test('types hold with each resolution, those of the libraries included, and where there is nothing but the package', async () => {
  const program = `import { type JudgeOptions, judge } from 'petstore-conformance';
import { faults } from 'petstore-conformance/faults';
import { startServer } from 'petstore-conformance/reference-server';

export async function judgeOwn(more: JudgeOptions): Promise<string> {
  const { url, key } = await startServer({ faults: faults.slice(0, 1) });
  return (await judge({ ...more, baseUrl: url, apiKey: key })).verdict;
}
`;
  writeFileSync(join(alone, 'alone.mts'), program);
  const libraries = ['--skipLibCheck', 'false', '--target', 'es2022'];
  await compile(alone, ...libraries, '--module', 'nodenext', 'alone.mts');
  await compile(user, ...libraries, '--module', 'nodenext', 'types.ts');
  await compile(user, ...libraries, '--module', 'esnext', '--moduleResolution', 'bundler', 'types.ts');
});

/** The number of tests that passed or were skipped, as each runner tells it. */
function countTests(output: string): number {
  const counters = /Tests:? .*|Passed:\s+\d+|Skipped:\s+\d+|^. (pass|skipped) \d+/gm;
  const counts = [...output.matchAll(counters)].flatMap(([line]) => [
    ...line.matchAll(/(?:passed|skipped|pass):?\s+(\d+)|(\d+) (?:passed|skipped)/gi),
  ]);
  return counts.reduce((sum, [, behind, before]) => sum + Number(behind ?? before), 0);
}

/** Runner → where its tests come from, and the words with which it runs a file of them. */
const runners: Readonly<Record<string, string>> = {
  'node-test': 'node:test --test node-test.spec.js',
  vitest: 'vitest node_modules/vitest/vitest.mjs run vitest.spec.js',
  jest: '@jest/globals --experimental-vm-modules node_modules/jest/bin/jest.js --testMatch **/jest.spec.js',
};

for (const [name, words] of Object.entries(runners)) {
  const [from, ...args] = words.split(' ');
  test(`${name}: every requirement is a test of the user's suite`, async () => {
    const suite = `import { conformanceTests } from 'petstore-conformance';
import { test } from '${from}';
await conformanceTests({ test, baseUrl: process.env.SERVICE_URL, apiKey: process.env.SERVICE_KEY, maxRequests: 60 });
`;
    writeFileSync(join(user, `${name}.spec.js`), suite);
    const server = await startServer(process.execPath, key);
    const env = { SERVICE_URL: server.baseUrl, SERVICE_KEY: key };
    const { code, stdout, stderr } = await execute(process.execPath, args, { cwd: user, env });
    const refused = await execute(process.execPath, args, { cwd: user, env: { ...env, SERVICE_KEY: 'no-key' } });
    await server.close();
    assert.is(code, 0, stdout + stderr);
    assert.is(countTests(stdout + stderr), requirements.length + 1);
    assert.is(refused.code, 1, refused.stdout);
    assert.match(refused.stdout + refused.stderr, 'The target refused the API key with 401');
  });
}

/** What the programs of a page leave to the reader. */
const given: Readonly<Record<string, string>> = {
  'conformance/README.md': `import { writeFileSync } from 'node:fs';
const apiKey = process.env['SERVICE_KEY'] ?? '';
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

test('the programs of the pages fit the types and run, and a consumer records its pact as the documentation shows it', async () => {
  const programs = blocksOf('ts').map(({ page, code }, at) => {
    const program = code.replaceAll("'https://staging.example.com/v1'", "process.env['SERVICE_URL'] ?? ''");
    return { page, file: `shown-${at}.ts`, code: `${given[page] ?? ''}${program}` };
  });
  assert.equal([...new Set(programs.map(({ page }) => page))].sort(), Object.keys(given).sort());
  for (const { file, code } of programs) writeFileSync(join(user, file), code);
  const settings = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024', '--skipLibCheck'];
  await compile(user, ...settings, ...programs.map(({ file }) => file));
  const server = await startServer(process.execPath, key);
  const env = { SERVICE_URL: server.baseUrl, SERVICE_KEY: key };
  const [ofConsumer] = programs.filter(({ page }) => page === 'pacts/README.md');
  for (const { file } of programs.filter((one) => one !== ofConsumer)) {
    const { code, stdout, stderr } = await execute(process.execPath, [file], { cwd: user, env });
    assert.is(code, 0, stdout + stderr);
  }
  await server.close();
  writeFileSync(join(user, 'consumer.spec.js'), stripTypeScriptTypes(ofConsumer!.code));
  const consuming = ['node_modules/vitest/vitest.mjs', 'run', 'consumer.spec.js'];
  const ran = await execute(process.execPath, consuming, { cwd: user });
  assert.is(ran.code, 0, ran.stdout + ran.stderr);
  const pact = JSON.parse(readFileSync(join(user, 'pacts', 'adoption-site-pet-store.json'), 'utf8'));
  const descriptions = pact.interactions.map((one: { readonly description: string }) => one.description);
  assert.equal(descriptions, ['the animal 7']);
});

test.after(() => rmSync(folder, { recursive: true, force: true }));

test.run();
