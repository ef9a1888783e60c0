/** Runs a command as a client: in a process group of its own, for a limited time, its output redacted into a file. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { redactor } from '../http/redact.ts';
import { outputGraceMs } from '../http/tolerances.ts';
import type { Client, ClientResult } from './client-run.ts';

export interface CommandOptions {
  readonly command: readonly [string, ...string[]];
  /** The environment of the command, without the variables that name the service. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The time limit of one run, milliseconds; then the command is killed with its children. */
  readonly timeoutMs: number;
  /** The folder for its output, one file for each run. */
  readonly folder: string;
  /** Texts that no file may hold, besides the key of the run. */
  readonly secrets: readonly string[];
}

/** The command cannot be started, whatever the service does. */
export class CommandNotStarted extends Error {}

/** Bytes; further output is dropped. */
const mostOutput = 1024 * 1024;

function collectOutput({ stdout, stderr }: ChildProcess): () => Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  for (const stream of [stdout!, stderr!]) {
    stream.on('data', (chunk: Buffer) => {
      if (length < mostOutput) chunks.push(chunk.subarray(0, mostOutput - length));
      length += chunk.length;
    });
  }
  return () => Buffer.concat(chunks);
}

/** Kills a process that leads a group, with its group; does nothing if it is gone. */
export function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone.
  }
}

/**
 * How the command ended, in words; undefined if it was stopped. Waits for its exit and not for the end of its output, which
 * processes that it started may hold open; then kills them.
 */
async function endOfProcess(child: ChildProcess, stop: AbortSignal): Promise<string | undefined> {
  const closed = once(child, 'close').catch(() => undefined);
  try {
    const [code, signal] = (await once(child, 'exit', { signal: stop })) as [number | null, NodeJS.Signals | null];
    return signal === null ? `exit code ${code}` : `its end by ${signal}`;
  } catch (error) {
    if (stop.aborted) return undefined;
    throw new CommandNotStarted((error as NodeJS.ErrnoException).code ?? String(error), { cause: error });
  } finally {
    killGroup(child.pid);
    await Promise.race([closed, sleep(outputGraceMs, undefined, { ref: false })]);
    for (const stream of [child.stdout!, child.stderr!]) stream.destroy();
  }
}

/** A report keeps so many lines from the start of an output, where an error may stand before its stack. */
const firstLines = 2;
/** And so many from its end. */
const lastLines = 8;

/** The lines of an output that show best why a command failed. */
export function keptLinesOf(text: string): readonly string[] {
  const lines = stripVTControlCharacters(text)
    .replaceAll('\t', '  ')
    .split('\n')
    .map((line) => line.trimEnd())
    // Frames of a stack would displace the error itself.
    .filter((line) => line !== '' && !/^\s+(at|from) /.test(line));
  return lines.filter((_line, at) => at < firstLines || at >= lines.length - lastLines);
}

/** A client that is run by a command; rejects with CommandNotStarted if it cannot be started. */
export function runClientCommand(options: CommandOptions): Client {
  const { command, environment, timeoutMs, folder, secrets } = options;
  const [program, ...words] = command;
  let count = 0;

  function save(text: string, service: string): string {
    count += 1;
    const file = join(folder, `${String(count).padStart(3, '0')}-${service}.txt`);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  }

  return async ({ baseUrl, key, categoryId }, service, signal): Promise<ClientResult> => {
    // A group of its own, so that its children can be ended with it.
    const child = spawn(program, words, {
      env: {
        ...environment,
        PETSTORE_BASE_URL: baseUrl,
        PETSTORE_API_KEY: key,
        PETSTORE_CATEGORY_ID: String(categoryId),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const output = collectOutput(child);
    const limit = new AbortController();
    // Unlike that of AbortSignal.timeout, this timer is cleared when the command ends.
    const timer = setTimeout(() => limit.abort(), timeoutMs);
    const stop = AbortSignal.any([signal, limit.signal]);
    const ended = await endOfProcess(child, stop).finally(() => clearTimeout(timer));
    const overdue = `no end within ${timeoutMs / 1000} s (--time-limit allows more)`;
    const text = redactor([key, ...secrets])(output().toString());
    return {
      isPassed: ended !== undefined && child.exitCode === 0,
      ending: ended ?? (signal.aborted ? 'its end by SIGKILL' : overdue),
      output: save(text, service),
      printed: keptLinesOf(text),
    };
  };
}
