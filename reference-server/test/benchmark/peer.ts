/** Starts a server in a process of its own that reports its CPU time. */

import { fork } from 'node:child_process';
import { once } from 'node:events';

export interface Peer {
  /** http://127.0.0.1:port, or the base address of the peer. */
  readonly url: string;
  /** CPU time of the process so far, user and system, in milliseconds. */
  readonly cpuMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** Starts server.ts. */
export async function startPeer(...words: readonly string[]): Promise<Peer> {
  const file = new URL('server.ts', import.meta.url);
  const child = fork(file, words, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const [first] = await Promise.race([once(child, 'message'), ended]);
  const { url } = Object(first) as { readonly url?: string };
  if (url === undefined) throw new Error(`${file} has ended.`);
  return {
    url,
    async cpuMs() {
      child.send('usage');
      const [answer] = await once(child, 'message');
      return (answer as { readonly cpuMs: number }).cpuMs;
    },
    async stop() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
