/** Reads a command line once, and runs its command. */

import type { Values } from '../options/options.ts';
import { columnsOf } from '../reporters/width.ts';
import { UsageError } from '../run/usage-error.ts';
import { type CommandName, commands } from './commands.ts';
import { type Line, readInvocation, repeatedOptions } from './configuration.ts';
import { print } from './files.ts';
import { type Host, untilAborted } from './host.ts';
import { readLine } from './program.ts';

async function runInvocation<Name extends CommandName>(line: Line<Name>, host: Host): Promise<number> {
  const { command } = line;
  const invocation = await readInvocation(line);
  const run = await commands[command].load().catch((error: Error) => {
    // The single file lacks the commands that need files of their own.
    if (!/Cannot find module .*[/\\]commands[/\\]/.test(error.message)) throw error;
    throw new UsageError(`This file has no ${command}: install the package petstore-conformance for it.`);
  });
  const outcome = await run(invocation, host);
  if (typeof outcome === 'number') return outcome;
  const { writeOutputs } = await import('./outputs.ts');
  // Every command that resolves with a report reads the options of reports.
  await writeOutputs(outcome, invocation.values as Values<'run'>, { repeated: repeatedOptions(line) });
  return outcome.exitCode;
}

/** Runs the command that the words name, and resolves with its exit code. */
export async function execute(words: readonly string[], host: Host): Promise<number> {
  const line = readLine(words, columnsOf(process.stdout, process.env));
  if ('text' in line) {
    await print(line.text);
    return line.exitCode;
  }
  if (commands[line.command].endsAtOnce === undefined) return runInvocation(line, host);
  const interrupted = untilAborted(host.interruption).then(() => {
    process.stderr.write('Interrupted.\n');
    // It proved nothing.
    return 3;
  });
  // The first of the two decides, so a signal that came before anything is loaded keeps the command from starting.
  return Promise.race([interrupted, runInvocation(line, host)]);
}
