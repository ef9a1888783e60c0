/** Runs a command as a client: in a process group of its own, for a limited time, its output redacted into a file. */

import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redactor } from '../http/redact.ts';
import type { Attempt, AttemptResult, ClientEnvironment } from './attempt.ts';

export interface CommandOptions {
  /** The program and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** What else the command finds in its environment. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For one run, milliseconds; then it is killed with its children. */
  readonly timeoutMs: number;
  /** The folder for what it prints, a file a world. */
  readonly folder: string;
  /** What must be in no file beside the key of the world. */
  readonly secrets: readonly string[];
}

/** A command that cannot be started: that is no matter of the world. */
export class CommandNotStarted extends Error {}

/** Of what a command prints more than this is left out, bytes. */
const mostOutput = 1024 * 1024;

/** The name of a world as that of a file. */
function fileNameOf(name: string, count: number): string {
  const slug = name.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 80);
  return `${String(count).padStart(3, '0')}-${slug}.txt`;
}

/** Ends a command and all that it has started; what is gone already is no matter. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of the group is left.
  }
}

interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly output: Buffer;
}

/** Resolves when the command has ended, however, and nothing of it runs any more. */
function runToItsEnd(child: ChildProcess): Promise<Ending> {
  const chunks: Buffer[] = [];
  let length = 0;
  const take = (chunk: Buffer): void => {
    if (length < mostOutput) chunks.push(chunk.subarray(0, mostOutput - length));
    length += chunk.length;
  };
  child.stdout?.on('data', take);
  child.stderr?.on('data', take);
  return new Promise((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(new CommandNotStarted(error.code ?? error.message, { cause: error })),
    );
    child.once('exit', (code, signal) => {
      // A child that it left behind would hold its output open, and go on.
      killGroup(child);
      child.once('close', () => resolve({ code, signal, output: Buffer.concat(chunks) }));
    });
  });
}

function environmentFor({ baseUrl, key, categoryId }: ClientEnvironment, rest: CommandOptions['environment']) {
  return {
    ...rest,
    PETSTORE_BASE_URL: baseUrl,
    PETSTORE_API_KEY: key,
    PETSTORE_CATEGORY_ID: String(categoryId),
  };
}

function inWords({ code, signal }: Ending, isOverdue: boolean, timeoutMs: number): string {
  if (isOverdue) return `no end within ${timeoutMs / 1000} s`;
  return signal === null ? `exit code ${code}` : `its end by ${signal}`;
}

/** The attempt that runs a command. */
export function runCommand(options: CommandOptions): Attempt {
  const { command, environment, timeoutMs, folder, secrets } = options;
  const [program, ...words] = command;
  let count = 0;

  function save(ending: Ending, name: string, key: string): string {
    count += 1;
    const file = join(folder, fileNameOf(name, count));
    writeFileSync(file, redactor([key, ...secrets])(ending.output.toString()), { mode: 0o600 });
    return file;
  }

  return async (given, name, signal): Promise<AttemptResult> => {
    const child = spawn(program, words, {
      env: environmentFor(given, environment),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A group of its own, so that its children can be ended with it.
      detached: true,
    });
    const deadline = AbortSignal.timeout(timeoutMs);
    const stop = AbortSignal.any([signal, deadline]);
    const end = (): void => killGroup(child);
    stop.addEventListener('abort', end);
    if (stop.aborted) end();
    try {
      const ending = await runToItsEnd(child);
      const isPassed = ending.code === 0 && !stop.aborted;
      return {
        isPassed,
        ending: inWords(ending, deadline.aborted, timeoutMs),
        output: save(ending, name, given.key),
      };
    } finally {
      stop.removeEventListener('abort', end);
    }
  };
}
