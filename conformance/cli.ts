#!/usr/bin/env node

/**
 * The command: chooses what to do, reads the command line once, says what went wrong in a sentence, sets the exit code.
 * Whatever it needs it loads when it needs it: a Node that is too old is told first, each start pays for what it uses,
 * and a broken install is told as one.
 */

import module from 'node:module';
import v8 from 'node:v8';
import type { CommandName } from './cli/commands.ts';
import type { Invocation } from './cli/configuration.ts';

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
  list: async () => (await import('./cli/commands/list.ts')).list,
  explain: async () => (await import('./cli/commands/explain.ts')).explain,
  client: async () => (await import('./cli/commands/client.ts')).client,
  completion: async () => (await import('./cli/commands/completion.ts')).completion,
  'self-test': async () => (await import('./cli/commands/self-test.ts')).selfTest,
  'pact verify': async () => (await import('./cli/commands/pact-verify.ts')).pactVerify,
  'pact lint': async () => (await import('./cli/commands/pact-lint.ts')).pactLint,
};

/** Whether a command is missing from what runs here, as from the single file those are that start files of their own. */
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
  stayLean(name);
  const command = await loadCommand(name);
  return command(invocation, interruption);
}

async function answer(words: readonly string[], interruption: AbortSignal): Promise<number> {
  const { findCommand } = await import('./cli/commands.ts');
  // What stands behind -- is the command of somebody else.
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const wantsHelp = own.includes('--help') || own.includes('-h');
  const found = findCommand(words);
  if (words.includes('--version') || wantsHelp) {
    const { helpFor, overview, version } = await import('./cli/help.ts');
    const { print } = await import('./cli/files.ts');
    await print(!wantsHelp ? version() : 'command' in found ? helpFor(found.command) : overview());
    return 0;
  }
  if ('problem' in found) throw found.problem;
  return execute(found.command, found.rest, interruption);
}

/** What one start compiles, the next need not. The usual place is shared by all users of a machine; this is not. */
function cacheWhatIsCompiled(): void {
  const { XDG_CACHE_HOME, HOME } = process.env;
  const folder = XDG_CACHE_HOME || (HOME && `${HOME}/.cache`);
  if (folder) module.enableCompileCache(`${folder}/petstore-conformance`);
}

/**
 * The space for young objects stays as small as it begins, and the other grows by half of what is alive. Otherwise a long
 * run holds some 200 MiB of what is long dead. The self-test makes much more of it, and would take half as long again.
 */
function stayLean(name: CommandName): void {
  if (name === 'self-test') return;
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  v8.setFlagsFromString('--heap-growing-percent=50');
}

async function main(): Promise<void> {
  cacheWhatIsCompiled();
  const { installLastResort, tellError } = await import('./cli/last-resort.ts');
  const { listenForInterruption } = await import('./cli/stop.ts');
  installLastResort();
  try {
    process.exitCode = await answer(process.argv.slice(2), listenForInterruption());
  } catch (error) {
    process.exitCode = tellError(error);
  }
}

/** The oldest Node that has what the kit is made of. */
const oldestNode = 22;

if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  process.stderr.write(
    `petstore-conformance needs Node ${oldestNode} or newer, and this is ${process.versions.node}.\n`,
  );
  process.exitCode = 2;
} else {
  await main();
}
