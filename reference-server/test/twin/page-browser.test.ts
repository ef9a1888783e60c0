/** A page of another origin in Chromium develops against the server: it reads answers, §8's headers, and survives a 429. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { launchChromium } from '../../../conformance/test/reporters/chromium.ts';
import { type Server, type ServerOptions, startServer } from '../../twin/index.ts';
import { write } from '../client.ts';

const browser = await launchChromium();
const pages = createServer((_incoming, response) => {
  response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>A shop</title>');
});
await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
const origin = `http://localhost:${(pages.address() as AddressInfo).port}`;

/** What fetch gives a page, or the message with which it fails. */
interface Seen {
  readonly status?: number;
  readonly body?: string;
  readonly remaining?: string | null;
  readonly retryAfter?: string | null;
  readonly message?: string;
}

/** Runs fetch in a page of another origin for each request, one after the other. */
async function fetchInPage(server: Server, requests: readonly RequestInit[]): Promise<readonly Seen[]> {
  const page = await browser.newPage();
  try {
    await page.goto(origin);
    const script = `(async () => {
      const seen = [];
      for (const request of ${JSON.stringify(requests)}) {
        try {
          const answer = await fetch(${JSON.stringify(`${server.url}/pets`)}, request);
          seen.push({
            status: answer.status,
            body: await answer.text(),
            remaining: answer.headers.get('x-ratelimit-remaining'),
            retryAfter: answer.headers.get('retry-after'),
          });
        } catch (error) {
          seen.push({ message: error.message });
        }
      }
      return seen;
    })()`;
    return (await page.evaluate(script)) as readonly Seen[];
  } finally {
    await page.close();
  }
}

async function withServer(options: ServerOptions, use: (server: Server) => Promise<void>): Promise<void> {
  const server = await startServer(options);
  await use(server).finally(server.close);
}

const authorized = (server: Server): RequestInit => ({ headers: { authorization: `Bearer ${server.key}` } });

test('a page creates and lists animals, reads the rate-limit headers and the Retry-After of a 429', () =>
  withServer({}, async (server) => {
    const headers = { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' };
    const creation = { method: 'POST', headers, body: write() };
    const [created, listed, unauthorized] = await fetchInPage(server, [creation, authorized(server), {}]);
    assert.is(created?.status, 201);
    assert.is(listed?.body, `[${created?.body}]`);
    assert.match(listed?.remaining ?? '', /^\d+$/);
    assert.is(unauthorized?.status, 401);
    server.answerNext({ retryAfterSeconds: 2 });
    const [refused, again] = await fetchInPage(server, [authorized(server), authorized(server)]);
    assert.equal([refused?.status, refused?.retryAfter, again?.status], [429, '2', 200]);
  }));

test('a page of the origin that is allowed reads answers, and without CORS no page does', async () => {
  await withServer({ corsOrigin: origin }, async (server) => {
    assert.is((await fetchInPage(server, [authorized(server)]))[0]?.status, 200);
  });
  for (const options of [{ corsOrigin: 'http://elsewhere.example' }, { gaps: { cors: 'none' } }] as const) {
    await withServer(options, async (server) => {
      assert.equal(await fetchInPage(server, [authorized(server)]), [{ message: 'Failed to fetch' }]);
    });
  }
});

test('close', async () => {
  await browser.close();
  await new Promise((resolve) => pages.close(resolve));
});

test.run();
