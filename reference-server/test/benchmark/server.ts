/**
 * A server in a process of its own, which reports its CPU time: `core KEY`, the reference server with a thousand animals and
 * limits that are never reached, or `bare ANSWER`, the minimum with node:http that gives every request the same answer.
 */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createPetStore, listen } from '../../index.ts';

const [, , kind, text = ''] = process.argv;

/** Tells the parent process the address, and what has been used whenever the parent asks; ends with the parent. */
function announce(url: string): void {
  process.on('disconnect', () => process.exit());
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000 });
  });
  process.send?.({ url });
}

if (kind === 'core') {
  const animals = Array.from({ length: 1_000 }, (_nothing, at) => {
    const status = (['available', 'pending', 'sold'] as const)[at % 3]!;
    return { name: `Animal ${at + 1}`, categoryId: BigInt((at % 10) + 1), status };
  });
  const keys = [{ key: text, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }] as const;
  announce((await listen(createPetStore({ keys, animals }).handle, { port: 0 })).url);
} else {
  const { status, headers, body } = JSON.parse(text) as {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  };
  const server = createServer((incoming, response) => {
    const answer = (): void => void response.writeHead(status, headers).end(body);
    if (incoming.method === 'POST') incoming.resume().on('end', answer);
    else answer();
  }).listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}
