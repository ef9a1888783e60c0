/** Faulty clients that expose their key, or read more into a refusal than the interface says (§5, §7). */

import type { FaultyClients } from '../example-client.ts';
import { createSend, expect, expecting, withoutKey } from '../polite-client.ts';

export const keyClients: FaultyClients = {
  'sends-the-key-in-the-query': {
    title: 'It sends the key as api_key in the query as well.',
    breaks: ['client-key-in-header'],
    async run(environment) {
      await createSend(environment)({ path: `/pets?api_key=${environment.key}` });
    },
  },
  'sends-the-key-in-another-header': {
    title: 'It sends the key as X-Api-Key as well.',
    breaks: ['client-key-in-header'],
    async run(environment) {
      await createSend(environment)({ headers: { 'x-api-key': environment.key } });
    },
  },
  'sends-the-key-as-a-password': {
    title: 'It sends the key as the password of HTTP Basic, and expects to be served.',
    breaks: ['client-key-in-header'],
    run: expecting(200, ({ key }) => ({
      headers: { authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` },
    })),
  },
  'writes-bearer-in-lower-case': {
    title: 'It writes bearer in lower case.',
    breaks: ['any-bearer-case'],
    run: expecting(200, ({ key }) => ({ headers: { authorization: `bearer ${key}` } })),
  },
  'rejects-open-origins': {
    title: 'It sends Origin, and treats the permission for every origin as an error.',
    breaks: ['any-cors'],
    async run(environment) {
      const { headers } = await createSend(environment)({ headers: { origin: 'http://shop.example' } });
      expect(!headers.has('access-control-allow-origin'), 'no permission for other origins');
    },
  },
  'expects-a-challenge': {
    title: 'It expects WWW-Authenticate when its key is wrong.',
    breaks: ['any-www-authenticate'],
    async run(environment) {
      const { headers } = await createSend(environment)({ headers: { authorization: 'Bearer wrong' } });
      expect(headers.has('www-authenticate'), 'a challenge');
    },
  },
  'expects-a-limit-without-a-key': {
    title: 'It expects a 401 without a key to show the limit of the Free plan.',
    breaks: ['any-rate-limit-without-key'],
    async run(environment) {
      const { headers } = await createSend(environment, withoutKey)();
      expect(headers.get('x-ratelimit-limit') === '60', 'a limit of 60');
    },
  },
  'switches-on-error-codes': {
    title: 'It distinguishes errors by the text of their code.',
    breaks: ['any-error-codes'],
    async run(environment) {
      const { text } = await createSend(environment)({ body: {} });
      expect((JSON.parse(text) as { code: string }).code === 'invalid_request', 'invalid_request');
    },
  },
};
