/** The form of the codes in Errors (§7). */

import type { AnswerId } from '../../../spec/gaps.ts';
import { isError } from '../../http/documented.ts';
import { isJsonObject } from '../../http/json.ts';
import { bodyOf, statusOf } from '../../http/read-response.ts';
import { type Observe, observationOf } from '../observation.ts';

/** The forms of codes, the narrower ones first; the service has a form where all its codes match it. */
const forms = [
  ['snake-case', /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/],
  ['upper-case', /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/],
  ['numeric', /^\d+$/],
  ['kebab-case', /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/],
  ['camel-case', /^[A-Za-z][A-Za-z0-9]*$/],
  ['words', /^[A-Za-z][A-Za-z0-9' -]*$/],
] as const satisfies readonly (readonly [AnswerId<'error-codes'>, RegExp])[];

export const errorCodes: Observe<'error-codes'> = (history) => {
  const errors = history.answered.filter((exchange) => exchange.operation !== 'other' && isError(exchange));
  // One status may have one code of many.
  if (new Set(errors.map(statusOf)).size < 2) return undefined;
  const codes = new Set(
    errors.map((exchange) => {
      const body = bodyOf(exchange);
      return isJsonObject(body) ? String(body['code']) : '';
    }),
  );
  const form = forms.find(([, pattern]) => [...codes].every((code) => pattern.test(code)));
  return observationOf(codes.size === 1 ? 'generic' : (form?.[0] ?? 'mixed'), errors[0]);
};
