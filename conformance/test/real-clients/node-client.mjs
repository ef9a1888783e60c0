/** A client on one of the HTTP stacks of Node, which behaves in one of several ways: node-client.mjs STACK WAY. */

import http from 'node:http';
import { load } from './load.ts';
import { check, sendPatiently } from './patience.mjs';

const { PETSTORE_BASE_URL: base, PETSTORE_API_KEY: key, PETSTORE_CATEGORY_ID: category } = process.env;
const [, , stack, way] = process.argv;
const auth = { authorization: `Bearer ${key}` };

function headersOf(body) {
  return body === undefined ? auth : { ...auth, 'content-type': 'application/json' };
}

function overHttp(path, { method = 'GET', body } = {}) {
  return new Promise((resolve, reject) => {
    const request = http.request(base + path, { method, headers: headersOf(body) }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode, text, header: (name) => incoming.headers[name] }),
      );
    });
    request.on('error', reject).end(body);
  });
}

async function fromResponse(response) {
  return { status: response.status, text: await response.text(), header: (name) => response.headers.get(name) };
}

/** Each stack with its own defaults for redirects and repetitions; statuses are answers, not errors. */
const stacks = {
  fetch: async (path, { method, body } = {}) =>
    fromResponse(await fetch(base + path, { method, body, headers: headersOf(body) })),
  'node:http': overHttp,
  axios: async (path, { method = 'GET', body } = {}) => {
    const { default: axios } = await load('axios');
    const options = { url: base + path, method, data: body, headers: headersOf(body), validateStatus: () => true };
    const { status, data, headers } = await axios({
      ...options,
      responseType: 'text',
      transformResponse: (text) => text,
    });
    return { status, text: data, header: (name) => headers[name] };
  },
  'node-fetch': async (path, { method, body } = {}) => {
    const { default: nodeFetch } = await load('node-fetch');
    return fromResponse(await nodeFetch(base + path, { method, body, headers: headersOf(body) }));
  },
  undici: async (path, { method = 'GET', body } = {}) => {
    const { request } = await load('undici');
    const {
      statusCode,
      headers,
      body: answer,
    } = await request(base + path, { method, body, headers: headersOf(body) });
    return { status: statusCode, text: await answer.text(), header: (name) => headers[name] };
  },
  got: async (path, { method = 'GET', body } = {}) => {
    const module = await load('got');
    const got = module.got ?? module.default;
    const options = { method, headers: headersOf(body), throwHttpErrors: false };
    const {
      statusCode,
      body: text,
      headers,
    } = await got(base + path, body === undefined ? options : { ...options, body });
    return { status: statusCode, text, header: (name) => headers[name] };
  },
  ky: async (path, { method = 'get', body } = {}) => {
    const { default: ky } = await load('ky');
    return fromResponse(await ky(base + path, { method, body, headers: headersOf(body), throwHttpErrors: false }));
  },
  superagent: async (path, { method = 'GET', body } = {}) => {
    const { default: superagent } = await load('superagent');
    const sending = superagent(method, base + path)
      .set(headersOf(body))
      .ok(() => true)
      .buffer(true);
    const { status, text, headers } = await (body === undefined ? sending : sending.send(body));
    return { status, text, header: (name) => headers[name] };
  },
  ofetch: async (path, { method = 'GET', body } = {}) => {
    const { ofetch } = await load('ofetch');
    const options = { method, body, headers: headersOf(body), ignoreResponseError: true, responseType: 'text' };
    const { status, _data, headers } = await ofetch.raw(base + path, options);
    return { status, text: _data ?? '', header: (name) => headers.get(name) };
  },
  needle: async (path, { method = 'get', body } = {}) => {
    const { default: needle } = await load('needle');
    const options = { headers: headersOf(body), parse_response: false };
    const {
      statusCode,
      body: answer,
      headers,
    } = await needle(method.toLowerCase(), base + path, body ?? null, options);
    return { status: statusCode, text: String(answer), header: (name) => headers[name] };
  },
};

/** Waits as §8 asks. */
const patiently = (path, init) => sendPatiently(() => stacks[stack](path, init));

const newPet = (name) => ({ method: 'POST', body: `{"name":"${name}","categoryId":${category},"status":"available"}` });
const idOf = (text) => /"id"\s*:\s*(-?\d+)/.exec(text)[1];

async function createAndList(send) {
  check((await send('/pets', newPet('Rex'))).status === 201, '201');
  const page = JSON.parse((await send('/pets?status=available&limit=10')).text);
  check(Array.isArray(page) && page.every(({ status }) => status === 'available'), 'available animals');
}

const ways = {
  careful: () => createAndList(patiently),
  defaults: () => createAndList(stacks[stack]),
  'expects-order': async () => {
    const ids = [];
    for (const name of ['Rex', 'Tom']) ids.push(idOf((await patiently('/pets', newPet(name))).text));
    const { text } = await patiently('/pets?limit=100');
    const [first, second] = ids.map((id) => text.search(new RegExp(`:\\s*${id}\\b`)));
    check(first === -1 || second === -1 || first < second, 'the oldest first');
  },
  'tests-refusals': async () => {
    for (const body of ['{"name":1}', '{"name":"Rex"}', '{}']) {
      check((await patiently('/pets', { method: 'POST', body })).status === 400, '400');
    }
    check((await patiently('/pets')).status === 200, '200');
  },
  'gets-by-id': async () => {
    const id = idOf((await patiently('/pets', newPet('Rex'))).text);
    await stacks[stack](`/pets/${id}`).catch(() => undefined);
  },
};

await ways[way]();
