/** Starts the service that a run judges, waits until it answers, and ends it with its children. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, mkdtempSync, openSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keptLinesOf, killGroup } from '../clients/run-command.ts';
import { isGatewayError } from '../http/read-response.ts';
import { redactor } from '../http/redact.ts';
import { secretsInEnvironment } from '../http/secret-names.ts';
import { UsageError } from '../run/usage-error.ts';
import { reason } from '../verdict/reasons.ts';

/** Milliseconds. A service that has not answered by then is judged as it is: the report says what is wrong. */
const longestStart = 60_000;
const pauseMs = 200;
const answerTimeoutMs = 2_000;
/** Milliseconds that a service gets to end by itself. */
const endGraceMs = 1_000;
/** How often the address of an ended service is tried: a killed process may hold its port for a moment. */
const mostAsked = 5;

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

/** Bytes at the end of the output in which the last lines are looked for. */
const tailBytes = 16 * 1024;

/** What the command printed last, without secrets, as the end of a sentence. */
function printedLast(outputFile: string): string {
  const file = openSync(outputFile, 'r');
  const tail = Buffer.alloc(tailBytes);
  const length = readSync(file, tail, 0, tailBytes, Math.max(0, fstatSync(file).size - tailBytes));
  closeSync(file);
  const redact = redactor(secretsInEnvironment(process.env));
  const lines = keptLinesOf(redact(tail.toString('utf8', 0, length)));
  return lines.length === 0 ? 'It printed nothing.' : `It printed last: ${lines.join(' / ')}`;
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** A command with 0 may have started a service elsewhere, for example in a container. */
function hasFailed(child: ChildProcess): boolean {
  return hasEnded(child) && child.exitCode !== 0;
}

/** Waits for the first answer; resolves with whether it came before the command failed, the signal aborted or time was up. */
async function untilAnswering(baseUrl: string, child: ChildProcess, signal: AbortSignal): Promise<boolean> {
  const endsAt = performance.now() + longestStart;
  while (!hasFailed(child) && !signal.aborted && performance.now() < endsAt) {
    if (await isAnswering(baseUrl)) return true;
    await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
  }
  return false;
}

/** Asks the process group of a command to end, and kills what is left of it after a while. */
async function endGroup(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) {
    const exited = once(child, 'exit');
    process.kill(-child.pid!, 'SIGTERM');
    await Promise.race([exited, sleep(endGraceMs, undefined, { ref: false })]);
  }
  killGroup(child.pid);
}

/** Whether something still answers at the address after the end of the service. */
async function isStillAnswering(baseUrl: string): Promise<boolean> {
  for (let asked = 1; asked < mostAsked; asked += 1) {
    if (!(await isAnswering(baseUrl))) return false;
    await sleep(pauseMs);
  }
  return isAnswering(baseUrl);
}

export interface StartedService {
  readonly outputFile: string;
  /** Aborts when the command ends and its service cannot be there; its reason is that of the run. */
  readonly ended: AbortSignal;
  /** Ends the service and what it has started; resolves with whether something still answers at its address. */
  readonly end: () => Promise<boolean>;
}

/**
 * Starts a command of the shell in a process group of its own; `signal` ends the wait for its first answer. Rejects with a
 * UsageError if another service already answers at the address.
 */
export async function startService(command: string, baseUrl: string, signal: AbortSignal): Promise<StartedService> {
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
  const ended = new AbortController();
  const reportEnd = (): void => {
    const ending = child.signalCode ?? `exit code ${child.exitCode}`;
    ended.abort(reason('service-ended', { ending, printed: printedLast(outputFile) }));
  };
  const onExit = (): void => {
    if (hasFailed(child)) reportEnd();
  };
  child.once('exit', onExit);
  const isThere = await untilAnswering(baseUrl, child, signal);
  if (!isThere && hasEnded(child) && !signal.aborted) reportEnd();
  return {
    outputFile,
    ended: ended.signal,
    end: async () => {
      child.off('exit', onExit);
      await endGroup(child);
      process.off('exit', killAtExit);
      return isStillAnswering(baseUrl);
    },
  };
}
