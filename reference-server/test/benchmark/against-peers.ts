/** Compares the CPU time of a request with that of a bare node:http server which sends the same answer. */

import { Agent, request } from 'node:http';
import type { Figure } from './figures.ts';
import { type Peer, startPeer } from './peer.ts';

export const key = 'key-of-the-benchmark';
const pet = '{"name":"Rex","categoryId":1,"status":"available"}';
const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };

/** Each with the share of a bare server's speed that is its goal. */
const trials = [
  { name: 'getPet', path: '/v1/pets/1', goal: 0.85 },
  { name: 'listPets, 20', path: '/v1/pets', goal: 0.85 },
  { name: 'listPets, 100 and filter', path: '/v1/pets?limit=100&status=available', goal: 0.65 },
  { name: 'createPet', path: '/v1/pets', body: pet, goal: 0.65 },
] as const;

const [rounds, connections, durationMs] = [5, 8, 1_000];

/** Starts the reference server with a thousand animals. */
export function startCore(): Promise<Peer> {
  return startPeer('core', key);
}

/** Starts a server that sends the same answer as ours to every request. */
async function startBare(url: string, body: string | undefined): Promise<Peer> {
  const answer = await fetch(url, body === undefined ? { headers } : { method: 'POST', headers, body });
  const byNode = ['connection', 'date', 'keep-alive'];
  const sent = [...answer.headers].filter(([name]) => !byNode.includes(name));
  const canned = { status: answer.status, headers: Object.fromEntries(sent), body: await answer.text() };
  return startPeer('bare', JSON.stringify(canned));
}

/** Resolves when the whole answer has come; rejects where it is not 2xx. */
function ask(url: string, body: string | undefined, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) response.resume().on('end', resolve);
      else reject(new Error(`${url}: ${statusCode}`));
    });
    sent.on('error', reject).end(body);
  });
}

/** Repeats one request for a second; resolves with the microseconds of CPU time that it takes. */
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

/** The two servers take turns, so that other load on the machine affects both; the first round warms them up. */
export async function measureAgainstPeers(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, path, goal, ...rest } of trials) {
    const body = 'body' in rest ? rest.body : undefined;
    const core = await startCore();
    const peer = await startBare(core.url + path, body);
    const costs: { readonly ours: number; readonly bare: number }[] = [];
    for (let round = 0; round <= rounds; round += 1)
      costs.push({ ours: await measure(core, path, body), bare: await measure(peer, path, body) });
    await Promise.all([core.stop(), peer.stop()]);
    const [ours, ratios] = [costs.slice(1).map((one) => one.ours), costs.slice(1).map((one) => one.bare / one.ours)];
    figures.push({ name, measure: 'CPU time, µs a request', values: ours });
    figures.push({ name: `${name} ÷ bare node:http`, measure: 'CPU time', values: ratios, goal: { atLeast: goal } });
  }
  return figures;
}
