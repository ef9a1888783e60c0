#!/usr/bin/env node

/**
 * The command: executes its words in this process, reports errors in a sentence and sets the exit code. Every module is
 * loaded when it is needed, so an old Node gets its sentence first, each start pays only for what it uses, and a broken
 * installation is reported as one.
 */

import { existsSync, mkdirSync } from 'node:fs';
import module from 'node:module';
import v8 from 'node:v8';
import type { CommandName } from './cli/commands.ts';
import { complaintOfNode } from './cli/node-version.ts';
import { listenToProcess } from './cli/stop.ts';

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
  const host = listenToProcess();
  enableCompileCache();
  const { installLastResort, reportError } = await import('./cli/last-resort.ts');
  installLastResort();
  try {
    const { execute } = await import('./cli/execute.ts');
    process.exitCode = await execute(process.argv.slice(2), host, limitHeap);
    // Its reports are written; whatever is still open or computing must not keep it.
    if (host.interruption.aborted) process.exit();
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
