/** Starts the service that a run judges, waits until it answers, and ends it with its children. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup } from '../clients/run-command.ts';
import { isGatewayError } from '../http/read-response.ts';
import { UsageError } from '../run/usage-error.ts';

/** Milliseconds. A service that has not answered by then is judged as it is: the report says what is wrong. */
const longestStart = 60_000;
const pauseMs = 200;
const answerTimeoutMs = 2_000;
/** Milliseconds that a service gets to end by itself. */
const endGraceMs = 1_000;

async function isAnswering(baseUrl: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const response = await fetch(`${baseUrl}/pets?limit=1`, { redirect: 'manual', signal });
    await response.body?.cancel();
    return !isGatewayError({ response });
  } catch {
    return false;
  }
}

/**
 * Starts a command of the shell in a process group of its own; `signal` ends the wait for its first answer. Rejects with a
 * UsageError if another service already answers at the address.
 */
export async function startService(command: string, baseUrl: string, signal: AbortSignal) {
  if (await isAnswering(baseUrl)) {
    throw new UsageError(
      `Something answers at ${baseUrl} already, and would be judged instead of what --start starts: end it, or leave out --start.`,
    );
  }
  // Only the user may read what it logs: it may have printed the keys of its requests.
  const outputFile = join(mkdtempSync(join(tmpdir(), 'petstore-service-')), 'output.txt');
  const output = openSync(outputFile, 'w', 0o600);
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  const killAtExit = (): void => killGroup(child.pid);
  process.once('exit', killAtExit);
  const endsAt = performance.now() + longestStart;
  // A command that ends with 0 may have started a service elsewhere.
  while (!child.exitCode && child.signalCode === null && !signal.aborted && performance.now() < endsAt) {
    if (await isAnswering(baseUrl)) break;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return {
    outputFile,
    /** Ends the service, and the processes that it has started. */
    end: async (): Promise<void> => {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        process.kill(-child.pid!, 'SIGTERM');
        await Promise.race([ended, sleep(endGraceMs, undefined, { ref: false })]);
      }
      process.off('exit', killAtExit);
      killAtExit();
    },
  };
}
