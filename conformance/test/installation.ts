/** Folders into which the package is installed, as a stranger does, and the commands that run in them. */

import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import * as assert from 'uvu/assert';
import type { Result } from './cli/command.ts';

export const root = new URL('../..', import.meta.url).pathname;
export const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-published-'));
/** The project of a user, with the package, a compiler and runners of tests. */
export const user = join(folder, 'user');
/** The package and nothing else. */
export const alone = join(folder, 'alone');

/** The environment of a stranger: without the variables that configure the kit, npm or node here. */
function environment(node: string, more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const plain = Object.entries(process.env).filter(([name]) => !/^(PETSTORE_|npm_|NODE_OPTIONS$)/i.test(name));
  const path = [dirname(node), ...(process.env['PATH'] ?? '').split(delimiter)];
  return { ...Object.fromEntries(plain), PATH: path.join(delimiter), NO_COLOR: '1', ...more };
}

/** Runs a program to its end; the code is -1 where a signal ended it. */
export function execute(
  file: string,
  args: readonly string[],
  { cwd, node = process.execPath, env = {} }: { cwd: string; node?: string; env?: Readonly<Record<string, string>> },
): Promise<Result> {
  return new Promise((resolve) => {
    const options = { cwd, env: environment(node, env), maxBuffer: 64 * 1024 * 1024 };
    execFile(file, args, options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stdout, stderr });
    });
  });
}

export async function npm(args: readonly string[], cwd: string): Promise<string> {
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts', '--loglevel=error'];
  const { code, stdout, stderr } = await execute('npm', [...args, ...quiet], { cwd });
  assert.is(code, 0, `npm ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Installs packages into a folder, which is made with a package.json where there is none. */
export async function install(where: string, packages: readonly string[]): Promise<void> {
  mkdirSync(where, { recursive: true });
  writeFileSync(join(where, 'package.json'), '{ "private": true }\n', { flag: 'a' });
  await npm(['install', ...packages], where);
}

/** Installs a version of Node for this machine from npm; resolves with the path of its binary. */
export async function installNode(major: number): Promise<string> {
  const where = join(folder, `node-${major}`);
  const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  await install(where, [`${nodePackage}@${major}`]);
  return join(where, 'node_modules', nodePackage, 'bin', 'node');
}

/** The path of a command of the package. */
export function script(name: string): string {
  return join(alone, 'node_modules', '.bin', name);
}

/** Starts the server of the package by its command, on a free port. */
export async function startServer(node: string, key: string) {
  const child = spawn(script('petstore-server'), ['--port', '0'], {
    env: environment(node, { PETSTORE_API_KEY: key }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const close = (): Promise<void> => {
    child.kill('SIGTERM');
    return ended;
  };
  for await (const line of createInterface(child.stdout)) {
    const baseUrl = /http:\/\/127\.0\.0\.1:\d+\/v1/.exec(line)?.[0];
    if (baseUrl !== undefined) return { baseUrl, close };
  }
  throw new Error('The server printed no address.');
}
