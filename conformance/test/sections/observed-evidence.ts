/** Evidence made by hand: a few requests with their answers, and what an observer concludes from them. */

import type { OpenGapId } from '../../../spec/gaps.ts';
import { noKey, rateLimitKey } from '../../http/credentials.ts';
import type { Credential, Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import { lowerCaseBearer } from '../../sections/5-authentication/refused-credentials.ts';
import { checks } from '../../sections/index.ts';
import { readHistory } from '../../verdict/history.ts';
import type { Settings } from '../../verdict/settings.ts';
import { exchangeOf } from '../run/hand-made.ts';

/** What is told of an exchange; the rest is as in any other. */
export type Asked = Partial<Exchange>;
export type Headers = Readonly<Record<string, string>>;

export const lenient: Credential = lowerCaseBearer('Hand-Made-Key-4711').shown;
export const without: Credential = noKey.shown;
export const exhaustible: Credential = rateLimitKey('Hand-Made-Key-4711').shown;

/** An answer as it is recorded; an Error of its status where no body is given. */
export function answer(status: number, body?: string, headers: Headers = {}): NonNullable<Exchange['response']> {
  const error = JSON.stringify({ code: `code_${status}`, message: 'No.', status });
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: body ?? error };
}

/** The JSON of an animal; further fields take the place of the usual ones. */
export function animal(id: number | string, fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ id: 0, name: 'Rex', categoryId: 1, ...fields }).replace('"id":0', `"id":${id}`);
}

/** A page of so many animals. */
export function pageOf(count: number): string {
  return `[${Array.from({ length: count }, (_nothing, at) => animal(at + 1)).join(',')}]`;
}

export function listing(query: string, response: Exchange['response'], part: Asked = {}): Asked {
  const request = { method: 'GET', target: `/pets${query}`, headers: {} };
  return { operation: 'listPets', request, ...(response === undefined ? {} : { response }), ...part };
}

export function reading(id: number | string, response: NonNullable<Exchange['response']>, part: Asked = {}): Asked {
  return { operation: 'getPet', request: { method: 'GET', target: `/pets/${id}`, headers: {} }, response, ...part };
}

export function creation(
  body: string,
  response: NonNullable<Exchange['response']>,
  contentType = 'application/json',
): Asked {
  const request = { method: 'POST', target: '/pets', headers: { 'content-type': contentType }, body };
  return { operation: 'createPet', request, response };
}

/** A creation of a name with another category, which is accepted as it is sent. */
export function accepted(
  id: number | string,
  name = `cf-abcdef-${String(id).padStart(2, '0')}`,
  categoryId: number | string = 1,
): Asked {
  const body = JSON.stringify({ name, categoryId: 0 }).replace('"categoryId":0', `"categoryId":${categoryId}`);
  return creation(body, answer(201, `{"id":${id},${body.slice(1)}`));
}

/** The answers that an observer reads from exchanges in this order, and the number of the one that shows the first. */
export function observe(gap: OpenGapId, asked: readonly Asked[], settings: Partial<Settings> = {}): string | undefined {
  const observer = checks.find((check) => check.kind === 'observer' && check.gap === gap);
  const exchanges = asked.map((part, at) => exchangeOf(at + 1, part));
  const observation =
    observer?.kind === 'observer' ? observer.observe(readHistory(exchanges, trialSettings(60, settings))) : undefined;
  return observation && `${observation.answers.join(', ')} #${observation.exchange.number}`;
}
