/** Measures the server against a bare node:http server, and a small catalogue against a large one: node benchmark.ts */

import { createServer } from 'node:http';
import { connect } from 'node:net';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { createPetStore, listen } from '../index.ts';

interface Round {
  readonly port: number;
  readonly path: string;
  readonly durationMs: number;
}

const rounds = 31;
const connections = 8;
const roundMs = 200;
const key = 'benchmark-key';

/** Sends one request after another on each connection; resolves with how many were answered in the time. */
async function load({ port, path, durationMs }: Round): Promise<number> {
  const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`);
  const lastByte = (path.includes('?') ? ']' : '}').charCodeAt(0);
  let answered = 0;
  let isOver = false;
  const ends = Array.from({ length: connections }, () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request)).setNoDelay();
    socket.on('data', (chunk) => {
      if (chunk.at(-1) !== lastByte) return;
      if (isOver) return void socket.destroy();
      answered += 1;
      socket.write(request);
    });
    return new Promise((resolve) => socket.once('close', resolve));
  });
  setTimeout(() => {
    isOver = true;
  }, durationMs);
  await Promise.all(ends);
  return answered;
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function measure(): Promise<void> {
  const worker = new Worker(new URL(import.meta.url));
  function play(round: Round): Promise<number> {
    worker.postMessage(round);
    return new Promise((resolve) => worker.once('message', resolve));
  }

  /** Alternates between two targets, so that what else the machine does falls on both. */
  async function compare(title: string, one: Omit<Round, 'durationMs'>, other: Omit<Round, 'durationMs'>) {
    for (const target of [one, other, one, other]) await play({ ...target, durationMs: roundMs * 2 });
    const pairs: { readonly ratio: number; readonly rate: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const order = round % 2 === 0 ? [one, other] : [other, one];
      const counts = [
        await play({ ...order[0]!, durationMs: roundMs }),
        await play({ ...order[1]!, durationMs: roundMs }),
      ];
      const [first = 0, second = 0] = round % 2 === 0 ? counts : counts.toReversed();
      pairs.push({ ratio: first / second, rate: first / (roundMs / 1000) });
    }
    const ratios = pairs.map(({ ratio }) => ratio).toSorted((a, b) => a - b);
    const quartiles = `${ratios[Math.floor(rounds / 4)]?.toFixed(2)}–${ratios[Math.floor((rounds * 3) / 4)]?.toFixed(2)}`;
    const rate = Math.round(median(pairs.map((pair) => pair.rate)));
    console.log(`${title}: ratio ${median(ratios).toFixed(2)} (quartiles ${quartiles}), ${rate} requests per second`);
  }

  function fill(count: number): { name: string; categoryId: bigint; status: 'available' | 'sold' }[] {
    return Array.from({ length: count }, (_nothing, at) => {
      return { name: `Animal ${at}`, categoryId: 1n, status: at % 2 === 0 ? 'available' : 'sold' };
    });
  }
  async function open(count: number, order: 'oldest-first' | 'newest-first' | 'shuffled') {
    const keys = [{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }] as const;
    const { handle } = createPetStore({ keys, animals: fill(count), gaps: { 'list-order': order } });
    return { handle, listening: await listen(handle, { port: 0 }) };
  }
  const portOf = (url: string): number => Number(new URL(url).port);

  const store = await open(100, 'oldest-first');
  const headers = [['Authorization', `Bearer ${key}`]] as const;
  const request = { method: 'GET', target: '/v1/pets/1', headers, body: new Uint8Array(), address: '' };
  const sample = store.handle(request, Date.now());
  const sent = { ...sample.headers, 'Content-Length': Buffer.byteLength(sample.body) };
  const bare = createServer((_incoming, response) => {
    response.writeHead(sample.status, sent);
    response.end(sample.body);
  });
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve));
  const address = bare.address();
  const barePort = typeof address === 'object' && address !== null ? address.port : 0;
  const { url } = store.listening;
  const get = { port: portOf(url), path: '/v1/pets/1' };
  await compare('getPet, against bare node:http', get, { port: barePort, path: '/v1/pets/1' });
  bare.closeAllConnections();
  bare.close();
  await store.listening.close();

  if (process.argv.includes('--getPet')) process.exit();
  for (const order of ['oldest-first', 'newest-first', 'shuffled'] as const) {
    const small = await open(100, order);
    const large = await open(100_000, order);
    const path = '/v1/pets?status=available&limit=20';
    const title = `listPets ${order} with a filter, 100,000 animals against 100`;
    const largeTarget = { port: portOf(large.listening.url), path };
    await compare(title, largeTarget, { port: portOf(small.listening.url), path });
    await Promise.all([small.listening.close(), large.listening.close()]);
  }
  await worker.terminate();
}

if (isMainThread) await measure();
else parentPort?.on('message', async (round: Round) => parentPort?.postMessage(await load(round)));
