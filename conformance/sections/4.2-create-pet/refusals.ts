/** §4.2 Refusals of valid bodies: which of them break a requirement, and what a user can do about the others. */

import { hasLargeBody } from '../../http/documented.ts';
import { type Exchange, happenedBefore } from '../../http/exchange.ts';
import { isJsonObject } from '../../http/json.ts';
import { bodyOf, statusOf } from '../../http/read-response.ts';
import { shapeOf } from '../../run/names.ts';
import type { Session } from '../../run/session.ts';
import { type Finding, fails } from '../../verdict/finding.ts';
import type { History } from '../../verdict/history.ts';
import { type Attempt, attemptsIn } from './accepted.ts';

/** From this size on a service may answer 413: its limits are not shown. */
const smallestTooLarge = 256;

function sizeOf({ request }: Exchange): number {
  return Buffer.byteLength(request.body ?? '');
}

/** Whether a refusal may be one of the size of the body, or of the way in which it was sent, which are open. */
export function mayBeTransportRefusal(exchange: Exchange): boolean {
  const { headers } = exchange.request;
  const status = statusOf(exchange) ?? 0;
  return (
    (status >= 400 && status < 500 && hasLargeBody(exchange)) ||
    (status === 413 && sizeOf(exchange) > smallestTooLarge) ||
    (status === 415 && headers['content-type'] !== 'application/json') ||
    (status === 411 && headers['transfer-encoding'] !== undefined)
  );
}

/** What two plain creations have in common where only what the interface fixes may tell them apart. */
function kindOf({ shape, categoryId }: Attempt): string {
  return `${shape} ${categoryId}`;
}

/** What the interface fixes: the status, and how the body is written. */
function wayOf({ status, exchange: { request } }: Attempt): string {
  return `${status} ${JSON.stringify(request.headers)} ${shapeOf(request.body ?? '')}`;
}

/** An accepted creation before a refusal and one after it, both of its kind. */
function acceptedAround(kin: readonly Attempt[], { exchange }: Attempt): readonly [Attempt, Attempt] | undefined {
  const accepted = kin.filter(({ isAccepted }) => isAccepted);
  const before = accepted.findLast((other) => happenedBefore(other.exchange, exchange));
  const after = accepted.find((other) => happenedBefore(exchange, other.exchange));
  return before === undefined || after === undefined ? undefined : [before, after];
}

function differenceOf(refused: Attempt, accepted: Attempt): string {
  if (refused.status === accepted.status) return 'the way in which its JSON is written and sent';
  return refused.status === undefined ? 'having no status' : `the status ${refused.status}`;
}

/**
 * Any name and any category may be refused. A body that differs from accepted ones in nothing but what the interface
 * fixes may not: where one like it was accepted before and after, and it was refused under two names.
 */
function judgeSimilarBodies(kin: readonly Attempt[]): readonly Finding[] {
  return [...Map.groupBy(kin, wayOf).values()].flatMap((alike) => {
    const refused = alike.filter(({ isRefused, exchange }) => isRefused && !mayBeTransportRefusal(exchange));
    if (refused.length < 2 || alike.some(({ isAccepted }) => isAccepted)) return [];
    const around = refused.flatMap((one) => {
      const pair = acceptedAround(kin, one);
      return pair === undefined ? [] : [{ one, pair }];
    })[0];
    if (around === undefined) return [];
    const { one, pair } = around;
    const status = statusOf(one.exchange);
    const difference = differenceOf(one, pair[1]);
    const message = `expected 201 as for a body that differs in nothing but ${difference}, received ${status}`;
    const evidence = [...refused, ...pair].map(({ exchange }) => exchange);
    return [fails('create-answer', 'valid-refused', message, ...evidence)];
  });
}

export function judgeRefusals(history: History): readonly Finding[] {
  const plain = attemptsIn(history).filter(({ shape }) => shape !== undefined);
  return [...Map.groupBy(plain, kindOf).values()].flatMap(judgeSimilarBodies);
}

/** Judges the status of the answer to a valid body; a refusal alone says nothing. */
export function judgeValidStatus(exchange: Exchange): readonly Finding[] {
  const status = statusOf(exchange) ?? 0;
  if (status >= 400 && status < 500) return [];
  return [fails('create-answer', 'unexpected-status', `expected 201 or a refusal, received ${status}`, exchange)];
}

const longestQuote = 160;

/** What a refusal says for itself. */
function sayingOf(exchange: Exchange): string {
  const body = bodyOf(exchange);
  const message = isJsonObject(body) ? body['message'] : undefined;
  const text = typeof message === 'string' ? message : (exchange.response?.body ?? '');
  const characters = [...text];
  const quote = characters.slice(0, longestQuote).join('');
  return `${statusOf(exchange)}${quote === '' ? '' : ` "${quote}${characters.length > longestQuote ? '…' : ''}"`}`;
}

const ofNames = /name|character|letter|length|long|short|pattern|duplicate|unique|taken|exists/i;
const ofCategories = /categor/i;

/** Which option may help, by what a refusal speaks of. */
function adviceOn(exchange: Exchange): string {
  const status = statusOf(exchange);
  if (status === 401 || status === 403) {
    return 'where the key may read and not create, say --read-only; else give a key that may';
  }
  const saying = sayingOf(exchange);
  const name = 'say with --name TEMPLATE what names look like that it accepts';
  const category = 'name a category that it knows with --category-id';
  if (ofNames.test(saying) === ofCategories.test(saying)) return `${category}, or ${name}`;
  return ofCategories.test(saying) ? category : name;
}

/** Why no animal could be created, with the option that may help; undefined where some could. */
export function whyNothingIsCreated({ exchanges }: Pick<Session, 'exchanges'>): string | undefined {
  const creations = exchanges.filter(
    ({ operation, credential }) => operation === 'createPet' && credential.kind === 'valid',
  );
  const last = creations.findLast((exchange) => (statusOf(exchange) ?? 0) >= 400 && statusOf(exchange) !== 429);
  if (last === undefined || creations.some((exchange) => statusOf(exchange) === 201)) return undefined;
  return `the target refused every animal, the plainest with ${sayingOf(last)}: ${adviceOn(last)}`;
}
