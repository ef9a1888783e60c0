/** Runs a command as a client: in a process group of its own, for a limited time, its output redacted into a file. */

import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { redactor } from '../http/redact.ts';
import { outputGraceMs } from '../http/tolerances.ts';
import type { Client, ClientResult } from './client-run.ts';
import { killGroup } from './left-over-processes.ts';

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

/** Further output is dropped, bytes. */
const mostOutput = 1024 * 1024;

const longestFileName = 80;

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: Buffer;
}

function collectOutput({ stdout, stderr }: ChildProcess): () => Buffer {
  const chunks: Buffer[] = [];
  let length = 0;
  const collect = (chunk: Buffer): void => {
    if (length < mostOutput) chunks.push(chunk.subarray(0, mostOutput - length));
    length += chunk.length;
  };
  stdout?.on('data', collect);
  stderr?.on('data', collect);
  return () => Buffer.concat(chunks);
}

/** Waits for the command only: other processes may hold its output open longer. `end` ends those that it has started. */
function waitForEnd(child: ChildProcess, end: () => void, stop: AbortSignal): Promise<Ending> {
  const { promise, resolve, reject } = Promise.withResolvers<Ending>();
  const output = collectOutput(child);
  let grace: NodeJS.Timeout | undefined;
  const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
    clearTimeout(grace);
    child.stdout?.destroy();
    child.stderr?.destroy();
    resolve({ code, signal, output: output() });
  };
  child.once('error', (error: NodeJS.ErrnoException) =>
    reject(new CommandNotStarted(error.code ?? error.message, { cause: error })),
  );
  child.once('close', finish);
  child.once('exit', (code, signal) => {
    end();
    clearTimeout(grace);
    grace = setTimeout(finish, outputGraceMs, code, signal);
  });
  const abort = (): void => {
    end();
    grace ??= setTimeout(finish, outputGraceMs, null, 'SIGKILL');
  };
  stop.addEventListener('abort', abort);
  if (stop.aborted) abort();
  return promise.finally(() => stop.removeEventListener('abort', abort));
}

function endingInWords({ code, signal }: Ending, isOverdue: boolean, timeoutMs: number): string {
  if (isOverdue) return `no end within ${timeoutMs / 1000} s (--time-limit allows more)`;
  return signal === null ? `exit code ${code}` : `its end by ${signal}`;
}

const mostLines = 10;

function lastLines(text: string): readonly string[] {
  return (
    stripVTControlCharacters(text)
      .split('\n')
      .map((line) => line.trimEnd())
      // Frames of a stack would push the error itself out.
      .filter((line) => line !== '' && !/^\s+at /.test(line))
      .slice(-mostLines)
  );
}

/** A timer that ends with the run, in contrast to AbortSignal.timeout. */
function startTimeLimit(timeoutMs: number): { readonly signal: AbortSignal; readonly clear: () => void } {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), timeoutMs);
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}

export function runCommand(options: CommandOptions): Client {
  const { command, environment, timeoutMs, folder, secrets } = options;
  const [program, ...words] = command;
  let count = 0;

  function save(text: string, service: string): string {
    count += 1;
    const slug = service.replace(/[^A-Za-z0-9]+/g, '-').slice(0, longestFileName);
    const file = join(folder, `${String(count).padStart(3, '0')}-${slug}.txt`);
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
    const end = (): void => killGroup(child.pid);
    const limit = startTimeLimit(timeoutMs);
    const stop = AbortSignal.any([signal, limit.signal]);
    try {
      const ending = await waitForEnd(child, end, stop);
      const text = redactor([key, ...secrets])(ending.output.toString());
      return {
        isPassed: ending.code === 0 && !stop.aborted,
        ending: endingInWords(ending, limit.signal.aborted && !signal.aborted, timeoutMs),
        output: save(text, service),
        printed: lastLines(text),
      };
    } finally {
      limit.clear();
    }
  };
}
