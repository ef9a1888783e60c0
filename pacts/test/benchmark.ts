/**
 * Measures `pact verify` as a whole process, and the native verifier alone against a server that only answers:
 * node pacts/test/benchmark.ts [INTERACTIONS…]
 */

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPact } from '../pact.ts';
import type { Gateway } from '../verify/gateway.ts';
import { startVerifier } from '../verify/verifier.ts';
import { verifyPact } from '../verify/verify-pact.ts';

const cli = new URL('../../conformance/cli.ts', import.meta.url).pathname;
const recorded = JSON.parse(readFileSync(new URL('../adoption-site-pet-store.json', import.meta.url), 'utf8')) as {
  readonly interactions: readonly { readonly description: string; readonly response: { readonly status: number } }[];
};

/** The recorded pact with so many interactions; who exceeds a limit many times waits for it, so larger ones do not. */
function pactOf(count: number): string {
  const { interactions } = recorded;
  const base =
    count > interactions.length ? interactions.filter(({ response }) => response.status !== 429) : interactions;
  const all = Array.from({ length: count }, (_nothing, at) => {
    const one = base[at % base.length]!;
    return { ...one, description: `${one.description}, ${at}` };
  });
  return JSON.stringify({ ...recorded, interactions: all });
}

async function secondsOf(work: () => Promise<unknown>): Promise<string> {
  const beganAt = performance.now();
  await work();
  return `${((performance.now() - beganAt) / 1000).toFixed(2)} s`;
}

/** Resolves with the exit code of a whole process. */
function verify(file: string): Promise<number | null> {
  const budget = ['--max-requests', '1000000', '--max-creates', '1000000'];
  const child = spawn(process.execPath, [cli, 'pact', 'verify', '--pact', file, ...budget], { stdio: 'ignore' });
  return new Promise((resolve) => void child.on('close', resolve));
}

/** Every state and every request is answered at once, with the same. */
async function verifyTrivially(text: string): Promise<void> {
  const server = createServer((incoming, outgoing) => {
    incoming.resume().on('end', () => outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{"id":7}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const gateway: Gateway = {
    url,
    statesUrl: `${url}/states`,
    expect: () => undefined,
    take: () => [],
    stopped: () => undefined,
    renew: () => Promise.resolve(),
    wait: () => Promise.resolve(),
    mayBeEarly: () => false,
    close: () => Promise.resolve(),
  };
  const verifier = startVerifier();
  await verifyPact(readPact(text, 'benchmark.json'), { gateway, verifier, signal: new AbortController().signal });
  verifier.close();
  server.close();
  server.closeAllConnections();
}

const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-'));
const counts = process.argv.slice(2).map(Number);
for (const count of counts.length > 0 ? counts : [8, 1_000]) {
  const file = join(folder, `${count}.json`);
  writeFileSync(file, pactOf(count));
  let code: number | null = null;
  const whole = await secondsOf(async () => {
    code = await verify(file);
  });
  const native = await secondsOf(() => verifyTrivially(pactOf(count)));
  console.log(`pact verify, ${count} interactions: exit ${code}, ${whole}; the native verifier alone ${native}`);
}
rmSync(folder, { recursive: true });
