/** Starts a server in a process of its own that reports its CPU time and memory. */

import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

export interface Usage {
  /** CPU time of the process so far, user and system, in milliseconds. */
  readonly cpuMs: number;
  /** Memory in use, in bytes. */
  readonly heldBytes: number;
}

export interface Peer {
  /** http://127.0.0.1:port */
  readonly url: string;
  /** Reads the usage; `memory` collects garbage first. */
  readonly use: (asked: 'cpu' | 'memory') => Promise<Usage>;
  readonly stop: () => Promise<void>;
}

/** Loading this module strips types, so measureStart does without it. */
const usage = new URL('usage.ts', import.meta.url).href;
const longestStartMs = 60_000;

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Resolves when a server sends any answer. */
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

/** Starts a JavaScript or TypeScript file; PORT in its arguments is replaced by a free port. */
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

/** Measures the milliseconds from the start of a node process to its first answer; PORT is replaced by a free port. */
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
