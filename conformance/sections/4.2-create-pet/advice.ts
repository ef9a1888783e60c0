/** §4.2 Why no animal could be created, and which options may help. */

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

/** Which options may help: a refusal of the key says nothing about animals. */
const adviceOn = (exchange: Exchange): string =>
  [401, 403].includes(statusOf(exchange) ?? 0)
    ? 'if the key may only read, give --read-only; otherwise use a key that may create'
    : 'give a category that it knows with --category-id, or describe the names that it accepts with --name TEMPLATE';

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
