/** Faulty clients that expose their key, or read more into a refusal than the interface says (§5, §7). */

import type { FaultyClients } from '../example-client.ts';
import { createSend, expect, expecting, withoutKey } from '../polite-client.ts';

export const keyClients: FaultyClients = {
  'sends-the-key-in-the-query': [
    ['client-key-in-header'],
    async (environment) => {
      await createSend(environment)({ path: `/pets?api_key=${environment.key}` });
    },
  ],
  'sends-the-key-in-another-header': [
    ['client-key-in-header'],
    async (environment) => {
      await createSend(environment)({ headers: { 'x-api-key': environment.key } });
    },
  ],
  'sends-the-key-as-a-password': [
    ['client-key-in-header'],
    expecting(200, ({ key }) => ({
      headers: { authorization: `Basic ${Buffer.from(`api:${key}`).toString('base64')}` },
    })),
  ],
  'writes-bearer-in-lower-case': [
    ['any-bearer-case'],
    expecting(200, ({ key }) => ({ headers: { authorization: `bearer ${key}` } })),
  ],
  'expects-a-challenge': [
    ['any-www-authenticate'],
    async (environment) => {
      const { headers } = await createSend(environment)({ headers: { authorization: 'Bearer wrong' } });
      expect(headers.has('www-authenticate'), 'a challenge');
    },
  ],
  'expects-a-limit-without-a-key': [
    ['any-rate-limit-without-key'],
    async (environment) => {
      const { headers } = await createSend(environment, withoutKey)();
      expect(headers.get('x-ratelimit-limit') === '60', 'a limit of 60');
    },
  ],
  'switches-on-error-codes': [
    ['any-error-codes'],
    async (environment) => {
      const { text } = await createSend(environment)({ body: {} });
      expect((JSON.parse(text) as { code: string }).code === 'invalid_request', 'invalid_request');
    },
  ],
};
