/** What is published, used as a stranger does: the tarball is installed into empty folders and everything in it is run. */

import { cpSync, existsSync, globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { requirements } from '../../spec/requirements.ts';
import {
  alone,
  execute,
  findOlderNode,
  folder,
  install,
  installNode,
  npm,
  root,
  script,
  startServer,
  user,
} from './installation.ts';
import { anchorsIn, blocksOf, linksIn } from './pages/blocks.ts';

// Scripts run here alone: prepack builds what is packed.
const packed = await execute('npm', ['pack', '--pack-destination', folder, '--json', '--loglevel=error'], {
  cwd: root,
});
assert.is(packed.code, 0, packed.stderr);
const [tarball = ''] = globSync(join(folder, '*.tgz'));

// Copied out, since beside the sources it would find what it must do without.
cpSync(join(root, 'dist', 'single'), join(folder, 'single'), { recursive: true });
cpSync(new URL('published', import.meta.url).pathname, user, { recursive: true });
const [node22, node26, node20] = await Promise.all([
  installNode(22),
  installNode(26),
  findOlderNode(),
  install(alone, [tarball]),
]);
await npm(['install', '--save-dev', tarball], user);

const nodes: readonly (readonly [major: string, node: string])[] = [
  ['22', node22],
  ['24', process.execPath],
  ['26', node26],
];

test('one package is installed for a run, and little of it', async () => {
  const listed = await npm(['ls', '--all', '--parseable'], alone);
  const packages = listed.trim().split('\n').slice(1);
  assert.is(packages.length, 1, packages.join('\n'));
  const bytes = globSync('node_modules/**/*', { cwd: alone })
    .map((file) => statSync(join(alone, file)))
    .reduce((sum, stats) => sum + (stats.isFile() ? stats.size : 0), 0);
  assert.ok(bytes < 4_000_000, String(bytes));
  assert.ok(statSync(tarball).size < 700_000, String(statSync(tarball).size));
});

test('nothing is shipped that nobody runs', () => {
  const files = globSync('node_modules/petstore-conformance/**/*', { cwd: alone });
  const named = files.map((file) => file.replace('node_modules/petstore-conformance/', ''));
  assert.equal(
    named.filter((file) => /\/(test|example|packaging)\/|\.test\.|tsconfig|single|(?<!\.d)\.ts$/.test(file)),
    [],
  );
  assert.ok(named.includes('dist/LICENSES.txt'));
});

for (const [major, node] of nodes) {
  test(`Node ${major}: the embedded server conforms, and commands answer`, async () => {
    const printed = await execute(node, ['--version'], { cwd: alone });
    assert.ok(printed.stdout.startsWith(`v${major}.`), printed.stdout);
    const run = await execute(script('petstore-conformance'), ['run', '--max-requests', '60'], { cwd: alone, node });
    assert.is(run.code, 0, run.stderr + run.stdout);
    assert.match(run.stdout, /^CONFORMS/m);
    for (const [words, sentence] of [
      [['--help'], /^ {2}run \[BASE_URL\]/m],
      [['explain'], /error-message/],
      [['explain', 'error-message'], /§2 error-message/],
      [['run', '--dry-run', '--max-requests', '60'], /total +60 requests/],
    ] as const) {
      const { code, stdout, stderr } = await execute(script('petstore-conformance'), words, { cwd: alone, node });
      assert.is(code, 0, stderr);
      assert.match(stdout, sentence);
    }
  });

  test(`Node ${major}: the single file judges without anything beside it`, async () => {
    const file = join(folder, 'single', 'petstore-conformance.mjs');
    const { code, stdout, stderr } = await execute(node, [file, 'run', '--max-requests', '60'], { cwd: folder });
    assert.is(code, 0, stderr + stdout);
    assert.match(stdout, /^CONFORMS/m);
    const plan = await execute(node, [file, 'run', '--dry-run', '--max-requests', '60'], { cwd: folder });
    assert.match(plan.stdout, /total +60 requests/);
    const absent = await execute(node, [file, 'self-test'], { cwd: folder });
    assert.is(absent.code, 2);
    assert.is(absent.stderr, 'This file has no self-test: install the package petstore-conformance for it.\n');
  });

  test(`Node ${major}: the server, judged by the command and by the uvu suite`, async () => {
    const key = 'a-key-of-the-package-test';
    const server = await startServer(node, key);
    const env = { PETSTORE_API_KEY: key, PETSTORE_BASE_URL: server.baseUrl, PETSTORE_MAX_REQUESTS: '60' };
    const judged = await execute(script('petstore-conformance'), ['run'], { cwd: alone, node, env });
    const suite = await execute(node, ['node_modules/uvu/bin.js', '.', 'uvu-suite'], { cwd: user, node, env });
    await server.close();
    assert.is(judged.code, 0, judged.stderr + judged.stdout);
    assert.is(suite.code, 0, suite.stderr + suite.stdout);
    assert.is(countTests(suite.stdout), requirements.length + 1);
  });

  test(`Node ${major}: a program of a user`, async () => {
    const { code, stdout, stderr } = await execute(node, ['program.js'], { cwd: user, node });
    assert.is(code, 0, stderr);
    const shown = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
    assert.equal(shown['verdicts'], ['conforms', 'conforms', 'does-not-conform']);
    assert.is(shown['version'], shown['kit']);
    assert.is(shown['requirements'], requirements.length);
    assert.match(String(shown['html']), /^<!doctype html/i);
    assert.match(String(shown['schema']), /report, format version \d/);
    assert.is(shown['openapi'], 'openapi: 3.1.0');
  });
}

test('the single file is small and names the licenses of its libraries', () => {
  const file = join(folder, 'single', 'petstore-conformance.mjs');
  assert.ok(statSync(file).size < 2 * 1024 * 1024, String(statSync(file).size));
  assert.match(readFileSync(file, 'utf8'), /\nnode_modules\/fast-check\n/);
});

test('on Node 20 one sentence says that it is too old', async () => {
  const calls = [
    [script('petstore-conformance'), 'run'],
    [join(folder, 'single', 'petstore-conformance.mjs'), 'run'],
    [script('petstore-server'), '--port', '0'],
  ];
  for (const words of calls) {
    const { code, stdout, stderr } = await execute(node20, words, { cwd: alone });
    assert.equal([code, stdout], [2, '']);
    assert.match(stderr, /^petstore-(conformance|server) needs Node 22\.18 or newer, and this is 20\.\d+\.\d+\.\n$/);
  }
  const program = "import('petstore-conformance').then(({ judge }) => judge()).catch((e) => console.log(e.message))";
  const { stdout } = await execute(node20, ['-e', program], { cwd: alone });
  assert.match(stdout, /^petstore-conformance needs Node 22\.18 or newer, and this is 20\.\d+\.\d+\.\n$/);
});

test('what needs Pact says in one sentence what to install', async () => {
  for (const [words, name] of [
    [['pact', 'lint', 'pacts'], '@pact-foundation/pact-core@20'],
    [['pact', 'verify', '--pact', 'pacts'], '@pact-foundation/pact-core@20'],
  ] as const) {
    const { code, stdout, stderr } = await execute(script('petstore-conformance'), words, { cwd: alone });
    assert.is(code, 2, stderr);
    assert.is(stdout, '');
    assert.is(stderr, `This needs a package that is not installed: npm install --save-dev ${name}\n`);
  }
  const consumer = await execute(process.execPath, ['-e', "import('petstore-conformance/pacts')"], { cwd: alone });
  assert.is(consumer.code, 1);
  assert.match(consumer.stderr, 'npm install --save-dev @pact-foundation/pact@17');
});

test('types hold in a folder that has nothing but the package', async () => {
  const program = `import { type JudgeOptions, judge } from 'petstore-conformance';
import { faults } from 'petstore-conformance/faults';
import { startServer } from 'petstore-conformance/reference-server';

export async function judgeOwn(more: JudgeOptions): Promise<string> {
  const { url, key } = await startServer({ faults: faults.slice(0, 1) });
  return (await judge({ ...more, baseUrl: url, apiKey: key })).verdict;
}
`;
  writeFileSync(join(alone, 'alone.mts'), program);
  const compiler = join(user, 'node_modules/typescript/bin/tsc');
  const settings = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2022'];
  const { code, stdout } = await execute(process.execPath, [compiler, ...settings, 'alone.mts'], { cwd: alone });
  assert.is(code, 0, stdout);
});

test('the pages of the package lead to files and headings that it has', () => {
  const own = join(alone, 'node_modules/petstore-conformance');
  const shipped = globSync('**/*.md', { cwd: own, exclude: ['node_modules/**'] });
  assert.ok(shipped.includes('README.md') && shipped.length >= 7, shipped.join());
  const followed = shipped.flatMap((page) =>
    linksIn(readFileSync(join(own, page), 'utf8')).map((link) => {
      const [path = '', anchor] = link.split('#');
      const file = join(own, path === '' ? page : join(dirname(page), path));
      // The picture of the front page is shown by GitHub alone.
      assert.ok(link === '.github/report.png' || existsSync(file), `${page}: ${link}`);
      if (anchor !== undefined) assert.ok(anchorsIn(readFileSync(file, 'utf8')).includes(anchor), `${page}: ${link}`);
      return link;
    }),
  );
  assert.ok(followed.length > 10, String(followed.length));
});

for (const [module, resolution] of [
  ['nodenext', 'nodenext'],
  ['esnext', 'bundler'],
]) {
  test(`types hold with ${resolution}, those of the libraries included`, async () => {
    const settings = ['--module', module!, '--moduleResolution', resolution!, '--target', 'es2022', '--strict'];
    const args = ['node_modules/typescript/bin/tsc', '--noEmit', '--skipLibCheck', 'false', ...settings, 'types.ts'];
    const { code, stdout } = await execute(process.execPath, args, { cwd: user });
    assert.is(code, 0, stdout);
  });
}

test('publint and arethetypeswrong find nothing', async () => {
  const publint = await execute(process.execPath, ['node_modules/publint/src/cli.js', 'run', tarball, '--strict'], {
    cwd: user,
  });
  assert.is(publint.code, 0, publint.stdout + publint.stderr);
  assert.match(publint.stdout, 'All good!');
  const wrong = ['node_modules/@arethetypeswrong/cli/dist/index.js', tarball];
  const choices = ['--profile', 'esm-only', '--exclude-entrypoints', './openapi.yaml'];
  const types = await execute(process.execPath, [...wrong, ...choices], { cwd: user });
  assert.is(types.code, 0, types.stdout + types.stderr);
});

/** The number of tests that passed or were skipped, as each runner tells it. */
function countTests(output: string): number {
  const counters = /Tests:? .*|Passed:\s+\d+|Skipped:\s+\d+|^. (pass|skipped) \d+/gm;
  const counts = [...output.matchAll(counters)].flatMap(([line]) => [
    ...line.matchAll(/(?:passed|skipped|pass):?\s+(\d+)|(\d+) (?:passed|skipped)/gi),
  ]);
  return counts.reduce((sum, [, behind, before]) => sum + Number(behind ?? before), 0);
}

/** Runner → how it runs its file. */
const runners: Readonly<Record<string, readonly string[]>> = {
  uvu: ['node_modules/uvu/bin.js', '.', '^uvu\\.js$'],
  'node-test': ['--test', 'node-test.js'],
  vitest: ['node_modules/vitest/vitest.mjs', 'run', 'vitest.spec.js'],
  jest: ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--testMatch', '**/jest.js'],
};

for (const [name, args] of Object.entries(runners)) {
  test(`${name}: every requirement is a test of the user's suite`, async () => {
    const key = 'a-key-of-the-package-test';
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

const programs = blocksOf('ts').map(({ page, code }, at) => {
  const program = code.replaceAll("'https://staging.example.com/v1'", "process.env['SERVICE_URL'] ?? ''");
  return { page, file: `shown-${at}.ts`, code: `${given[page] ?? ''}${program}` };
});

test('the programs of the pages fit the types, and run', async () => {
  assert.equal([...new Set(programs.map(({ page }) => page))].sort(), Object.keys(given).sort());
  for (const { file, code } of programs) writeFileSync(join(user, file), code);
  const settings = ['--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024', '--strict', '--skipLibCheck'];
  const args = ['node_modules/typescript/bin/tsc', '--noEmit', ...settings, ...programs.map(({ file }) => file)];
  const types = await execute(process.execPath, args, { cwd: user });
  assert.is(types.code, 0, types.stdout);
  const server = await startServer(process.execPath, 'a-key-of-the-package-test');
  const env = { SERVICE_URL: server.baseUrl, SERVICE_KEY: 'a-key-of-the-package-test' };
  // The runners below run that of a consumer.
  for (const { file } of programs.filter(({ page }) => page !== 'pacts/README.md')) {
    const { code, stdout, stderr } = await execute(process.execPath, [file], { cwd: user, env });
    assert.is(code, 0, stdout + stderr);
  }
  await server.close();
});

const example = stripTypeScriptTypes(programs.find(({ page }) => page === 'pacts/README.md')!.code);

/** Runner → its file for consumers, what that holds, and how it is run. */
const consumers: Readonly<Record<string, readonly [file: string, code: string, args: readonly string[]]>> = {
  vitest: ['consumer.spec.js', example, ['node_modules/vitest/vitest.mjs', 'run', 'consumer.spec.js']],
  jest: [
    'consumer.jest.js',
    example.replace(/^import .* from 'vitest';.*\n/m, ''),
    ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--testMatch', '**/consumer.jest.js'],
  ],
};

for (const [name, [file, code, args]] of Object.entries(consumers)) {
  test(`${name}: a consumer records its pact as the documentation shows it`, async () => {
    writeFileSync(join(user, file), code);
    rmSync(join(user, 'pacts'), { recursive: true, force: true });
    const ran = await execute(process.execPath, args, { cwd: user });
    assert.is(ran.code, 0, ran.stdout + ran.stderr);
    assert.is(countTests(ran.stdout + ran.stderr), 1);
    const pact = readFileSync(join(user, 'pacts', 'adoption-site-pet-store.json'), 'utf8');
    const { interactions } = JSON.parse(pact) as { interactions: readonly { description: string }[] };
    assert.equal(
      interactions.map(({ description }) => description),
      ['the animal 7'],
    );
  });
}

test.after(() => rmSync(folder, { recursive: true, force: true }));

test.run();
