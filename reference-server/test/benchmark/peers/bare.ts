/** The minimum with node:http: reads each body to its end and sends the same headers and bytes to every request. */

import { createServer } from 'node:http';

const [, , port, sent = '{}'] = process.argv;
const { status, headers, body } = JSON.parse(sent) as {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

createServer((incoming, response) => {
  function answer(): void {
    response.writeHead(status, headers);
    response.end(body);
  }
  if (incoming.method === 'POST') incoming.resume().on('end', answer);
  else answer();
}).listen(Number(port), '127.0.0.1');
