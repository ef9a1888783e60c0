/** A page of another origin in a real browser, which asks the service by fetch: page-client.mjs KIND. */

import http from 'node:http';
import { launchChromium } from '../reporters/chromium.ts';

const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key, PETSTORE_CATEGORY_ID: category } = process.env;

/** Runs in the page. Its requests carry Authorization, so that the browser asks for permission first. */
async function usePetStore({ base, key, category, kind }) {
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
  async function send(path, { body } = {}) {
    for (let attempt = 0; attempt < 6; attempt += 1) {
      const headers = { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) };
      const response = await fetch(base + path, { method: body ? 'POST' : 'GET', body, headers });
      const text = await response.text();
      const header = (name) => response.headers.get(name) ?? '';
      if (response.status !== 429) {
        const reset = Number(header('x-ratelimit-reset')) * 1000;
        if (header('x-ratelimit-remaining') === '0') await sleep(reset - Date.now());
        return { status: response.status, text };
      }
      const asked = header('retry-after');
      const waitMs = /^\d+$/.test(asked) ? Number(asked) * 1000 : Math.max(0, Date.parse(asked) - Date.now());
      await sleep(waitMs + 150 * 2 ** attempt);
    }
    throw new Error('429');
  }
  const pet = (name) => ({ body: `{"name":"${name}","categoryId":${category},"status":"available"}` });
  const created = await send('/pets', pet('Rex'));
  if (created.status !== 201) throw new Error(`expected 201, received ${created.status}`);
  const page = JSON.parse((await send('/pets?status=available&limit=50')).text);
  if (!page.every(({ status }) => status === 'available')) throw new Error('expected available animals');
  const known = ['id', 'name', 'categoryId', 'status'];
  const unknown = Object.keys(JSON.parse(created.text)).filter((field) => !known.includes(field));
  if (kind === 'strict-fields' && unknown.length > 0) throw new Error(`unknown fields: ${unknown}`);
}

const server = http.createServer((_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end('<!doctype html><title>Adoption site</title>');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await launchChromium();
try {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.evaluate(usePetStore, { base, key, category, kind: process.argv[2] });
} finally {
  await browser.close();
  server.close();
}
