/** §4.2 Why no animal could be created, and which option may help. */

import type { Exchange } from '../../http/exchange.ts';
import { isJsonObject } from '../../http/json.ts';
import { readNewPet } from '../../http/read-request.ts';
import { bodyOf, statusOf } from '../../http/read-response.ts';
import type { Session } from '../../run/session.ts';

const longestQuote = 160;

function quote(exchange: Exchange): string {
  const body = bodyOf(exchange);
  const message = isJsonObject(body) ? body['message'] : undefined;
  const text = typeof message === 'string' ? message : (exchange.response?.body ?? '');
  const characters = [...text];
  const start = characters.slice(0, longestQuote).join('');
  return `${statusOf(exchange)}${start === '' ? '' : ` "${start}${characters.length > longestQuote ? '…' : ''}"`}`;
}

const mentionsNames = /name|character|letter|length|long|short|pattern|duplicate|unique|taken|exists/i;
const mentionsCategories = /categor/i;

/** Which option may help, depending on what a refusal mentions. */
function adviceOn(exchange: Exchange): string {
  if ([401, 403].includes(statusOf(exchange) ?? 0)) {
    return 'if the key may only read, give --read-only; otherwise use a key that may create';
  }
  const text = quote(exchange);
  const name = 'describe the names that it accepts with --name TEMPLATE';
  const category = 'give a category that it knows with --category-id';
  if (mentionsNames.test(text) === mentionsCategories.test(text)) return `${category}, or ${name}`;
  return mentionsCategories.test(text) ? category : name;
}

/** Undefined if an animal was created, or none refused. */
export function whyNothingIsCreated({ exchanges }: Pick<Session, 'exchanges'>): string | undefined {
  const creations = exchanges.filter(
    ({ operation, credential }) => operation === 'createPet' && credential.kind === 'valid',
  );
  const refused = creations.filter((exchange) => (statusOf(exchange) ?? 0) >= 400 && statusOf(exchange) !== 429);
  const last = refused.findLast((exchange) => readNewPet(exchange).kind === 'valid') ?? refused.at(-1);
  if (last === undefined || creations.some((exchange) => statusOf(exchange) === 201)) return undefined;
  return `the target refused every animal, the plainest with ${quote(last)}: ${adviceOn(last)}`;
}
