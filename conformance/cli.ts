#!/usr/bin/env node

/**
 * The command: finds the subcommand, reads the command line once, reports errors in a sentence and sets the exit code.
 * Every module is loaded when it is needed, so an old Node gets its sentence first, each start pays only for what it
 * uses, and a broken installation is reported as one.
 */

import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import v8 from 'node:v8';
import type { CommandName } from './cli/commands.ts';
import type { Invocation } from './cli/configuration.ts';
import { complaintOfNode } from './cli/node-version.ts';
import { listenForInterruption } from './cli/stop.ts';

/** Resolves with the exit code. */
type Command<Name extends CommandName> = (invocation: Invocation<Name>, interruption: AbortSignal) => Promise<number>;

const load: { readonly [Name in CommandName]: () => Promise<Command<Name>> } = {
  run: async () => (await import('./cli/commands/run.ts')).run,
  replay: async () => (await import('./cli/commands/replay.ts')).replay,
  report: async () => (await import('./cli/commands/report.ts')).report,
  profile: async () => (await import('./cli/commands/profile.ts')).profile,
  compare: async () => (await import('./cli/commands/compare.ts')).compare,
  waive: async () => (await import('./cli/commands/waive.ts')).waive,
  observe: async () => (await import('./cli/commands/observe.ts')).observe,
  watch: async () => (await import('./cli/commands/watch.ts')).watch,
  plan: async () => (await import('./cli/commands/plan.ts')).plan,
  init: async () => (await import('./cli/commands/init.ts')).init,
  list: async () => (await import('./cli/commands/list.ts')).list,
  explain: async () => (await import('./cli/commands/explain.ts')).explain,
  client: async () => (await import('./cli/commands/client.ts')).client,
  completion: async () => (await import('./cli/commands/completion.ts')).completion,
  'self-test': async () => (await import('./cli/commands/self-test.ts')).selfTest,
  'pact verify': async () => (await import('./cli/commands/pact-verify.ts')).pactVerify,
  'pact lint': async () => (await import('./cli/commands/pact-lint.ts')).pactLint,
};

/** Commands that write no report and may take long: a signal ends them at once, and nothing was judged. */
const endsAtOnce: ReadonlySet<CommandName> = new Set(['self-test', 'plan', 'pact lint']);

function endAtOnce(): void {
  process.stderr.write('Interrupted.\n');
  process.exit(3);
}

/** Whether the file that runs has no such command: the single file lacks those that start files of their own. */
function isLeftOut(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === 'ERR_MODULE_NOT_FOUND' && /[/\\]commands[/\\][\w-]+\.ts'/.test(message);
}

async function loadCommand<Name extends CommandName>(name: Name): Promise<Command<Name>> {
  try {
    return await load[name]();
  } catch (error) {
    if (!isLeftOut(error)) throw error;
    const { UsageError } = await import('./cli/usage-error.ts');
    throw new UsageError(`This file has no ${name}: install the package petstore-conformance for it.`);
  }
}

async function execute<Name extends CommandName>(
  name: Name,
  words: readonly string[],
  interruption: AbortSignal,
): Promise<number> {
  const { readInvocation } = await import('./cli/configuration.ts');
  const invocation = readInvocation(name, { words, environment: process.env, folder: process.cwd() });
  if ('printsConfiguration' in invocation.values && invocation.values.printsConfiguration) {
    const { showConfiguration } = await import('./cli/print-config.ts');
    const { print } = await import('./cli/files.ts');
    await print(showConfiguration(name, invocation.configuration, process.env));
    return 0;
  }
  limitHeap(name);
  if (endsAtOnce.has(name)) interruption.addEventListener('abort', endAtOnce);
  if (interruption.aborted && endsAtOnce.has(name)) endAtOnce();
  const command = await loadCommand(name);
  return command(invocation, interruption);
}

async function answer(words: readonly string[], interruption: AbortSignal): Promise<number> {
  const { findCommand } = await import('./cli/commands.ts');
  // The words behind -- belong to the command that the kit runs.
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const wantsHelp = own.includes('--help') || own.includes('-h') || words.length === 0;
  const found = findCommand(words[0] === 'help' ? words.slice(1) : words);
  if (own.includes('--version') || wantsHelp || words[0] === 'help') {
    const { helpFor, overview, version } = await import('./cli/help.ts');
    const { print } = await import('./cli/files.ts');
    await print(own.includes('--version') ? version() : 'command' in found ? helpFor(found.command) : overview());
    // A script whose command is missing must not look like one that judged something.
    return words.length === 0 ? 2 : 0;
  }
  if ('problem' in found) throw found.problem;
  return execute(found.command, found.rest, interruption);
}

/** Makes one folder below one that exists; some places, such as /proc, let nobody make any. */
function canMake(folder: string): boolean {
  try {
    if (!existsSync(folder)) mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Keeps compiled code for the next start, in a folder of this user: Node's own place is shared by all users. */
function enableCompileCache(): void {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const parent = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  if (!parent || !canMake(parent)) return;
  const folder = `${parent}/petstore-conformance`;
  // Node makes missing folders in a loop that never ends where none can be made.
  if (canMake(folder)) module.enableCompileCache(folder);
}

/**
 * Keeps the space for young objects at its first size and lets the old space grow by half of what is alive; otherwise a
 * long run holds some 200 MiB of garbage. The self-test allocates much more and would take half as long again.
 */
function limitHeap(name: CommandName): void {
  if (name === 'self-test') return;
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  v8.setFlagsFromString('--heap-growing-percent=50');
}

async function main(): Promise<void> {
  // Listens before anything is loaded, so that an early signal ends the command with its reports too.
  const interruption = listenForInterruption();
  enableCompileCache();
  const { installLastResort, reportError } = await import('./cli/last-resort.ts');
  installLastResort();
  try {
    process.exitCode = await answer(process.argv.slice(2), interruption);
  } catch (error) {
    process.exitCode = reportError(error);
  }
}

const complaint = complaintOfNode();
if (complaint === undefined) await main();
else {
  process.stderr.write(`${complaint}\n`);
  process.exitCode = 2;
}
