/** Starts the service that a run judges, waits until it answers, and ends it with its children. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { killGroup } from '../clients/left-over-processes.ts';
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

/** Resolves when the service answers, has ended, takes too long, or the run is stopped. */
async function waitForAnswer(child: ChildProcess, baseUrl: string, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + longestStart;
  while (!hasEnded(child) && !signal.aborted && performance.now() < endsAt) {
    if (await answers(baseUrl)) return;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
}

function endInWords({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `by ${signalCode}`;
  return exitCode === null ? undefined : `with exit code ${exitCode}`;
}

async function endService(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) {
    const ended = once(child, 'exit');
    process.kill(-child.pid!, 'SIGTERM');
    await Promise.race([ended, sleep(endGraceMs, undefined, { ref: false })]);
  }
  killGroup(child.pid);
}

/** Writes the output of a service into a file, line by line and without secrets: it may log the keys of its requests. */
function keepOutput({ stdout, stderr }: ChildProcess, file: string, redact: Redact): () => Promise<void> {
  const output = openSync(file, 'w', 0o600);
  let left = mostOutput;
  const write = (line: string): void => {
    left -= line.length + 1;
    try {
      if (left >= 0) writeSync(output, `${redact(line)}\n`);
    } catch {
      // A full disk costs the rest of the output, not the run.
      left = 0;
    }
  };
  const readers = [stdout!, stderr!].map((input) => createInterface({ input }).on('line', write));
  const closed = Promise.all(readers.map((reader) => once(reader, 'close')));
  return async () => {
    // A process that the service has moved out of its group may hold the pipes open.
    await Promise.race([closed, sleep(endGraceMs, undefined, { ref: false })]);
    for (const stream of [stdout!, stderr!]) stream.destroy();
    // Whatever still comes must not be written into a closed file.
    left = 0;
    closeSync(output);
  };
}

export interface ServiceOptions {
  /** A command of the shell. */
  readonly command: string;
  readonly baseUrl: string;
  /** Hides the secrets of the run in the output of the service. */
  readonly redact: Redact;
  /** Ends the wait for the first answer. */
  readonly signal: AbortSignal;
}

/** Starts a service in a process group of its own. Rejects with a UsageError where another one would be judged in its place. */
export async function startService({ command, baseUrl, redact, signal }: ServiceOptions) {
  if (await answers(baseUrl)) {
    throw new UsageError(
      `Something answers at ${baseUrl} already, and would be judged instead of what --start starts: end it, or leave out --start.`,
    );
  }
  const outputFile = join(mkdtempSync(join(tmpdir(), 'petstore-service-')), 'output.txt');
  const child = spawn(command, { shell: true, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  // A command that cannot be started has no process; the report then says that nothing answers.
  child.on('error', () => undefined);
  const closeOutput = keepOutput(child, outputFile, redact);
  const killAtExit = (): void => killGroup(child.pid);
  process.once('exit', killAtExit);
  await waitForAnswer(child, baseUrl, signal);
  return {
    outputFile,
    endedEarly: endInWords(child),
    end: async (): Promise<void> => {
      await endService(child);
      process.off('exit', killAtExit);
      await closeOutput();
    },
  };
}
