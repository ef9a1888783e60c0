/** Judges the bodies of createPet (§2, §4.2). */

import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import type { Exchange } from '../../http/exchange.ts';
import { hasFieldTwice, isInt64, isJsonObject, type JsonValue, readJson, showJson } from '../../http/json.ts';
import { isPetStatus } from '../../http/read-request.ts';
import { breaks, type ClientCheck, type ClientFinding, holds } from './check.ts';

function creationsOf(exchanges: readonly Exchange[]): readonly Exchange[] {
  return exchanges.filter(({ operation }) => operation === 'createPet');
}

function sentBy({ request: { body = '' } }: Exchange): JsonValue | undefined {
  const reading = readJson(body);
  return 'value' in reading ? reading.value : undefined;
}

function isSentAsJson({ request }: Exchange): boolean {
  return /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

function judgeFields(exchange: Exchange): readonly ClientFinding[] {
  const requirement = 'client-required-fields' satisfies ClientRequirementId;
  const sent = sentBy(exchange);
  // A form that is sent as a form breaks `client-sends-json`.
  if (sent === undefined && exchange.request.body !== '' && !isSentAsJson(exchange)) return [];
  if (!isJsonObject(sent)) {
    const { body = '' } = exchange.request;
    const received = body === '' ? 'an empty body' : sent === undefined ? 'text that is no JSON' : showJson(sent);
    return [breaks(requirement, 'no-object', { expected: 'a JSON object', received }, exchange)];
  }
  const missing = ['name', 'categoryId'].filter((field) => !Object.hasOwn(sent, field));
  if (missing.length === 0) return [holds(requirement, exchange)];
  const facts = { expected: missing.join(' and '), received: 'a body without it' };
  return [breaks(requirement, 'field-missing', facts, exchange)];
}

/** Each field with its allowed values, in words and as a predicate. */
const fields = [
  ['name', 'a string', (value: JsonValue): boolean => typeof value === 'string' && value.isWellFormed()],
  ['categoryId', 'an int64', (value: JsonValue): boolean => isInt64(value)],
  ['status', 'available, pending or sold', (value: JsonValue): boolean => isPetStatus(value)],
] as const;

function judgeValues(exchange: Exchange): readonly ClientFinding[] {
  const requirement = 'client-values-in-range' satisfies ClientRequirementId;
  const sent = sentBy(exchange);
  if (!isJsonObject(sent)) return [];
  if (hasFieldTwice(exchange.request.body ?? '')) {
    return [breaks(requirement, 'field-twice', { expected: 'each field once', received: 'a field twice' }, exchange)];
  }
  const wrong = fields.filter(([field, , isAllowed]) => {
    const value = sent[field];
    return value !== undefined && !isAllowed(value);
  });
  if (wrong.length === 0) return [holds(requirement, exchange)];
  return wrong.map(([field, allowed]) =>
    breaks(
      requirement,
      `${field}-outside`,
      { expected: `${field} to be ${allowed}`, received: showJson(sent[field]) },
      exchange,
    ),
  );
}

function judgeMediaType(exchange: Exchange): ClientFinding {
  const requirement = 'client-sends-json' satisfies ClientRequirementId;
  const type = exchange.request.headers['content-type'];
  if (isSentAsJson(exchange)) return holds(requirement, exchange);
  return breaks(
    requirement,
    'other-media-type',
    { expected: 'application/json', received: type ?? 'no Content-Type' },
    exchange,
  );
}

export const bodyChecks: readonly ClientCheck[] = [
  { verifies: ['client-required-fields'], judge: ({ exchanges }) => creationsOf(exchanges).flatMap(judgeFields) },
  { verifies: ['client-values-in-range'], judge: ({ exchanges }) => creationsOf(exchanges).flatMap(judgeValues) },
  { verifies: ['client-sends-json'], judge: ({ exchanges }) => creationsOf(exchanges).map(judgeMediaType) },
];
