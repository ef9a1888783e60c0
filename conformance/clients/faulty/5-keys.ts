/** Faulty clients that expose their key, or read more into a refusal than the interface says (§5, §7). */

import type { ExampleEnvironment, FaultyClient } from '../example-client.ts';
import { createSend, expect, newPet, readIdText } from '../polite-client.ts';

/** Follows an answer to any host, with the key. */
async function follow({ key, fetch }: ExampleEnvironment, address: string | null | undefined): Promise<void> {
  if (address) await (await fetch(address, { headers: { authorization: `Bearer ${key}` } })).text();
}

export const keyClients: readonly FaultyClient[] = [
  {
    id: 'sends-the-key-in-the-query',
    title: 'It sends the key as api_key in the query as well.',
    breaks: ['client-key-in-header'],
    run: async (environment) => {
      await createSend(environment)({ path: `/pets?api_key=${environment.key}` });
    },
  },
  {
    id: 'sends-the-key-in-another-header',
    title: 'It sends the key as X-Api-Key as well.',
    breaks: ['client-key-in-header'],
    run: async (environment) => {
      await createSend(environment)({ headers: { 'x-api-key': environment.key } });
    },
  },
  {
    id: 'sends-the-key-as-a-password',
    title: 'It sends the key as the password of HTTP Basic, and expects to be served.',
    breaks: ['client-key-in-header'],
    run: async (environment) => {
      const basic = `Basic ${Buffer.from(`api:${environment.key}`).toString('base64')}`;
      expect((await createSend(environment)({ headers: { authorization: basic } })).status === 200, '200');
    },
  },
  {
    id: 'writes-bearer-in-lower-case',
    title: 'It writes bearer in lower case.',
    breaks: ['any-bearer-case'],
    run: async (environment) => {
      const send = createSend(environment, { credential: (key) => ({ authorization: `bearer ${key}` }) });
      expect((await send()).status === 200, '200');
    },
  },
  {
    id: 'follows-redirects-with-the-key',
    title: 'It follows every redirect with all its headers.',
    breaks: ['client-key-to-base-address', 'client-deprecated'],
    run: async (environment) => {
      const send = createSend(environment);
      const id = readIdText(await send({ body: newPet(environment) }));
      const answer = await send({ path: `/pets/${id}` });
      if (answer.status >= 300 && answer.status < 400) await follow(environment, answer.headers.get('location'));
    },
  },
  {
    id: 'follows-links-with-the-key',
    title: 'It follows the link to the next page to any host, with the key.',
    breaks: ['client-key-to-base-address'],
    run: async (environment) => {
      const link = (await createSend(environment)()).headers.get('link') ?? '';
      const address = /<([^>]+)>; rel="next"/.exec(link)?.[1];
      await follow(environment, address && new URL(address, environment.baseUrl).href);
    },
  },
  {
    id: 'rejects-open-origins',
    title: 'It sends Origin, and treats the permission for every origin as an error.',
    breaks: ['any-cors'],
    run: async (environment) => {
      const { headers } = await createSend(environment)({ headers: { origin: 'http://shop.example' } });
      expect(headers.get('access-control-allow-origin') === null, 'no permission for other origins');
    },
  },
  {
    id: 'expects-a-challenge',
    title: 'It expects WWW-Authenticate when its key is wrong.',
    breaks: ['any-www-authenticate'],
    run: async (environment) => {
      const send = createSend(environment, { credential: () => ({ authorization: 'Bearer wrong' }) });
      expect((await send()).headers.has('www-authenticate'), 'a challenge');
    },
  },
  {
    id: 'expects-a-limit-without-a-key',
    title: 'It expects a 401 without a key to show the limit of the Free plan.',
    breaks: ['any-rate-limit-without-key'],
    run: async (environment) => {
      const send = createSend(environment, { credential: () => ({}), waitAfterAnswer: () => 0 });
      expect((await send()).headers.get('x-ratelimit-limit') === '60', 'a limit of 60');
    },
  },
  {
    id: 'switches-on-error-codes',
    title: 'It distinguishes errors by the text of their code.',
    breaks: ['any-error-codes'],
    run: async (environment) => {
      const { text } = await createSend(environment)({ body: {} });
      expect((JSON.parse(text) as { code: string }).code === 'invalid_request', 'invalid_request');
    },
  },
];
