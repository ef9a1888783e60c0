/** Clients of other kinds, built on Node.js alone: node-kinds.mjs KIND. */

import http from 'node:http';
import net from 'node:net';
import { askedWaitMs, check, sendPatiently, sleep } from './patience.mjs';

const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key, PETSTORE_CATEGORY_ID: category } = process.env;
const auth = { authorization: `Bearer ${key}` };
const json = { 'content-type': 'application/json' };

async function answerOf(response) {
  return { status: response.status, text: await response.text(), header: (name) => response.headers.get(name) };
}

async function sendOnce(path, init = {}) {
  return answerOf(await fetch(base + path, { ...init, headers: { ...auth, ...init.headers } }));
}

const send = (path, init) => sendPatiently(() => sendOnce(path, init));
const creation = (name = 'Rex') => ({
  method: 'POST',
  headers: json,
  body: `{"name":"${name}","categoryId":${category},"status":"available"}`,
});

async function create(name) {
  const answer = await send('/pets', creation(name));
  check(answer.status === 201, '201');
  return answer.text;
}

const exactId = (text) => /"id"\s*:\s*(-?\d+)/.exec(text)[1];

/** A request over node:http, whose answer is given to `read`. */
function overHttp(path, options, read) {
  return new Promise((resolve, reject) => {
    const { body, ...rest } = options;
    const request = http.request(base + path, { ...rest, headers: { ...auth, ...rest.headers } }, (incoming) =>
      read(incoming, resolve),
    );
    request.on('error', reject).end(body);
  });
}

function readWhole(incoming, resolve) {
  let text = '';
  incoming.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  incoming.on('end', () =>
    resolve({ status: incoming.statusCode, text, header: (name) => incoming.headers[name], raw: incoming.rawHeaders }),
  );
}

/** Sends several GET requests on one connection without waiting for answers, and reads them in order. */
function pipelined(paths) {
  const { hostname, port, pathname } = new URL(base);
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(port), hostname);
    const head = `Host: ${hostname}:${port}\r\nAuthorization: Bearer ${key}\r\n`;
    socket.write(
      paths
        .map((path, at) => {
          const close = at === paths.length - 1 ? 'Connection: close\r\n' : '';
          return `GET ${pathname}${path} HTTP/1.1\r\n${head}${close}\r\n`;
        })
        .join(''),
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject).on('end', () => resolve(text.split(/(?=HTTP\/1\.1 \d{3})/)));
  });
}

/** Reads a page as it comes, and calls `onText`, which says when it has seen enough. */
async function stream(path, onText) {
  for (let attempt = 0; ; attempt += 1) {
    const response = await fetch(base + path, { headers: auth });
    if (response.status === 429) {
      await response.body.cancel();
      if (attempt === 5) throw new Error('429');
      await sleep(askedWaitMs(response.headers.get('retry-after')) + 150 * 2 ** attempt);
      continue;
    }
    check(response.status === 200, '200');
    const decoder = new TextDecoder();
    for await (const chunk of response.body) if (onText(decoder.decode(chunk, { stream: true }))) return;
    return;
  }
}

/** Sends in several workers; after a 429 all of them wait, unless each waits for itself. */
async function inWorkers(jobs, { isShared }) {
  let openAt = 0;
  let refusals = 0;
  async function work() {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      for (;;) {
        if (isShared) while (Date.now() < openAt) await sleep(openAt - Date.now());
        const answer = await sendOnce('/pets', job);
        if (answer.status === 201) break;
        check(answer.status === 429, '201 or 429');
        refusals += 1;
        const waitMs = askedWaitMs(answer.header('retry-after')) + 150 * 2 ** Math.min(5, refusals);
        if (isShared) openAt = Math.max(openAt, Date.now() + waitMs);
        else await sleep(waitMs);
        check(refusals < 30, 'an end of refusals');
      }
      if (!isShared) await sleep(100);
    }
  }
  await Promise.all([work(), work(), work()]);
}

const names = (count) => Array.from({ length: count }, (_nothing, at) => creation(`Pet ${at}`));
let breaker = { failures: 0, openUntil: 0 };

const kinds = {
  /** Keeps pages for a while, asks with If-None-Match where the service gave an ETag, and forgets them on a creation. */
  'own-cache': async () => {
    const pages = new Map();
    async function list(path) {
      const known = pages.get(path);
      if (known !== undefined && known.until > Date.now()) return known.page;
      const headers = known?.etag ? { 'if-none-match': known.etag } : {};
      const answer = await send(path, { headers });
      const page = answer.status === 304 ? known.page : JSON.parse(answer.text);
      pages.set(path, { page, etag: answer.header('etag'), until: Date.now() + 50 });
      return page;
    }
    for (const name of ['Rex', 'Tom']) {
      await list('/pets?status=available');
      await create(name);
      pages.clear();
      check(Array.isArray(await list('/pets?status=available')), 'a page');
      await sleep(60);
      await list('/pets?status=available');
    }
  },
  'bigint-ids': async () => {
    const id = exactId(await create());
    const { status, text } = await send(`/pets/${id}`);
    check(status === 404 || BigInt(exactId(text)) === BigInt(id), 'the same id');
  },
  'string-ids': async () => {
    // Strings all the way: every int64 is put into quotes before JSON.parse.
    const { id } = JSON.parse((await create()).replace(/"(id|categoryId)"(\s*:\s*)(-?\d+)/g, '"$1"$2"$3"'));
    await send(`/pets/${id}`);
  },
  'double-ids': async () => {
    const { id } = JSON.parse(await create());
    check((await send(`/pets/${id}`)).status === 200, '200');
  },
  'category-as-string': async () => {
    const body = JSON.stringify({ name: 'Rex', categoryId: category });
    check((await send('/pets', { method: 'POST', headers: json, body })).status === 201, '201');
  },
  'all-at-once': async () => {
    await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map(create));
    check((await send('/pets?limit=100')).status === 200, '200');
  },
  'workers-shared-wait': () => inWorkers(names(9), { isShared: true }),
  'workers-own-waits': () => inWorkers(names(18), { isShared: false }),
  /** Errors are known by their status; their bodies are thrown away unread. */
  'ignores-error-bodies': async () => {
    const status = (path, options = {}) =>
      sendPatiently(() =>
        overHttp(path, options, (incoming, resolve) => {
          if (incoming.statusCode < 400) return readWhole(incoming, resolve);
          const { headers, statusCode } = incoming;
          incoming.destroy();
          resolve({ status: statusCode, text: '', header: (name) => headers[name] });
        }),
      );
    check((await status('/pets', { method: 'POST', headers: json, body: '{}' })).status === 400, '400');
    check((await status('/pets', creation())).status === 201, '201');
    check((await status('/pets')).status === 200, '200');
  },
  /** Looks headers up as the documentation writes them, in an array of raw names. */
  'header-case': async () => {
    const { raw } = await overHttp('/pets', {}, readWhole);
    check(raw.includes('X-RateLimit-Limit'), 'X-RateLimit-Limit');
  },
  'header-case-ignored': async () => {
    const answer = await sendPatiently(() => overHttp('/pets', {}, readWhole));
    check(answer.raw.map((name) => name.toUpperCase()).includes('X-RATELIMIT-LIMIT'), 'a limit');
  },
  /** Opens after a refusal and lets nothing pass until it may close again. */
  'circuit-breaker': async () => {
    async function guarded(path, init) {
      for (;;) {
        if (breaker.openUntil > Date.now()) await sleep(breaker.openUntil - Date.now());
        const answer = await sendOnce(path, init);
        if (answer.status !== 429) {
          breaker = { failures: 0, openUntil: 0 };
          if (answer.header('x-ratelimit-remaining') === '0') {
            breaker.openUntil = Number(answer.header('x-ratelimit-reset')) * 1000;
          }
          return answer;
        }
        const failures = breaker.failures + 1;
        const waitMs = askedWaitMs(answer.header('retry-after')) + 200 * 2 ** failures;
        breaker = { failures, openUntil: Date.now() + waitMs };
        check(failures < 7, 'a service that recovers');
      }
    }
    check((await guarded('/pets', creation())).status === 201, '201');
    check((await guarded('/pets?status=available')).status === 200, '200');
  },
  /** A breaker that refuses every later request after one 429, and so ends the program. */
  'circuit-breaker-gives-up': async () => {
    for (const path of ['/pets', '/pets?limit=5']) check((await sendOnce(path)).status === 200, '200');
    check((await sendOnce('/pets', creation())).status === 201, '201');
  },
  pipelining: async () => {
    for (let attempt = 0; ; attempt += 1) {
      const answers = await pipelined(['/pets?status=sold', '/pets?status=pending', '/pets?limit=3']);
      const refused = answers.find((answer) => answer.startsWith('HTTP/1.1 429'));
      const left = (name) => answers.map((answer) => new RegExp(`^${name}: *(.*)\r$`, 'im').exec(answer)?.[1]);
      if (refused === undefined) {
        check(answers.length === 3 && answers.every((answer) => answer.startsWith('HTTP/1.1 200')), '200 three times');
        return;
      }
      check(attempt < 5, 'an end of refusals');
      await sleep(askedWaitMs(left('retry-after').find(Boolean)) + 150 * 2 ** attempt);
    }
  },
  'keep-alive-off': async () => {
    const ask = (path, options = {}) =>
      sendPatiently(() => overHttp(path, { ...options, agent: false, headers: { ...options.headers } }, readWhole));
    check((await ask('/pets', creation())).status === 201, '201');
    check((await ask('/pets?status=available')).status === 200, '200');
  },
  /** Follows redirects by hand and sends the same headers wherever they lead. */
  'follows-with-key': async () => {
    const id = exactId(await create());
    let address = `${base}/pets/${id}`;
    for (let hops = 0; hops < 3; hops += 1) {
      const response = await fetch(address, { headers: auth, redirect: 'manual' });
      await response.text();
      const next = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || next === null) return;
      address = new URL(next, address).href;
    }
  },
  /** Follows Link to the next page, wherever it is, with the key. */
  'follows-links-with-key': async () => {
    let address = `${base}/pets?limit=5`;
    for (let pages = 0; pages < 3 && address !== undefined; pages += 1) {
      const response = await sendPatiently(async () => answerOf(await fetch(address, { headers: auth })));
      check(response.status === 200, '200');
      const next = /<([^>]*)>; rel="next"/.exec(response.header('link') ?? '')?.[1];
      address = next && new URL(next, address).href;
    }
  },
  /** The same, but only below the base address. */
  'follows-links': async () => {
    let address = `${base}/pets?limit=5`;
    for (let pages = 0; pages < 3 && address !== undefined; pages += 1) {
      const response = await sendPatiently(async () => answerOf(await fetch(address, { headers: auth })));
      check(response.status === 200, '200');
      const next = /<([^>]*)>; rel="next"/.exec(response.header('link') ?? '')?.[1];
      const following = next && new URL(next, address);
      address = following && following.origin === new URL(base).origin ? following.href : undefined;
    }
  },
  'form-encoded': async () => {
    const body = new URLSearchParams({ name: 'Rex', categoryId: category, status: 'available' });
    check((await send('/pets', { method: 'POST', body })).status === 201, '201');
  },
  'multipart-form': async () => {
    const body = new FormData();
    body.set('name', 'Rex');
    body.set('categoryId', category);
    check((await send('/pets', { method: 'POST', body })).status === 201, '201');
  },
  'expects-error-codes': async () => {
    const { status, text } = await send('/pets', { method: 'POST', headers: json, body: '{}' });
    check(status === 400 && /^[a-z_]{6,}$/.test(JSON.parse(text).code), 'a code of lower-case words');
    await create();
  },
  'looks-for-its-animal': async () => {
    const id = exactId(await create());
    const { text } = await send('/pets?limit=100');
    check(new RegExp(`"id"\\s*:\\s*${id}\\b`).test(text), 'the new animal on the page');
  },
  /** Looks a few times, and goes on where the animal may be on another page. */
  'polls-for-its-animal': async () => {
    const id = exactId(await create());
    for (let looks = 0; looks < 4; looks += 1) {
      const { text } = await send('/pets?limit=100');
      if (new RegExp(`"id"\\s*:\\s*${id}\\b`).test(text)) return;
      await sleep(150 * 2 ** looks);
    }
  },
  'streams-a-page': async () => {
    await create();
    let seen = '';
    await stream('/pets?limit=100', (text) => {
      seen += text;
      return false;
    });
    check(Array.isArray(JSON.parse(seen)), 'a page');
  },
  'stops-streaming-early': async () => {
    await create();
    let seen = '';
    await stream('/pets?limit=100', (text) => {
      seen += text;
      return seen.includes('}');
    });
  },
  /** Splits a page at the text between two objects. */
  'splits-json-as-text': async () => {
    await create('Rex');
    await create('Tom');
    let seen = '';
    await stream('/pets?limit=100', (text) => {
      seen += text;
      return false;
    });
    for (const part of seen.slice(1, -1).split(/(?<=\}),(?=\{)/)) if (part !== '') JSON.parse(part);
  },
  'key-in-query-too': async () => {
    check((await send(`/pets?api_key=${key}`)).status === 200, '200');
  },
  /** Waits two seconds after every 429, whatever it asks for. */
  'fixed-pause': async () => {
    for (let attempt = 0; attempt < 8; attempt += 1) {
      const { status } = await sendOnce('/pets', creation());
      if (status === 201) return;
      check(status === 429, '201 or 429');
      await sleep(2_000);
    }
    throw new Error('429');
  },
  'head-first': async () => {
    await sendOnce('/pets', { method: 'HEAD' });
    check((await send('/pets')).status === 200, '200');
  },
  'health-page': async () => {
    check((await fetch(new URL('/health', base))).ok, 'a health page');
    check((await send('/pets')).status === 200, '200');
  },
};

await kinds[process.argv[2]]();
