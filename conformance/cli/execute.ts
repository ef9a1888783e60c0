/** Finds the subcommand, reads its options once, and runs it. A module is loaded when it is needed. */

import type { CommandName } from './commands.ts';
import type { Invocation } from './configuration.ts';
import { type Host, untilAborted } from './stop.ts';

/** Resolves with the exit code. */
type Command<Name extends CommandName> = (invocation: Invocation<Name>, host: Host) => Promise<number>;

const load: { readonly [Name in CommandName]: () => Promise<Command<Name>> } = {
  run: async () => (await import('./commands/run.ts')).run,
  report: async () => (await import('./commands/report.ts')).report,
  compare: async () => (await import('./commands/compare.ts')).compare,
  observe: async () => (await import('./commands/observe.ts')).observe,
  init: async () => (await import('./commands/init.ts')).init,
  explain: async () => (await import('./commands/explain.ts')).explain,
  client: async () => (await import('./commands/client.ts')).client,
  'self-test': async () => (await import('./commands/self-test.ts')).selfTest,
  'pact verify': async () => (await import('./commands/pact-verify.ts')).pactVerify,
  'pact lint': async () => (await import('./commands/pact-lint.ts')).pactLint,
};

/** Commands that write no report and may take long: a signal ends them at once, and nothing was judged. */
const endsAtOnce: ReadonlySet<CommandName> = new Set(['self-test', 'pact lint']);

async function endWhenInterrupted(interruption: AbortSignal): Promise<number> {
  await untilAborted(interruption);
  process.stderr.write('Interrupted.\n');
  return 3;
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
    const { UsageError } = await import('./usage-error.ts');
    throw new UsageError(`This file has no ${name}: install the package petstore-conformance for it.`);
  }
}

async function runCommand<Name extends CommandName>(name: Name, words: readonly string[], host: Host): Promise<number> {
  const { readInvocation } = await import('./configuration.ts');
  const invocation = readInvocation(name, { words, environment: process.env, folder: process.cwd() });
  if ('printsConfiguration' in invocation.values && invocation.values.printsConfiguration) {
    const { showConfiguration } = await import('./print-config.ts');
    const { print } = await import('./files.ts');
    await print(showConfiguration(name, invocation.configuration, process.env));
    return 0;
  }
  const act = async (): Promise<number> => (await loadCommand(name))(invocation, host);
  if (!endsAtOnce.has(name)) return act();
  // The first of the two decides, so a signal that came before anything is loaded keeps the command from starting.
  return Promise.race([endWhenInterrupted(host.interruption), act()]);
}

/** Runs the command that the words name, and resolves with its exit code. */
export async function execute(words: readonly string[], host: Host): Promise<number> {
  const { findCommand } = await import('./commands.ts');
  // The words behind -- belong to the command that the kit runs.
  const own = words.includes('--') ? words.slice(0, words.indexOf('--')) : words;
  const wantsHelp = own.includes('--help') || own.includes('-h') || words.length === 0;
  const found = findCommand(words[0] === 'help' ? words.slice(1) : words);
  const asksForOne = words[0] === 'help' && /^[^-]/.test(words[1] ?? '');
  if (asksForOne && 'problem' in found) throw found.problem;
  if (own.includes('--version') || wantsHelp || words[0] === 'help') {
    const { helpFor, overview, version, wrapHelp } = await import('./help.ts');
    const { columnsOf } = await import('../reporters/width.ts');
    const { print } = await import('./files.ts');
    const help = 'command' in found ? helpFor(found.command) : overview();
    await print(own.includes('--version') ? version() : wrapHelp(help, columnsOf(process.stdout, process.env)));
    // A script whose command is missing must not look like one that judged something.
    return words.length === 0 ? 2 : 0;
  }
  if ('problem' in found) throw found.problem;
  return runCommand(found.command, found.rest, host);
}
