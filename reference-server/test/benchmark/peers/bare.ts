/** The minimum with node:http: reads each body to its end and sends the same headers and bytes to every request. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { announce } from '../announce.ts';

const { status, headers, body } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

const server = createServer((incoming, response) => {
  const answer = (): void => void response.writeHead(status, headers).end(body);
  if (incoming.method === 'POST') incoming.resume().on('end', answer);
  else answer();
}).listen(0, '127.0.0.1', () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
