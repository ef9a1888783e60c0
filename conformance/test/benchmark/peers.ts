/**
 * Compares the CPU time of a request to `petstore-server`, as a user starts it, with that of a bare node:http server which
 * sends the same answer, and of one written with Fastify. Each server is a process of its own, which reports its CPU time.
 * `petstore-server` and `fastify` have a thousand animals and limits that are never reached; `bare ANSWER` gives every
 * request the same answer.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import type { StoreResponse } from '../../../reference-server/index.ts';
import { serveFastify } from './fastify.ts';

/** What was measured several times, and the goal of its median; without a goal it only explains another figure. */
export interface Figure {
  readonly name: string;
  /** The unit or the quantity, such as `CPU time` or `bytes`. */
  readonly measure: string;
  readonly values: readonly number[];
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
}

export const key = 'key-of-the-benchmark';
const command = new URL('../../../dist/petstore-server.js', import.meta.url).pathname;
const pet = '{"name":"Rex","categoryId":1,"status":"available"}';
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };

/** Each with the share of a bare server's speed that is its goal. */
const trials = [
  { name: 'getPet', path: '/v1/pets/1', goal: 0.8 },
  { name: 'listPets, 20', path: '/v1/pets', goal: 0.8 },
  { name: 'listPets, 100 and filter', path: '/v1/pets?limit=100&status=available', goal: 0.65 },
  { name: 'createPet', path: '/v1/pets', body: pet, goal: 0.7 },
] as const;

const [warmUps, rounds, connections, durationMs] = [8, 16, 8, 300];

/** Loaded before petstore-server: reports the CPU time, as the other servers do. */
const reportUsage =
  'data:text/javascript,process.on("disconnect",()=>process.exit()).on("message",()=>process.send(process.cpuUsage()))';

function peerOf(child: ChildProcess, url: string) {
  return {
    url,
    /** CPU time of the process so far, user and system, in milliseconds. */
    async cpuMs(): Promise<number> {
      child.send('usage');
      const [{ user, system }] = await once(child, 'message');
      return (user + system) / 1000;
    },
    async stop(): Promise<void> {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
type Peer = ReturnType<typeof peerOf>;

async function startPeer(kind: 'bare' | 'fastify', text = ''): Promise<Peer> {
  const child = fork(import.meta.filename, [kind, text], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [url] = (await once(child, 'message')) as [string];
  return peerOf(child, url);
}

/** Starts petstore-server with a thousand animals. */
export async function startOurs(): Promise<Peer> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-benchmark-'));
  const [keysFile, animalsFile] = [join(folder, 'keys.json'), join(folder, 'animals.json')];
  writeFileSync(keysFile, JSON.stringify([{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }]));
  writeFileSync(animalsFile, JSON.stringify(animals));
  const child = fork(command, ['--port', '0', '--keys', keysFile, '--animals', animalsFile], {
    execArgv: ['--import', reportUsage],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = await once(child.stdout!, 'data');
  rmSync(folder, { recursive: true });
  const [url = ''] = /http:\/\/[^/ ]+/.exec(String(line)) ?? [];
  return peerOf(child, url);
}

/** Resolves with the whole answer; rejects where it is not 2xx. A fetch would send further headers, which servers parse. */
async function ask(url: string, body?: string, agent?: Agent): Promise<StoreResponse> {
  const sent = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers }).end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const { statusCode: status = 0 } = answer;
  const text = await readText(answer);
  if (status >= 300) throw new Error(`${url}: ${status}`);
  // As they came: node:http takes longer for a name with capitals.
  const pairs = answer.rawHeaders.flatMap((name, at, all) => (at % 2 === 0 ? [[name, all[at + 1]!] as const] : []));
  return { status, headers: Object.fromEntries(pairs), body: text };
}

/** Repeats one request for a while; resolves with the microseconds of CPU time that it takes. */
async function measure(peer: Peer, path: string, body: string | undefined): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const [beganAt, before] = [performance.now(), await peer.cpuMs()];
  let requests = 0;
  const repeat = async (): Promise<void> => {
    for (; performance.now() - beganAt < durationMs; requests += 1) await ask(peer.url + path, body, agent);
  };
  await Promise.all(Array.from({ length: connections }, repeat)).finally(() => agent.destroy());
  return (((await peer.cpuMs()) - before) / requests) * 1000;
}

/** The servers take turns, so that other load on the machine affects them alike; the first rounds warm them up. */
export async function measureAgainstPeers(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, path, goal, ...rest } of trials) {
    const body = 'body' in rest ? rest.body : undefined;
    const [ours, fastify] = [await startOurs(), await startPeer('fastify')];
    const bare = await startPeer('bare', JSON.stringify(await ask(ours.url + path, body)));
    const peers = [ours, bare, fastify];
    const warm: (readonly number[])[] = [];
    for (let round = 0; round < warmUps + rounds; round += 1) {
      const costs: number[] = [];
      for (const peer of peers) costs.push(await measure(peer, path, body));
      if (round >= warmUps) warm.push(costs);
    }
    for (const peer of peers) await peer.stop();
    const sharesOf = (peer: number): readonly number[] => warm.map((costs) => costs[peer]! / costs[0]!);
    figures.push({ name, measure: 'CPU time, µs a request', values: warm.map(([cost]) => cost!) });
    figures.push({
      name: `${name}: bare node:http ÷ ours`,
      measure: 'CPU time',
      values: sharesOf(1),
      goal: { atLeast: goal },
    });
    figures.push({ name: `${name}: Fastify ÷ ours`, measure: 'CPU time', values: sharesOf(2), goal: { atLeast: 1 } });
  }
  return figures;
}

const statuses = ['available', 'pending', 'sold'] as const;
const animals = Array.from({ length: 1_000 }, (_nothing, at) => {
  return { name: `Animal ${at + 1}`, categoryId: (at % 10) + 1, status: statuses[at % 3]! };
});

async function serveBare({ status, headers: sent, body }: StoreResponse): Promise<string> {
  // Node writes these itself.
  const { Connection: _connection, Date: _date, 'Keep-Alive': _keepAlive, ...own } = sent;
  const server = createServer((incoming, response) => {
    const answer = (): void => void response.writeHead(status, own).end(body);
    if (incoming.method === 'POST') incoming.resume().on('end', answer);
    else answer();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

if (import.meta.main) {
  const [, , kind, text = ''] = process.argv;
  // The server ends when this process ends.
  process.on('disconnect', () => process.exit());
  process.on('message', () => process.send?.(process.cpuUsage()));
  const serve = { fastify: () => serveFastify(key, animals), bare: () => serveBare(JSON.parse(text)) };
  process.send?.(await serve[kind as keyof typeof serve]());
}
