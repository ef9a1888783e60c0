/** §4.2 Judges refusals of valid bodies, and advises the user if no animal can be created. */

import { hasLargeBody } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isJsonObject } from '../../http/json.ts';
import { memoize } from '../../http/memoize.ts';
import { readNewPet } from '../../http/read-request.ts';
import { bodyOf, statusOf } from '../../http/read-response.ts';
import type { Session } from '../../run/session.ts';
import { type Finding, fails } from '../../verdict/finding.ts';
import { type History, isAuthorized } from '../../verdict/history.ts';
import { shapeOf } from '../../verdict/names.ts';
import { unrefusedExcess } from '../8-limits/ledger.ts';
import { type Attempt, acceptedIn, attemptsIn, takesAnyCategory } from './accepted.ts';

/** A service may refuse larger bodies with 413: limits on bodies are not shown. */
const smallestTooLarge = 256;

function sizeOf({ request }: Exchange): number {
  return Buffer.byteLength(request.body ?? '');
}

/** The answered creations with a valid key. */
export function creations(history: History): readonly Exchange[] {
  const excess = unrefusedExcess(history);
  return history.answered.filter(
    (exchange) => exchange.operation === 'createPet' && isAuthorized(exchange) && !excess.has(exchange),
  );
}

/** Whether a refusal may be due to the size of the body or to the way it was sent, which the interface leaves open. */
export function mayBeTransportRefusal(exchange: Exchange): boolean {
  const { headers } = exchange.request;
  const status = statusOf(exchange) ?? 0;
  return (
    (status >= 400 && status < 500 && hasLargeBody(exchange)) ||
    (status === 413 && sizeOf(exchange) > smallestTooLarge) ||
    (status === 415 && headers['content-type'] !== 'application/json') ||
    (status >= 400 && status < 500 && headers['transfer-encoding'] !== undefined)
  );
}

/** The properties that a service may not refuse: the status, and how the body is written. */
function fixedPropertiesOf({ status, exchange: { request } }: Attempt): string {
  return `${status} ${JSON.stringify(request.headers)} ${shapeOf(request.body ?? '')}`;
}

function acceptedAround(similar: readonly Attempt[], { exchange }: Attempt): readonly [Attempt, Attempt] | undefined {
  const accepted = similar.filter(({ isAccepted }) => isAccepted);
  const before = accepted.findLast((other) => happenedBefore(other.exchange, exchange));
  const after = accepted.find((other) => happenedBefore(exchange, other.exchange));
  return before === undefined || after === undefined ? undefined : [before, after];
}

function differenceOf(refused: Attempt, accepted: Attempt): string {
  if (refused.status === accepted.status) return 'the way its JSON is written and sent';
  return refused.status === undefined ? 'its missing status' : `the status ${refused.status}`;
}

/** Whether an earlier animal has the name: names may have to be unique. */
function isNamesake(history: History, { name, exchange }: Attempt): boolean {
  return attemptsIn(history).some(
    (other) => other.isAccepted && other.name === name && happenedBefore(other.exchange, exchange),
  );
}

/**
 * Any name and any category may be refused. A body that differs from accepted ones only in status or writing may not:
 * it fails if it was refused under two new names, and a similar body was accepted before and after.
 */
function judgeSimilarBodies(history: History, similar: readonly Attempt[]): readonly Finding[] {
  return [...Map.groupBy(similar, fixedPropertiesOf).values()].flatMap((alike) => {
    const refused = alike.filter(
      (one) => one.isRefused && !mayBeTransportRefusal(one.exchange) && !isNamesake(history, one),
    );
    if (refused.length < 2 || alike.some(({ isAccepted }) => isAccepted)) return [];
    const around = refused.flatMap((one) => {
      const pair = acceptedAround(similar, one);
      return pair === undefined ? [] : [{ one, pair }];
    })[0];
    if (around === undefined) return [];
    const { one, pair } = around;
    const status = statusOf(one.exchange);
    const difference = differenceOf(one, pair[1]);
    const facts = { expected: `201 as for a body that differs only in ${difference}`, received: `${status}`, status };
    const evidence = [...refused, ...pair].map(({ exchange }) => exchange);
    return [fails('create-answer', 'valid-refused', facts, ...evidence)];
  });
}

export function judgeRefusals(history: History): readonly Finding[] {
  const plain = attemptsIn(history).filter(({ shape }) => shape !== undefined);
  // Creations with the same values that a service may refuse must be answered alike.
  const similar = Map.groupBy(plain, ({ shape, categoryId }) => `${shape} ${categoryId}`);
  return [...similar.values()].flatMap((group) => judgeSimilarBodies(history, group));
}

/**
 * Creations that the target may have refused without reading all of them, as it may once a quota of creations is used up:
 * §4.2 and §7 ask for 400 to a body that was found invalid. They have one status, no creation between them was answered
 * otherwise but invalid ones with 400, and one of them has a plain name and a category that the target accepts.
 */
export const refusedUnread = memoize((history: History): ReadonlySet<Exchange> => {
  const attempts = new Map(attemptsIn(history).map((attempt) => [attempt.exchange, attempt]));
  const accepted = acceptedIn(history);
  const unread = new Set<Exchange>();
  let [alike, hasValid]: [Exchange[], boolean] = [[], false];
  const endStretch = (): void => {
    if (hasValid) for (const exchange of alike) unread.add(exchange);
    [alike, hasValid] = [[], false];
  };
  for (const exchange of creations(history)) {
    const attempt = attempts.get(exchange);
    if (mayBeTransportRefusal(exchange)) continue;
    if (alike[0] !== undefined && statusOf(alike[0]) !== statusOf(exchange)) {
      // What is wrong with these bodies is found before the quota is looked at.
      if (statusOf(exchange) === 400 && readNewPet(exchange).kind !== 'valid') continue;
      endStretch();
    }
    alike.push(exchange);
    if (attempt === undefined || attempt.shape === undefined || !attempt.isRefused) continue;
    hasValid ||= accepted.categories.has(attempt.categoryId) || takesAnyCategory(accepted);
  }
  endStretch();
  return unread;
});

/** Judges the status of the answer to a valid body; a single refusal proves nothing. */
export function judgeValidStatus(exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange) ?? 0;
  if (status >= 400 && status < 500) return [];
  const facts = { expected: '201 or a refusal (4xx) to a valid body', received: `${status}`, status };
  return [fails('create-answer', 'unexpected-status', facts, exchange)];
}

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
  const status = statusOf(exchange);
  if (status === 401 || status === 403) {
    return 'if the key may only read, give --read-only; otherwise use a key that may create';
  }
  const text = quote(exchange);
  const name = 'describe the names that it accepts with --name TEMPLATE';
  const category = 'give a category that it knows with --category-id';
  if (mentionsNames.test(text) === mentionsCategories.test(text)) return `${category}, or ${name}`;
  return mentionsCategories.test(text) ? category : name;
}

/** Why no animal could be created, with the option that may help; undefined if one was created. */
export function whyNothingIsCreated({ exchanges }: Pick<Session, 'exchanges'>): string | undefined {
  const creations = exchanges.filter(
    ({ operation, credential }) => operation === 'createPet' && credential.kind === 'valid',
  );
  const refused = creations.filter((exchange) => (statusOf(exchange) ?? 0) >= 400 && statusOf(exchange) !== 429);
  const last = refused.findLast((exchange) => readNewPet(exchange).kind === 'valid') ?? refused.at(-1);
  if (last === undefined || creations.some((exchange) => statusOf(exchange) === 201)) return undefined;
  return `the target refused every animal, the plainest with ${quote(last)}: ${adviceOn(last)}`;
}
