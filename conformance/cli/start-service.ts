/** Starts the service that a run judges, waits until it answers, and ends it with its children. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup } from '../clients/run-command.ts';
import { isGatewayStatus } from '../http/read-response.ts';
import type { Redact } from '../http/redact.ts';
import { UsageError } from '../run/usage-error.ts';

/** A service that has not answered after so long is judged as it is, milliseconds: the report says what is wrong. */
const longestStart = 60_000;
const pauseMs = 200;
const answerTimeoutMs = 2_000;
/** A service gets so long to end by itself, milliseconds. */
const endGraceMs = 1_000;
/** No more of the output is kept, characters. */
const mostOutput = 16 * 1024 * 1024;

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

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function endInWords({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `by ${signalCode}`;
  return exitCode === null ? undefined : `with exit code ${exitCode}`;
}

/** Writes the output of a service into a file, line by line and without secrets: it may log the keys of its requests. */
function keepOutput({ stdout, stderr }: ChildProcess, file: string, redact: Redact): Promise<unknown> {
  let left = mostOutput;
  writeFileSync(file, '', { mode: 0o600 });
  const write = (line: string): void => {
    left -= line.length + 1;
    try {
      if (left >= 0) appendFileSync(file, `${redact(line)}\n`);
    } catch {
      // A full disk costs the rest of the output, not the run.
      left = 0;
    }
  };
  const readers = [stdout!, stderr!].map((input) => createInterface({ input }).on('line', write));
  return Promise.all(readers.map((reader) => once(reader, 'close')));
}

/**
 * Starts a command of the shell in a process group of its own; `signal` ends the wait for its first answer. `redact` hides
 * the secrets of the run in its output. Rejects with a UsageError where another service would be judged in its place.
 */
export async function startService(command: string, baseUrl: string, redact: Redact, signal: AbortSignal) {
  if (await answers(baseUrl)) {
    throw new UsageError(
      `Something answers at ${baseUrl} already, and would be judged instead of what --start starts: end it, or leave out --start.`,
    );
  }
  const outputFile = join(mkdtempSync(join(tmpdir(), 'petstore-service-')), 'output.txt');
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  // A command that cannot be started has no process; the report then says that nothing answers.
  child.on('error', () => undefined);
  const closed = keepOutput(child, outputFile, redact);
  const killAtExit = (): void => killGroup(child.pid);
  process.once('exit', killAtExit);
  const endsAt = performance.now() + longestStart;
  while (!hasEnded(child) && !signal.aborted && performance.now() < endsAt && !(await answers(baseUrl))) {
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return {
    outputFile,
    endedEarly: endInWords(child),
    end: async (): Promise<void> => {
      const within = (event: Promise<unknown>) => Promise.race([event, sleep(endGraceMs, undefined, { ref: false })]);
      if (!hasEnded(child)) {
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
  };
}
