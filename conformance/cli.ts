#!/usr/bin/env node

/**
 * The command: executes its words in this process, reports errors in a sentence and sets the exit code. Every module is
 * loaded when it is needed, so each start pays only for what it uses, and a broken installation is reported as one.
 */

import { setFlagsFromString } from 'node:v8';
import { endWithNpm } from './cli/end-with-npm.ts';
import { listenToProcess } from './cli/host.ts';

async function main(): Promise<void> {
  // Listens before anything is loaded, so that an early signal ends the command with its reports too.
  const host = listenToProcess();
  endWithNpm();
  // Keeps V8's young generation small. A run makes much garbage and keeps little, so it needs half the memory and no more time.
  setFlagsFromString('--semi-space-growth-factor=1');
  const { installLastResort, reportError } = await import('./cli/last-resort.ts');
  installLastResort();
  try {
    const { execute } = await import('./cli/execute.ts');
    process.exitCode = await execute(process.argv.slice(2), host);
    // Its reports are written; whatever is still open or computing must not keep it.
    if (host.interruption.aborted) process.exit();
  } catch (error) {
    process.exitCode = reportError(error);
  }
}

// Without a top-level await, which the single file, a CommonJS bundle, cannot have.
void main();
