/** Runs the command in a process of its own, as a user does. */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Report } from '../../verdict/report.ts';

/** The command as it lies in the repository. */
export const sources = new URL('../../cli.ts', import.meta.url).pathname;
/** all.ts bundles the command once, since it then starts in half the time; a test file by itself runs the sources. */
export const program = process.env['KIT_UNDER_TEST'] ?? sources;

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment of the tests without what would configure the kit or its output. */
function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(PETSTORE_|LC_|LANG$)|_proxy$/i.test(name)),
  );
}

interface StartOptions {
  readonly cwd?: string;
  readonly stdout?: 'pipe' | number;
  readonly program?: string;
}

/** Starts it; the standard output may go to an open file instead of into the result. */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { cwd = process.cwd(), stdout = 'pipe', program: started = program }: StartOptions = {},
) {
  const child = spawn(process.execPath, [started, ...args], {
    env: { ...plainEnvironment(), ...env },
    cwd,
    stdio: ['ignore', stdout, 'pipe'],
  });
  const result = new Promise<Result>((resolve) => {
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name]?.on('data', (chunk) => {
        texts[name] += chunk;
      });
    }
    child.on('close', (code) => resolve({ code, ...texts }));
  });
  return { child, result };
}

export function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<Result> {
  return start(args, env, cwd === undefined ? {} : { cwd }).result;
}

/** A folder of its own for the files of one test file. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
}

export function readReport(file: string): Report {
  return JSON.parse(readFileSync(file, 'utf8')) as Report;
}
