/** Faults of §1: wrong media types, and bodies that are no JSON. */

import {
  breaking,
  changeAnswer,
  changeCreation,
  type Fault,
  type FaultDraft,
  ordinary,
  rare,
  withHeader,
} from '../fault.ts';

const listed = [200, 201, 400, 401, 404] as const;

const mediaTypes: Readonly<Record<string, string | undefined>> = {
  'text-plain': 'text/plain',
  'text-html': 'text/html; charset=utf-8',
  'problem-json': 'application/problem+json',
  'json-api': 'application/vnd.api+json; charset=utf-8',
  'text-json': 'text/json',
  'octet-stream': 'application/octet-stream',
  none: undefined,
};

const media: readonly FaultDraft[] = Object.entries(mediaTypes).flatMap(([id, type]) =>
  (id === 'text-plain' || id === 'none' || id === 'problem-json' ? [undefined, ...listed] : [undefined]).map(
    (status): FaultDraft => ({
      id: `media-type-${id}${status === undefined ? '' : `-with-${status}`}`,
      breaks: ['service-json'],
      wrap: changeAnswer((answer) =>
        status === undefined || answer.status === status ? withHeader(answer, 'Content-Type', type) : undefined,
      ),
    }),
  ),
);

const bodies: Readonly<Record<string, (body: string) => string>> = {
  empty: () => '',
  html: () => '<html><body>Error</body></html>',
  'cut-off': (body) => body.slice(0, -1),
  'with-a-trailing-comma': (body) => body.replace(/}$/, ',}').replace(/]$/, ',]'),
  'in-single-quotes': (body) => body.replaceAll('"', "'").replace(/^\[\]$/, "['']"),
  'with-a-byte-order-mark': (body) => `\ufeff${body}`,
  'with-nan': (body) => body.replace(/}$/, ',"extra":NaN}').replace(/]$/, ',NaN]').replace('[,', '['),
};

const notJson: readonly FaultDraft[] = Object.entries(bodies).flatMap(([id, change]) =>
  (id === 'empty' || id === 'html' ? [undefined, ...listed] : [undefined]).map(
    (status): FaultDraft => ({
      id: `body-${id}${status === undefined ? '' : `-with-${status}`}`,
      breaks: ['service-json'],
      wrap: changeAnswer((answer) =>
        status === undefined || answer.status === status ? { ...answer, body: change(answer.body) } : undefined,
      ),
    }),
  ),
);

const wholeAnswers: readonly FaultDraft[] = [
  ...breaking(['service-json', 'create-answer'], {
    'creation-answers-empty': changeCreation((answer) => ({ ...answer, body: '' })),
  }),
  ...breaking(['service-json', 'list-answer'], {
    'every-answer-a-login-page': changeAnswer((answer) => ({
      ...withHeader(answer, 'Content-Type', 'text/html'),
      status: 200,
      body: '<html><form>Please log in</form></html>',
    })),
  }),
];

export const serviceFaults: readonly Fault[] = [...ordinary(...media, ...wholeAnswers), ...rare(...notJson)];
