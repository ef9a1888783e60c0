/** The least that node:http can do: the same bytes and headers to every request, whose body it reads to the end. */

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
