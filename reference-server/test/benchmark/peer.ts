/**
 * A server in a process of its own, which reports its CPU time: `core KEY`, the reference server with a thousand animals and
 * limits that are never reached, or `bare ANSWER`, the minimum with node:http that gives every request the same answer.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPetStore, listen, type StoreResponse } from '../../index.ts';

export interface Peer {
  readonly url: string;
  /** CPU time of the process so far, user and system, in milliseconds. */
  readonly cpuMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

export async function startPeer(kind: 'core' | 'bare', text: string): Promise<Peer> {
  const child = fork(import.meta.filename, [kind, text], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [url] = await once(child, 'message');
  return {
    url,
    async cpuMs() {
      child.send('usage');
      const [{ user, system }] = await once(child, 'message');
      return (user + system) / 1000;
    },
    async stop() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function serveCore(key: string): Promise<string> {
  const animals = Array.from({ length: 1_000 }, (_nothing, at) => {
    const status = (['available', 'pending', 'sold'] as const)[at % 3]!;
    return { name: `Animal ${at + 1}`, categoryId: BigInt((at % 10) + 1), status };
  });
  const keys = [{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }] as const;
  return (await listen(createPetStore({ keys, animals }).handle, { port: 0 })).url;
}

async function serveBare({ status, headers, body }: StoreResponse): Promise<string> {
  const server = createServer((incoming, response) => {
    const answer = (): void => void response.writeHead(status, headers).end(body);
    if (incoming.method === 'POST') incoming.resume().on('end', answer);
    else answer();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

if (import.meta.main) {
  const [, , kind, text = ''] = process.argv;
  // It ends with its parent.
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send?.(process.cpuUsage()));
  process.send?.(await (kind === 'core' ? serveCore(text) : serveBare(JSON.parse(text))));
}
