/** Faults of §1: wrong media types, and bodies that are no JSON. */

import type { StoreResponse } from '../../../reference-server/index.ts';
import {
  breaking,
  breakingEach,
  changeAnswer,
  changeCreation,
  type Fault,
  type FaultDraft,
  ordinary,
  rare,
  type Wrap,
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

/** A fault for all answers and, for some entries of a table, one more for each status. */
function byStatus<Value>(
  id: `${string}*`,
  values: Readonly<Record<string, Value>>,
  alsoSingly: readonly string[],
  change: (answer: StoreResponse, value: Value) => StoreResponse,
): readonly FaultDraft[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const only = (status: number): Wrap =>
      changeAnswer((answer) => (answer.status === status ? change(answer, value) : undefined));
    return [
      ...breaking('service-json', { [id.replace('*', key)]: changeAnswer((answer) => change(answer, value)) }),
      ...(alsoSingly.includes(key) ? breakingEach('service-json', `${id.replace('*', key)}-with-*`, listed, only) : []),
    ];
  });
}

const media: readonly FaultDraft[] = byStatus(
  'media-type-*',
  mediaTypes,
  ['text-plain', 'none', 'problem-json'],
  (answer, type) => withHeader(answer, 'Content-Type', type),
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

const notJson: readonly FaultDraft[] = byStatus('body-*', bodies, ['empty', 'html'], (answer, change) => {
  return { ...answer, body: change(answer.body) };
});

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
