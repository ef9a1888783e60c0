/** `observe BASE_URL` relays traffic and judges it as it passes. */

import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startOtherServer } from '../../other-server.ts';
import { readReport, start, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();

/** Starts watch, and resolves with the address that it prints. */
async function startWatching(baseUrl: string, words: readonly string[]) {
  const { child, result } = start(['observe', baseUrl, ...words]);
  const address = await new Promise<string>((resolve) => {
    let printed = '';
    child.stderr?.on('data', (chunk) => {
      printed += chunk;
      const found = /^Passing (\S+) on to/m.exec(printed)?.[1];
      if (found !== undefined) resolve(found);
    });
    child.once('close', () => resolve(''));
  });
  return { child, result, address };
}

function ask(url: string, key: string | undefined, body?: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    const outgoing = request(url, { method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    outgoing.on('error', reject).end(body);
  });
}

async function useAsAShop(address: string, key: string): Promise<void> {
  const created = await ask(`${address}/pets`, key, '{"name":"Rex","categoryId":9007199254740993,"status":"sold"}');
  assert.is(created.status, 201);
  assert.match(created.body, '"categoryId":9007199254740993');
  assert.is((await ask(`${address}/pets`, key)).status, 200);
  assert.is((await ask(`${address}/pets`, undefined)).status, 401);
}

test('exchanges are judged as they pass, and SIGINT ends it with a report', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const file = join(folder, 'watched.json');
  const { child, result, address } = await startWatching(baseUrl, ['--reporter', `json=${file}`]);
  assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/v1$/);
  await useAsAShop(address, key);
  child.kill('SIGINT');
  const { code, stderr } = await result;
  server.close();
  assert.is(code, 0, stderr);
  const report = readReport(file);
  assert.is(report.requests, 3);
  assert.is(report.target.baseUrl, baseUrl);
  assert.is(report.requirements.find(({ id }) => id === 'pet-category-id-kept')?.verdict, 'pass');
  assert.not.match(JSON.stringify(report), key);
});

test('a failure is printed as it passes, and it ends when no exchange comes for --idle', async () => {
  const { baseUrl, key, server } = await startOtherServer({
    breaks: (answer) => {
      answer.body = answer.body.replace('9007199254740993', '9007199254740992');
    },
  });
  const { result, address } = await startWatching(baseUrl, ['--idle', '1']);
  await ask(`${address}/pets`, key, '{"name":"Rex","categoryId":9007199254740993}');
  const { code, stderr, stdout } = await result;
  server.close();
  assert.is(code, 1);
  assert.match(
    stderr,
    'pet-category-id-kept: expected categoryId 9007199254740993 in the 201, received 9007199254740992 (POST /pets)',
  );
  assert.match(stdout, 'pet-category-id-kept');
  assert.not.match(stderr + stdout, key);
});

test('client requirements that the traffic breaks are named at the end, and do not change the verdict', async () => {
  const { baseUrl, key, server } = await startOtherServer();
  const { child, result, address } = await startWatching(baseUrl, ['--quiet']);
  await useAsAShop(address, key);
  await ask(`${address}/pets?limit=1000&_=1`, key);
  child.kill('SIGINT');
  const { stderr } = await result;
  server.close();
  assert.match(
    stderr,
    /^A client breaks client-shown-only: expected listPets with limit and status, received _ as well \(#4 GET \/pets\?limit=1000&_=1\)$/m,
  );
});

test('without any exchange the verdict is inconclusive', async () => {
  const { result } = await startWatching('http://127.0.0.1:9/v1', ['--idle', '1']);
  const { code, stdout } = await result;
  assert.is(code, 3);
  assert.match(stdout, 'The traffic holds no exchange below the base address');
});

/** Sends bytes, and resolves when the other side has closed. */
function send(address: string, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const { port } = new URL(address);
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(bytes, 'latin1'));
    socket.resume().on('error', () => undefined);
    socket.on('close', () => resolve());
  });
}

test('no malformed message ends it, and the timeline holds all exchanges', async () => {
  const answers = [
    'HTTP/1.1 200 OK\r\nTrailer: X\r\nContent-Length: 2\r\n\r\n[]',
    'HTTP/1.1 000 Zero\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 099 Low\r\nContent-Length: 0\r\n\r\n',
    'HTTP/1.1 200 O\x01K\r\nContent-Length: 2\r\n\r\n[]',
    'no HTTP at all\r\n\r\n',
    'HTTP/1.1 200 OK\r\n\0: \0\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n[]',
  ];
  let at = 0;
  const target = createServer((socket) => {
    socket
      .on('error', () => undefined)
      .on('data', () => {
        socket.end(answers[at % answers.length]!, 'latin1');
        at += 1;
      });
  });
  await new Promise<void>((resolve) => {
    target.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = target.address() as { port: number };
  const json = join(folder, 'odd.json');
  const { child, result, address } = await startWatching(`http://127.0.0.1:${port}/v1`, ['--reporter', `json=${json}`]);
  for (const _answer of answers) await send(address, 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await send(
    address,
    'POST /v1/pets HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTrailer: X\r\nContent-Length: 2\r\n\r\n{}',
  );
  await send(address, 'GET /v1/pets HTTP/1.0\r\n\r\n');
  await send(address, '\x16\x03\x01\x02\0\r\n\r\n');
  child.kill('SIGINT');
  const { code, stderr } = await result;
  target.close();
  assert.ok(code === 1 || code === 3, stderr);
  const report = readReport(json);
  assert.equal([report.requests, report.timeline.length], [8, 8]);
});

test('a port that is taken is refused with one sentence', async () => {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve());
  });
  const { port } = server.address() as { port: number };
  const { result } = await startWatching('http://127.0.0.1:9/v1', ['--port', String(port)]);
  const { code, stderr } = await result;
  server.close();
  assert.is(code, 2);
  assert.is(stderr, `Port ${port} of 127.0.0.1 cannot be listened on (EADDRINUSE): choose --port and --host.\n`);
});

test('an address that is not of this machine is refused with one sentence', async () => {
  const { result } = await startWatching('http://127.0.0.1:9/v1', ['--host', '203.0.113.1']);
  const { code, stderr } = await result;
  assert.is(code, 2);
  assert.match(stderr, /^Port 0 of 203\.0\.113\.1 .*\(EADDRNOTAVAIL\): choose --port and --host\.\n$/);
});

test('an address and archives are not observed together', async () => {
  const { code, stderr } = await start(['observe', 'http://127.0.0.1:9/v1', 'a.har', '--idle', '1']).result;
  assert.is(code, 2);
  assert.is(stderr, 'observe takes one base address, or archives: give one or the other.\n');
});

test.run();
