/** Clients that are careless with their key, or with refusals (§5, §7). */

import type { ClientEnvironment } from '../attempt.ts';
import type { CarelessClient } from '../example.ts';
import { createAsk, expect, idTextIn, newPet } from '../polite.ts';

/** Asks wherever an answer leads, with the key. */
async function askElsewhere({ key }: ClientEnvironment, address: string | null | undefined): Promise<void> {
  if (address) await (await fetch(address, { headers: { authorization: `Bearer ${key}` } })).text();
}

export const keyClients: readonly CarelessClient[] = [
  {
    id: 'sends-the-key-in-the-query',
    title: 'It sends the key as api_key in the query as well.',
    breaks: ['client-key-in-header', 'client-shown-only'],
    run: async (given) => {
      await createAsk(given)({ path: `/pets?api_key=${given.key}` });
    },
  },
  {
    id: 'sends-the-key-in-another-header',
    title: 'It sends the key as X-Api-Key as well.',
    breaks: ['client-key-in-header'],
    run: async (given) => {
      await createAsk(given)({ headers: { 'x-api-key': given.key } });
    },
  },
  {
    id: 'sends-the-key-as-a-password',
    title: 'It tries HTTP Basic before Bearer.',
    breaks: ['client-key-in-header'],
    run: async (given) => {
      const basic = `Basic ${Buffer.from(`api:${given.key}`).toString('base64')}`;
      expect((await createAsk(given)({ headers: { authorization: basic } })).status === 401, '401');
      await createAsk(given)();
    },
  },
  {
    id: 'writes-bearer-small',
    title: 'It writes bearer in lower case.',
    breaks: ['any-bearer-case'],
    run: async (given) => {
      const ask = createAsk(given, { credential: (key) => ({ authorization: `bearer ${key}` }) });
      expect((await ask()).status === 200, '200');
    },
  },
  {
    id: 'follows-redirects-with-the-key',
    title: 'It follows every redirection, with all its headers.',
    breaks: ['client-key-to-base-address', 'client-deprecated'],
    run: async (given) => {
      const ask = createAsk(given);
      const id = idTextIn(await ask({ body: newPet(given) }));
      const answer = await ask({ path: `/pets/${id}` });
      if (answer.status >= 300 && answer.status < 400) await askElsewhere(given, answer.headers.get('location'));
    },
  },
  {
    id: 'follows-links-with-the-key',
    title: 'It follows the link to the next page wherever that lies.',
    breaks: ['client-key-to-base-address'],
    run: async (given) => {
      const link = (await createAsk(given)()).headers.get('link') ?? '';
      const address = /<([^>]+)>; rel="next"/.exec(link)?.[1];
      await askElsewhere(given, address && new URL(address, given.baseUrl).href);
    },
  },
  {
    id: 'wants-a-challenge',
    title: 'It expects WWW-Authenticate when its key is wrong.',
    breaks: ['any-www-authenticate'],
    run: async (given) => {
      const ask = createAsk(given, { credential: () => ({ authorization: 'Bearer wrong' }) });
      expect((await ask()).headers.has('www-authenticate'), 'a challenge');
    },
  },
  {
    id: 'counts-on-a-limit-without-a-key',
    title: 'It takes the limit of a refusal without a key for that of the Free plan.',
    breaks: ['any-rate-limit-without-key'],
    run: async (given) => {
      const ask = createAsk(given, { credential: () => ({}), heed: () => 0 });
      expect((await ask()).headers.get('x-ratelimit-limit') === '60', 'a limit of 60');
    },
  },
  {
    id: 'switches-on-error-codes',
    title: 'It tells errors apart by the words of their code.',
    breaks: ['any-error-codes', 'client-required-fields'],
    run: async (given) => {
      const { text } = await createAsk(given)({ body: {} });
      expect((JSON.parse(text) as { code: string }).code === 'invalid_request', 'invalid_request');
    },
  },
];
