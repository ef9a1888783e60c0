/** Runs the jobs of GitHub workflows and of GitLab as shipped, step by step, with folders for caches and artefacts. */

import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { parse } from 'yaml';

export type Variables = Readonly<Record<string, string>>;

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command without the variables that configure the kit or belong to a CI that runs the tests. */
export function execute(words: readonly string[], cwd: string, variables: Variables): Promise<Outcome> {
  const foreign = /^(PETSTORE_|CONFORMANCE_|GITHUB_|CI$|CI_)/;
  const plain = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const [command = '', ...args] = words;
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: { ...Object.fromEntries(plain), ...variables } });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk) => {
        texts[name] += chunk;
      });
    }
    child.on('close', (code) => resolve({ code, ...texts }));
  });
}

/** Folders that outlive a job. */
export interface Machine {
  /** The checkout of the team that uses the recipe. */
  readonly workspace: string;
  readonly caches: string;
  readonly artefacts: string;
  /** The checkout of the action's own repository at the tag. */
  readonly release: string;
  /** Found first on the path. */
  readonly tools: string;
  /** Variables that every command gets. */
  readonly variables: Variables;
}

type Inputs = Readonly<Record<string, string | number>>;

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Inputs;
  readonly run?: string;
  readonly shell?: string;
  readonly env?: Variables;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

/** What `${{ }}` reads: "secrets.KEY" and its like → value; the outputs of steps are added as they come. */
export type Context = Readonly<Record<string, string>>;

/** Evaluates an expression; a name that nothing has is empty, as on GitHub. */
function evaluate(expression: string, context: Context, isGreen: boolean): unknown {
  const parts = expression.split(/('[^']*')/).map((part, at) => {
    if (at % 2 === 1) return part;
    const read = part.replace(/\b[a-z]+(?:\.[\w-]+)+/g, (name) => `read(${JSON.stringify(name)})`);
    return read.replaceAll('==', '===').replaceAll('!=', '!==');
  });
  const code = new Function('read', 'success', 'failure', 'always', `return (${parts.join('')});`);
  const read = (name: string): string => context[name] ?? '';
  return code(
    read,
    () => isGreen,
    () => !isGreen,
    () => true,
  );
}

function fill(text: string | number, context: Context): string {
  const value = (expression: string) => String(evaluate(expression, context, true) ?? '');
  return String(text).replaceAll(/\$\{\{(.*?)\}\}/g, (_all, expression: string) => value(expression.trim()));
}

function fillAll(values: Inputs = {}, context: Context): Variables {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, fill(value, context)]));
}

/** Whether a step runs: without a status function, only while all before it were green. */
function isDue(condition: string | undefined, context: Context, isGreen: boolean): boolean {
  if (condition === undefined) return isGreen;
  const isHeld = Boolean(evaluate(condition, context, isGreen));
  return /\b(always|failure|success)\(\)/.test(condition) ? isHeld : isGreen && isHeld;
}

/** Copies a file of the workspace into a folder, or back. */
function copy(from: string, to: string): void {
  if (!existsSync(from)) return;
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true });
}

/** The newest cache whose name begins so. */
function findCache(caches: string, beginnings: readonly string[]): string | undefined {
  const names = existsSync(caches) ? readdirSync(caches) : [];
  const fitting = names.filter((name) =>
    beginnings.some((beginning) => beginning !== '' && name.startsWith(beginning)),
  );
  return fitting.sort((a, b) => statSync(join(caches, b)).mtimeMs - statSync(join(caches, a)).mtimeMs)[0];
}

/** What the actions of GitHub that the recipes use do, as far as they use it. */
const knownActions: Readonly<Record<string, (given: Variables, machine: Machine) => void>> = {
  'actions/checkout': () => undefined,
  'actions/setup-node': () => undefined,
  'actions/cache/restore': ({ path = '', key = '', 'restore-keys': keys = '' }, { caches, workspace }) => {
    const found = findCache(caches, [key, ...keys.split('\n')]);
    if (found !== undefined) copy(join(caches, found, path), join(workspace, path));
  },
  'actions/cache/save': ({ path = '', key = '' }, { caches, workspace }) => {
    copy(join(workspace, path), join(caches, key, path));
  },
  'actions/upload-artifact': ({ name = '', path = '' }, { artefacts, workspace }) => {
    copy(join(workspace, path), join(artefacts, name));
  },
};

export interface JobOutcome {
  readonly conclusion: 'success' | 'failure' | 'skipped';
  readonly log: string;
  /** The outputs of steps: "steps.ID.outputs.NAME" → value. */
  readonly context: Context;
}

async function runSteps(
  steps: readonly Step[],
  given: Context,
  machine: Machine,
  actionPath = '',
): Promise<JobOutcome> {
  let context = given;
  let log = '';
  let isGreen = true;
  for (const [at, step] of steps.entries()) {
    if (!isDue(step.if, context, isGreen)) continue;
    const outcome = await runStep(step, context, machine, { actionPath, at });
    log += outcome.log;
    isGreen &&= outcome.conclusion === 'success';
    const outputs = Object.entries(outcome.context).map(([name, value]) => [`steps.${step.id}.outputs.${name}`, value]);
    context = { ...context, ...Object.fromEntries(outputs) };
  }
  return { conclusion: isGreen ? 'success' : 'failure', log, context };
}

interface Place {
  readonly actionPath: string;
  readonly at: number;
}

/** Its outputs stand in the context of the outcome by their names. */
async function runStep(step: Step, context: Context, machine: Machine, place: Place): Promise<JobOutcome> {
  const [name = ''] = (step.uses ?? '').split('@');
  if (step.run === undefined) {
    const known = knownActions[name];
    if (known === undefined) return runAction(name, fillAll(step.with, context), machine);
    known(fillAll(step.with, context), machine);
    return { conclusion: 'success', log: '', context: {} };
  }
  const output = join(machine.artefacts, `output-${place.actionPath === '' ? 'job' : 'action'}-${place.at}`);
  mkdirSync(machine.artefacts, { recursive: true });
  const { code, stdout, stderr } = await execute(
    [step.shell ?? 'bash', '-e', '-c', fill(step.run, context)],
    machine.workspace,
    {
      PATH: [machine.tools, process.env['PATH']].join(delimiter),
      ...machine.variables,
      ...fillAll(step.env, context),
      GITHUB_ACTIONS: 'true',
      GITHUB_ACTION_PATH: place.actionPath,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: join(machine.artefacts, 'summary.md'),
    },
  );
  const lines = existsSync(output) ? readFileSync(output, 'utf8').trim().split('\n') : [];
  const outputs = lines.map((line) => [line.split('=')[0], line.replace(/^.*?=/, '')] as const);
  return { conclusion: code === 0 ? 'success' : 'failure', log: stdout + stderr, context: Object.fromEntries(outputs) };
}

/** An action of this project: composite, in the checkout of its tag. */
async function runAction(name: string, given: Variables, machine: Machine): Promise<JobOutcome> {
  const path = join(machine.release, name.split('/').slice(2).join('/'));
  const { inputs, outputs, runs } = parse(readFileSync(join(path, 'action.yml'), 'utf8')) as Action;
  const values = Object.entries(inputs).map(([input, { default: usual = '' }]) => [
    `inputs.${input}`,
    given[input] ?? usual,
  ]);
  const ended = await runSteps(runs.steps, Object.fromEntries(values), machine, path);
  return {
    ...ended,
    context: fillAll(Object.fromEntries(Object.entries(outputs).map(([id, { value }]) => [id, value])), ended.context),
  };
}

/** Runs the only job of a workflow. */
export async function runWorkflow(text: string, context: Context, machine: Machine): Promise<JobOutcome> {
  const { jobs } = parse(text) as {
    readonly jobs: Readonly<Record<string, { readonly if?: string; readonly steps: readonly Step[] }>>;
  };
  const [job] = Object.values(jobs);
  if (job === undefined || !isDue(job.if, context, true)) return { conclusion: 'skipped', log: '', context: {} };
  return runSteps(job.steps, context, machine);
}

interface GitlabJob {
  readonly variables?: Variables;
  readonly cache?: { readonly key: string; readonly paths: readonly string[] };
  readonly script: readonly string[];
  readonly artifacts: { readonly when: string; readonly paths: readonly string[]; readonly reports: Variables };
}

/** Runs the only job of a file for GitLab. The variables are those of the project, which win over those of the job. */
export async function runGitlabJob(text: string, variables: Variables, machine: Machine): Promise<JobOutcome> {
  const [job] = Object.values(parse(text) as Readonly<Record<string, GitlabJob>>);
  if (job === undefined) throw new Error('The file holds no job.');
  const { key = '', paths = [] } = job.cache ?? {};
  for (const path of paths) copy(join(machine.caches, key, path), join(machine.workspace, path));
  const all = { ...machine.variables, ...job.variables, ...variables };
  const PATH = [machine.tools, process.env['PATH']].join(delimiter);
  const { code, stdout, stderr } = await execute(['sh', '-e', '-c', job.script.join('\n')], machine.workspace, {
    PATH,
    ...all,
  });
  if (code === 0) for (const path of paths) copy(join(machine.workspace, path), join(machine.caches, key, path));
  if (code === 0 || job.artifacts.when === 'always') {
    for (const path of job.artifacts.paths) copy(join(machine.workspace, path), join(machine.artefacts, path));
  }
  return { conclusion: code === 0 ? 'success' : 'failure', log: stdout + stderr, context: {} };
}
