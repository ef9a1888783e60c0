/** Faults of §1: wrong media types, and bodies that are no JSON. */

import type { StoreResponse } from '../../reference-server/index.ts';
import { changeAnswer, changeCreation, withHeader } from '../services/wraps.ts';
import { type Fault, ordinary, ordinaryEach, rareEach } from './fault.ts';

const listed = [200, 201, 400, 401, 404] as const;

const withType = (answer: StoreResponse, type: string | undefined): StoreResponse =>
  withHeader(answer, 'Content-Type', type);

const mediaTypes: Readonly<Record<string, string | undefined>> = {
  'text-plain': 'text/plain',
  'text-html': 'text/html; charset=utf-8',
  'problem-json': 'application/problem+json',
  'json-api': 'application/vnd.api+json; charset=utf-8',
  'text-json': 'text/json',
  'octet-stream': 'application/octet-stream',
  none: undefined,
};

const bodies: Readonly<Record<string, (body: string) => string>> = {
  empty: () => '',
  html: () => '<html><body>Error</body></html>',
  'cut-off': (body) => body.slice(0, -1),
  'with-a-trailing-comma': (body) => body.replace(/}$/, ',}').replace(/]$/, ',]'),
  'in-single-quotes': (body) => body.replaceAll('"', "'").replace(/^\[\]$/, "['']"),
  'with-a-byte-order-mark': (body) => `\ufeff${body}`,
  'with-nan': (body) => body.replace(/}$/, ',"extra":NaN}').replace(/]$/, ',NaN]').replace('[,', '['),
};

export const serviceFaults: readonly Fault[] = [
  ...ordinaryEach('service-json', 'media-type-*', mediaTypes, (type) =>
    changeAnswer((answer) => withType(answer, type)),
  ),
  ...['text-plain', 'none', 'problem-json'].flatMap((type) =>
    ordinaryEach('service-json', `media-type-${type}-with-*`, listed, (status) =>
      changeAnswer((answer) => (answer.status === status ? withType(answer, mediaTypes[type]) : undefined)),
    ),
  ),
  ...ordinary(['service-json', 'create-answer'], {
    'creation-answers-empty': changeCreation((answer) => ({ ...answer, body: '' })),
  }),
  ...ordinary(['service-json', 'list-answer'], {
    'every-answer-a-login-page': changeAnswer((answer) => {
      const body = '<html><form>Please log in</form></html>';
      return { ...withType(answer, 'text/html'), status: 200, body };
    }),
  }),
  ...rareEach('service-json', 'body-*', bodies, (change) =>
    changeAnswer((answer) => ({ ...answer, body: change(answer.body) })),
  ),
  ...['empty', 'html'].flatMap((id) =>
    rareEach('service-json', `body-${id}-with-*`, listed, (status) =>
      changeAnswer((answer) => (answer.status === status ? { ...answer, body: bodies[id]!(answer.body) } : undefined)),
    ),
  ),
];
