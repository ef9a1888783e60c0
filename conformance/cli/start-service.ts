/** Starts the service that a run judges, waits until it answers, and ends it with its children. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectOutput, killGroup } from '../clients/run-command.ts';
import { isGatewayStatus } from '../http/read-response.ts';
import type { Redact } from '../http/redact.ts';
import { UsageError } from '../run/usage-error.ts';

/** A service that has not answered after so long is judged as it is, milliseconds: the report says what is wrong. */
const longestStart = 60_000;
const pauseMs = 200;
const answerTimeoutMs = 2_000;
/** A service gets so long to end by itself, milliseconds. */
const endGraceMs = 1_000;

async function answers(baseUrl: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const response = await fetch(`${baseUrl}/pets?limit=1`, { redirect: 'manual', signal });
    await response.body?.cancel();
    return !isGatewayStatus(response.status);
  } catch {
    return false;
  }
}

/** How a process ended; undefined while it runs. */
function endInWords({ exitCode, signalCode, pid }: ChildProcess): string | undefined {
  if (pid === undefined) return 'before it was started';
  if (signalCode !== null) return `by ${signalCode}`;
  return exitCode === null ? undefined : `with exit code ${exitCode}`;
}

/**
 * Starts a command of the shell in a process group of its own; `signal` ends the wait for its first answer. Rejects with a
 * UsageError where another service would be judged in its place.
 */
export async function startService(command: string, baseUrl: string, signal: AbortSignal) {
  if (await answers(baseUrl)) {
    throw new UsageError(
      `Something answers at ${baseUrl} already, and would be judged instead of what --start starts: end it, or leave out --start.`,
    );
  }
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  // A command that cannot be started has no process; the report then says that nothing answers.
  child.on('error', () => undefined);
  const output = collectOutput(child);
  const closed = once(child, 'close');
  const killAtExit = (): void => killGroup(child.pid);
  process.once('exit', killAtExit);
  const endsAt = performance.now() + longestStart;
  while (endInWords(child) === undefined && !signal.aborted && performance.now() < endsAt) {
    if (await answers(baseUrl)) break;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return {
    endedEarly: endInWords(child),
    /** Ends it, and what it has started. */
    end: async (): Promise<void> => {
      const within = (event: Promise<unknown>) => Promise.race([event, sleep(endGraceMs, undefined, { ref: false })]);
      if (endInWords(child) === undefined) {
        const ended = once(child, 'exit');
        process.kill(-child.pid!, 'SIGTERM');
        await within(ended);
      }
      process.off('exit', killAtExit);
      killAtExit();
      // A process that the service has moved out of its group may hold the pipes open.
      await within(closed);
      for (const stream of [child.stdout!, child.stderr!]) stream.destroy();
    },
    /** Writes what it printed into a file, and returns its name. It may have logged the keys of its requests. */
    keepOutput: (redact: Redact): string => {
      const file = join(mkdtempSync(join(tmpdir(), 'petstore-service-')), 'output.txt');
      writeFileSync(file, redact(output().toString()), { mode: 0o600 });
      return file;
    },
  };
}
