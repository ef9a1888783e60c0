/** Faults of §1 and §7: media types, bodies that are no JSON, errors without their shape. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { JsonObject, JsonValue } from '../engine/json.ts';
import {
  changeAnswer,
  changeErrors,
  errorAnswer,
  type Fault,
  mapField,
  renamed,
  withHeader,
  without,
} from './fault.ts';

const listed = [200, 201, 400, 401, 404] as const;

const mediaTypes: Readonly<Record<string, string | undefined>> = {
  'text-plain': 'text/plain',
  'text-html': 'text/html; charset=utf-8',
  'problem-json': 'application/problem+json',
  'octet-stream': 'application/octet-stream',
  none: undefined,
};

const media: readonly Fault[] = Object.entries(mediaTypes).flatMap(([id, type]) =>
  (id === 'text-plain' || id === 'none' ? [undefined, ...listed] : [undefined]).map(
    (status): Fault => ({
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

const notJson: readonly Fault[] = Object.entries(bodies).flatMap(([id, change]) =>
  (id === 'empty' || id === 'html' ? [undefined, ...listed] : [undefined]).map(
    (status): Fault => ({
      id: `body-${id}${status === undefined ? '' : `-with-${status}`}`,
      breaks: ['service-json'],
      wrap: changeAnswer((answer) =>
        status === undefined || answer.status === status ? { ...answer, body: change(answer.body) } : undefined,
      ),
    }),
  ),
);

const errorStatuses = [400, 401, 404] as const;

const requirementOfField = {
  code: 'error-code',
  message: 'error-message',
  status: 'error-status',
} as const satisfies Record<string, RequirementId>;

type Field = keyof typeof requirementOfField;

function spoilings(field: Field): Readonly<Record<string, (error: JsonObject) => JsonObject>> {
  return {
    missing: without(field),
    null: mapField(field, () => null),
    misnamed: renamed(field, `${field}Text`),
    'in-an-array': mapField(field, (value) => [value]),
    ...(field === 'status'
      ? { 'as-text': mapField(field, (value) => String(value)), fraction: mapField(field, () => 400.5) }
      : { 'as-number': mapField(field, () => 17n) }),
  };
}

const fieldFaults: readonly Fault[] = (['code', 'message', 'status'] as const).flatMap((field) =>
  Object.entries(spoilings(field)).flatMap(([id, spoil]) =>
    errorStatuses.map(
      (status): Fault => ({
        id: `error-${field}-${id}-with-${status}`,
        breaks: [requirementOfField[field]],
        wrap: changeErrors(spoil, status),
      }),
    ),
  ),
);

const shapes: Readonly<Record<string, (error: JsonObject) => JsonValue>> = {
  wrapped: (error) => ({ error }),
  'in-an-array': (error) => [error],
  text: () => 'error',
  null: () => null,
};

const shapeFaults: readonly Fault[] = Object.entries(shapes).flatMap(([id, change]) =>
  errorStatuses.map(
    (status): Fault => ({
      id: `error-${id}-with-${status}`,
      breaks: id === 'wrapped' ? ['error-code', 'error-message', 'error-status'] : ['error-shape'],
      wrap: changeErrors(change, status),
    }),
  ),
);

const statusFaults: readonly Fault[] = errorStatuses.flatMap((status): readonly Fault[] => [
  {
    id: `error-status-200-with-${status}`,
    breaks: ['error-status-equals'],
    wrap: changeErrors(
      mapField('status', () => 200n),
      status,
    ),
  },
  {
    id: `error-status-zero-with-${status}`,
    breaks: ['error-status-equals'],
    wrap: changeErrors(
      mapField('status', () => 0n),
      status,
    ),
  },
]);

const otherFaults: readonly Fault[] = [
  {
    id: 'error-status-always-400',
    breaks: ['error-status-equals'],
    wrap: changeErrors(mapField('status', () => 400n)),
  },
  {
    id: 'error-status-of-an-own-list',
    breaks: ['error-status-equals'],
    wrap: changeErrors(mapField('status', (status) => (typeof status === 'bigint' ? status * 100n + 1n : status))),
  },
  { id: 'every-answer-500', breaks: ['errors-listed'], wrap: changeAnswer((answer) => errorAnswer(500, answer)) },
  {
    id: 'every-answer-a-login-page',
    breaks: ['service-json', 'list-answer'],
    wrap: changeAnswer((answer) => ({
      ...withHeader(answer, 'Content-Type', 'text/html'),
      status: 200,
      body: '<html><form>Please log in</form></html>',
    })),
  },
  {
    id: 'unknown-path-breaks-the-server',
    breaks: ['errors-listed'],
    wrap: changeAnswer((answer, { operation, isAuthorized }) =>
      operation === 'other' && isAuthorized ? errorAnswer(500, answer) : undefined,
    ),
  },
  {
    id: 'every-tenth-answer-503',
    breaks: ['errors-listed'],
    wrap: (handle) => {
      let count = 0;
      return (request, now) => {
        count += 1;
        const answer = handle(request, now);
        return count % 10 === 0 ? errorAnswer(503, answer) : answer;
      };
    },
  },
];

export const errorFaults: readonly Fault[] = [
  ...media,
  ...notJson,
  ...fieldFaults,
  ...shapeFaults,
  ...statusFaults,
  ...otherFaults,
];
