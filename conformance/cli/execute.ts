/** Reads a command line once, and runs its command. A module is loaded when it is needed. */

import { columnsOf } from '../reporters/width.ts';
import { UsageError } from '../run/usage-error.ts';
import type { CommandName } from './commands.ts';
import { type Invocation, readInvocation } from './configuration.ts';
import { print } from './files.ts';
import { type Host, untilAborted } from './host.ts';
import { type Line, readLine } from './program.ts';

/** Resolves with the exit code. */
type Command<Name extends CommandName> = (invocation: Invocation<Name>, host: Host) => Promise<number>;

const load: { readonly [Name in CommandName]: () => Promise<Command<Name>> } = {
  run: async () => (await import('./commands/run.ts')).run,
  client: async () => (await import('./commands/client.ts')).client,
  observe: async () => (await import('./commands/observe.ts')).observe,
  'pact verify': async () => (await import('./commands/pact-verify.ts')).pactVerify,
  'pact lint': async () => (await import('./commands/pact-lint.ts')).pactLint,
  report: async () => (await import('./commands/report.ts')).report,
  compare: async () => (await import('./commands/compare.ts')).compare,
  explain: async () => (await import('./commands/explain.ts')).explain,
  init: async () => (await import('./commands/init.ts')).init,
  'self-test': async () => (await import('./commands/self-test.ts')).selfTest,
};

async function runCommand<Name extends CommandName>(line: Line<Name>, host: Host): Promise<number> {
  const { command } = line;
  const invocation = await readInvocation(line, { environment: process.env, folder: process.cwd() });
  const run = await load[command]().catch((error: Error) => {
    // The single file lacks the commands that start files of their own.
    if (!/Cannot find module .*[/\\]commands[/\\]/.test(error.message)) throw error;
    throw new UsageError(`This file has no ${command}: install the package petstore-conformance for it.`);
  });
  return run(invocation, host);
}

/** Runs the command that the words name, and resolves with its exit code. */
export async function execute(words: readonly string[], host: Host): Promise<number> {
  const line = readLine(words, columnsOf(process.stdout, process.env));
  if ('text' in line) {
    await print(line.text);
    return line.exitCode;
  }
  // These write no report and may take long: a signal ends them at once, and nothing was judged.
  if (line.command !== 'self-test' && line.command !== 'pact lint') return runCommand(line, host);
  const interrupted = untilAborted(host.interruption).then(() => {
    process.stderr.write('Interrupted.\n');
    return 3;
  });
  // The first of the two decides, so a signal that came before anything is loaded keeps the command from starting.
  return Promise.race([interrupted, runCommand(line, host)]);
}
