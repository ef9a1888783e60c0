/** What answers show of §4.2 to §5, §7 and §9, by their status, their headers and the codes of their Errors. */

import { removalOfGetPet } from '../../spec/facts.ts';
import type { AnswerId } from '../../spec/gaps.ts';
import { isError } from '../http/documented.ts';
import type { Exchange } from '../http/exchange.ts';
import { isJsonObject } from '../http/json.ts';
import { readPetId } from '../http/read-request.ts';
import { animalsOf, bodyOf, dateOf, statusOf } from '../http/read-response.ts';
import { type History, isAuthorized, isKnownBefore } from '../verdict/history.ts';
import { collect, type Observe, refusalBy, showing } from './observation.ts';

function header(exchange: Exchange, name: string): string | undefined {
  return exchange.response?.headers[name];
}

export const locationHeader: Observe<'location-header'> = (history) =>
  collect(
    history.created.map(({ exchange }) => exchange),
    (exchange) => {
      const location = header(exchange, 'location');
      if (location === undefined) return 'none';
      const [animal] = animalsOf(exchange);
      return location.endsWith(`/pets/${animal?.['id']}`) ? 'sent' : 'another-address';
    },
  );

/** Reads with a valid key; an escape may be answered before the service sees it. */
function reads(history: History): readonly Exchange[] {
  return history.answered.filter(
    (exchange) => exchange.operation === 'getPet' && isAuthorized(exchange) && !exchange.request.target.includes('%'),
  );
}

/** Whether the target answered before the day of removal, by its own clock. */
function isBeforeRemoval(exchange: Exchange): boolean {
  return exchange.response !== undefined && dateOf(exchange.response, exchange.endedAt) < removalOfGetPet;
}

export const petIdNotInt64: Observe<'pet-id-not-int64'> = (history) =>
  collect(
    reads(history).filter((exchange) => readPetId(exchange) === 'not-int64' && isBeforeRemoval(exchange)),
    (exchange) => {
      if (statusOf(exchange) === 404 && isError(exchange)) return 'not-found-404';
      return refusalBy(exchange, 400, 422);
    },
  );

export const otherOperations: Observe<'other-operations'> = (history) =>
  collect(
    // An unknown path is not found whatever becomes of other methods, and neither need be an animal after the removal.
    history.settings.today >= removalOfGetPet
      ? []
      : history.answered.filter(({ operation, request }) => operation === 'other' && request.method !== 'GET'),
    (exchange) => {
      const status = statusOf(exchange) ?? 0;
      if (status === 405 || status === 501) return `refused-${status}`;
      if (status >= 200 && status < 300) return 'answered';
      return refusalBy(exchange, 404);
    },
  );

export const bearerCase: Observe<'bearer-case'> = (history) =>
  collect(
    history.answered.filter(({ credential }) => credential.kind === 'lenient'),
    (exchange) => {
      if (statusOf(exchange) === 200) return 'accepted';
      return statusOf(exchange) === 401 && isError(exchange) ? 'refused-401' : refusalBy(exchange);
    },
  );

export const wwwAuthenticate: Observe<'www-authenticate'> = (history) =>
  collect(
    history.answered.filter((exchange) => statusOf(exchange) === 401),
    (exchange) => (header(exchange, 'www-authenticate') === undefined ? 'none' : 'sent'),
  );

/** The forms of codes, the narrower ones first: each holds for all codes of a service, or it is not its form. */
const formsOfCodes = [
  ['snake-case', /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/],
  ['upper-case', /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/],
  ['numeric', /^\d+$/],
  ['kebab-case', /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/],
  ['camel-case', /^[A-Za-z][A-Za-z0-9]*$/],
  ['words', /^[A-Za-z][A-Za-z0-9' -]*$/],
] as const satisfies readonly (readonly [AnswerId<'error-codes'>, RegExp])[];

export const errorCodes: Observe<'error-codes'> = (history) => {
  const errors = history.answered.filter((exchange) => exchange.operation !== 'other' && isError(exchange));
  const codes = new Set(
    errors.map((exchange) => {
      const body = bodyOf(exchange);
      return isJsonObject(body) ? String(body['code']) : '';
    }),
  );
  // One code for one status may be one of many.
  if (new Set(errors.map(statusOf)).size < 2) return undefined;
  const form = formsOfCodes.find(([, pattern]) => [...codes].every((code) => pattern.test(code)));
  return showing(codes.size === 1 ? 'generic' : (form?.[0] ?? 'mixed'), errors[0]);
};

export const afterRemoval: Observe<'after-removal'> = (history) => {
  const known = reads(history).filter((exchange) => {
    const id = readPetId(exchange);
    return typeof id === 'bigint' && isKnownBefore(history, exchange, id) && !isBeforeRemoval(exchange);
  });
  return collect(known, (exchange) => {
    const status = statusOf(exchange) ?? 0;
    if (status === 200) return 'continues';
    if (status === 410 && isError(exchange)) return 'gone-410';
    if (status === 404 && isError(exchange)) return 'not-found-404';
    return status >= 300 && status < 400 ? 'redirected' : refusalBy(exchange);
  });
};

export const deprecationHeaders: Observe<'deprecation-headers'> = (history) =>
  collect(
    reads(history).filter((exchange) => statusOf(exchange) === 200 || statusOf(exchange) === 404),
    (exchange) => {
      const link = header(exchange, 'link') ?? '';
      const isLinked = /rel="?[^",]*(successor-version|deprecation|sunset)/i.test(link);
      if (header(exchange, 'deprecation') !== undefined) return 'deprecation';
      if (header(exchange, 'sunset') !== undefined) return isLinked ? 'sunset' : 'sunset-only';
      return isLinked || header(exchange, 'warning') !== undefined ? 'other-header' : 'none';
    },
  );
