/** A server in a process of its own, which tells what it uses. */

import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

export interface Usage {
  /** CPU time of the process so far, of user and system, milliseconds. */
  readonly cpuMs: number;
  /** What it holds, bytes. */
  readonly heldBytes: number;
}

export interface Peer {
  /** http://127.0.0.1:port */
  readonly url: string;
  /** What it has used; `memory` collects garbage first. */
  readonly use: (asked: 'cpu' | 'memory') => Promise<Usage>;
  readonly stop: () => Promise<void>;
}

/** It takes types away while it loads: whoever measures a start does without. */
const usage = new URL('usage.ts', import.meta.url).href;
const longestStartMs = 60_000;

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Resolves when a server answers, whatever it answers. */
async function waitForAnswer(url: string, hasEnded: () => boolean): Promise<void> {
  const until = performance.now() + longestStartMs;
  while (performance.now() < until && !hasEnded()) {
    try {
      await (await fetch(url)).arrayBuffer();
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  throw new Error(`Nothing answers at ${url}.`);
}

/** Starts a file of JavaScript or TypeScript; in its arguments, PORT stands for the port that it is to listen on. */
export async function startPeer(
  file: string,
  words: readonly string[],
  nodeWords: readonly string[] = [],
): Promise<Peer> {
  const port = String(await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const child = fork(
    file,
    words.map((word) => word.replace('PORT', port)),
    { execArgv: ['--expose-gc', '--import', usage, ...nodeWords], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  const ended = once(child, 'exit');
  await waitForAnswer(url, () => child.exitCode !== null);
  return {
    url,
    async use(asked) {
      child.send(asked);
      const [answer] = await once(child, 'message');
      return answer as Usage;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Milliseconds from the start of a process of node to its first answer; PORT stands for its port. */
export async function measureStart(words: readonly string[]): Promise<number> {
  const port = String(await findFreePort());
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    words.map((word) => word.replace('PORT', port)),
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await waitForAnswer(`http://127.0.0.1:${port}`, () => child.exitCode !== null);
  const took = performance.now() - startedAt;
  child.kill('SIGKILL');
  await once(child, 'exit');
  return took;
}
