/** Starts a server in a process of its own that reports its CPU time and memory. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';

export interface Usage {
  /** CPU time of the process so far, user and system, in milliseconds. */
  readonly cpuMs: number;
}

export interface Peer {
  /** http://127.0.0.1:port */
  readonly url: string;
  readonly use: () => Promise<Usage>;
  readonly stop: () => Promise<void>;
}

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
export async function startPeer(file: string, words: readonly string[]): Promise<Peer> {
  const port = String(await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const child = fork(
    file,
    words.map((word) => word.replace('PORT', port)),
    { execArgv: ['--import', usage], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  const ended = once(child, 'exit');
  await waitForAnswer(url, () => child.exitCode !== null);
  return {
    url,
    async use() {
      child.send('usage');
      const [answer] = await once(child, 'message');
      return answer as Usage;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
