/** Puts load on one local address, bounded in time and connections. */

import { Agent, request } from 'node:http';

export interface Question {
  readonly path: string;
  readonly key: string;
  /** Sent by POST; without a body the request is a GET. */
  readonly body?: string;
}

const connections = 8;
const durationMs = 1_000;

/** Resolves when the whole answer has come; rejects where it is not 2xx. */
function ask(url: string, { key, body }: Question, agent: Agent): Promise<void> {
  const content = body === undefined ? {} : { 'Content-Type': 'application/json' };
  const options = {
    agent,
    method: body === undefined ? 'GET' : 'POST',
    headers: { Authorization: `Bearer ${key}`, ...content },
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => {
      const { statusCode = 0 } = response;
      if (statusCode >= 200 && statusCode < 300) response.resume().on('end', resolve);
      else reject(new Error(`${url}: ${statusCode}`));
    });
    sent.on('error', reject).end(body);
  });
}

/** Repeats one request for a second; resolves with how often it was answered. */
export async function load(baseUrl: string, question: Question): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const startedAt = performance.now();
  let requests = 0;
  const repeat = async (): Promise<void> => {
    while (performance.now() - startedAt < durationMs) {
      await ask(baseUrl + question.path, question, agent);
      requests += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, repeat)).finally(() => agent.destroy());
  return requests;
}
