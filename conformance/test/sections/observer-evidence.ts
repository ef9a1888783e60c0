/** Builds exchanges by hand, and observes the answer to a gap in them. */

import type { OpenGapId } from '../../../spec/gaps.ts';
import { noKey, rateLimitKey } from '../../http/credentials.ts';
import type { Credential, Exchange } from '../../http/exchange.ts';
import { trialSettings } from '../../proof/trial.ts';
import { findCredential } from '../../sections/5-authentication/credentials.ts';
import { observers } from '../../sections/observers.ts';
import { readHistory } from '../../world/history.ts';
import type { Settings } from '../../world/settings.ts';
import { exchangeOf } from '../run/hand-made.ts';

/** The parts of an exchange that a test sets; the rest has usual values. */
export type PartialExchange = Partial<Exchange>;
export type Headers = Readonly<Record<string, string>>;

export const lenient: Credential = findCredential('lower-case-bearer', { api: 'Hand-Made-Key-4711' })!.shown;
export const without: Credential = noKey.shown;
export const exhaustible: Credential = rateLimitKey('Hand-Made-Key-4711').shown;

/** A recorded answer; without a body, an Error with its status. */
export function answer(status: number, body?: string, headers: Headers = {}): NonNullable<Exchange['response']> {
  const error = JSON.stringify({ code: `code_${status}`, message: 'No.', status });
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: body ?? error };
}

/** The name of an animal of the run. */
const nameOf = (id: number | string): string => `cf-abcdef-${String(id).padStart(2, '0')}`;

/** The JSON of an animal; `fields` override the usual ones. */
export function animal(id: number | string, fields: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ id: 0, name: nameOf(id), categoryId: 1, ...fields }).replace('"id":0', `"id":${id}`);
}

/** A page of so many animals. */
export function pageOf(count: number): string {
  return `[${Array.from({ length: count }, (_nothing, at) => animal(at + 1)).join(',')}]`;
}

export function listing(query: string, response: Exchange['response'], part: PartialExchange = {}): PartialExchange {
  const request = { method: 'GET', target: `/pets${query}`, headers: {} };
  return { operation: 'listPets', request, ...(response === undefined ? {} : { response }), ...part };
}

export function reading(
  id: number | string,
  response: NonNullable<Exchange['response']>,
  part: PartialExchange = {},
): PartialExchange {
  return { operation: 'getPet', request: { method: 'GET', target: `/pets/${id}`, headers: {} }, response, ...part };
}

export function creation(
  body: string,
  response: NonNullable<Exchange['response']>,
  contentType = 'application/json',
): PartialExchange {
  const request = { method: 'POST', target: '/pets', headers: { 'content-type': contentType }, body };
  return { operation: 'createPet', request, response };
}

/** A creation that is accepted as it is sent. */
export function accepted(id: number | string, name = nameOf(id), categoryId: number | string = 1): PartialExchange {
  const body = JSON.stringify({ name, categoryId: 0 }).replace('"categoryId":0', `"categoryId":${categoryId}`);
  return creation(body, answer(201, `{"id":${id},${body.slice(1)}`));
}

/** The answers that the observer of a gap reads, and the number of the exchange that shows the first. */
export function observe(
  gap: OpenGapId,
  asked: readonly PartialExchange[],
  settings: Partial<Settings> = {},
): string | undefined {
  const observer = observers.find((one) => one.gap === gap);
  const exchanges = asked.map((part, at) => exchangeOf(at + 1, part));
  const observation = observer?.observe(readHistory(exchanges, trialSettings(60, settings)));
  return observation && `${observation.answers.join(', ')} #${observation.exchange.number}`;
}
