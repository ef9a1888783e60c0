/**
 * Measures what `watch` adds to an exchange, and its memory while many pass: node conformance/test/benchmark/watch.ts
 * [EXCHANGES]
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createPetStore, listen } from '../../../reference-server/index.ts';

const cli = new URL('../../cli.ts', import.meta.url).pathname;
const key = 'key-of-the-benchmark';
const paths = ['/pets?limit=5', '/pets/1', '/pets/2', '/pets?limit=20', '/pets/99999'];
const atATime = 8;
const agent = new Agent({ keepAlive: true, maxSockets: atATime });

/** Resolves with how long the answer took, milliseconds. */
function ask(url: string, body?: string): Promise<number> {
  const beganAt = performance.now();
  const content = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
  const headers = { authorization: `Bearer ${key}`, ...content };
  return new Promise((resolve, reject) => {
    request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers }, (answer) => {
      answer.resume().on('end', () => resolve(performance.now() - beganAt));
    })
      .on('error', reject)
      .end(body);
  });
}

async function measure(baseUrl: string): Promise<string> {
  const times: number[] = [];
  for (let at = 0; at < 4_000; at += 1) times.push(await ask(baseUrl + paths[at % paths.length]!));
  const warm = times.slice(1_000).sort((one, other) => one - other);
  const [median, most] = [0.5, 0.95].map((part) => warm[Math.floor(part * warm.length)]!.toFixed(2));
  return `${median} ms at the median, ${most} ms in 95 of 100`;
}

/** The address that it listens on. */
async function addressOf(child: ChildProcess): Promise<string> {
  let printed = '';
  for await (const chunk of child.stderr!.iterator({ destroyOnReturn: false })) {
    printed += String(chunk);
    const address = /^Passing (\S+) on/m.exec(printed)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(printed);
}

function mebibytesOf({ pid }: ChildProcess): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}

async function passMany(baseUrl: string, total: number, watch: ChildProcess): Promise<void> {
  let asked = 0;
  const work = async (): Promise<void> => {
    while (asked < total) {
      asked += 1;
      const at = asked;
      // A connection that was idle may end as it is used.
      await ask(baseUrl + paths[at % paths.length]!).catch(() => 0);
      if (at % (total / 10) === 0) console.log(`${at} exchanges: ${mebibytesOf(watch)} MiB`);
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
}

const store = createPetStore({ keys: [{ key, plan: 'enterprise', perMinute: 1e9, perDay: 1e9 }] });
const server = await listen(store.handle, { port: 0 });
const baseUrl = `${server.url}/v1`;
for (let at = 0; at < 30; at += 1) await ask(`${baseUrl}/pets`, JSON.stringify({ name: `pet ${at}`, categoryId: 1 }));
const watch = spawn(process.execPath, [cli, 'observe', baseUrl, '--quiet'], {
  stdio: ['ignore', 'inherit', 'pipe'],
});
const address = await addressOf(watch);
console.log(`without watch: ${await measure(baseUrl)}`);
console.log(`with watch: ${await measure(address)}`);
await passMany(address, Number(process.argv[2] ?? 100_000), watch);
agent.destroy();
watch.kill('SIGINT');
await once(watch, 'close');
await server.close();
