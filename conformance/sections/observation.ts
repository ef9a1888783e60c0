/** Builds observations: which answer to a gap an exchange shows. */

import type { AnswerId, OpenGapId } from '../../spec/gaps.ts';
import { isError } from '../http/documented.ts';
import type { Exchange } from '../http/exchange.ts';
import { bodyOf, isJson, statusOf } from '../http/read-response.ts';
import type { Observation } from '../verdict/finding.ts';
import type { History } from '../world/history.ts';

/** Reads the answer to one gap from the history; undefined where no exchange shows it. */
export type Observe<Id extends OpenGapId> = (history: History) => Observation<AnswerId<Id>> | undefined;

/** An observation of one answer, with the size that goes with it; undefined where the answer or its exchange is missing. */
export function observationOf<Answer extends AnswerId>(
  answer: Answer | undefined,
  exchange: Exchange | undefined,
  size?: number | string,
): Observation<Answer> | undefined {
  if (answer === undefined || exchange === undefined) return undefined;
  return { answers: [answer], exchange, ...(size !== undefined && { size: String(size) }) };
}

/** The distinct answers that exchanges show, with the exchange that shows the first. */
export function collectAnswers<Answer extends AnswerId>(
  exchanges: readonly Exchange[],
  read: (exchange: Exchange) => Answer | undefined,
): Observation<Answer> | undefined {
  const shown = exchanges.flatMap((exchange) => {
    const answer = read(exchange);
    return answer === undefined ? [] : [{ answer, exchange }];
  });
  const [first, ...others] = new Set(shown.map(({ answer }) => answer));
  return first === undefined ? undefined : { answers: [first, ...others], exchange: shown[0]!.exchange };
}

/** §7 lists none of these, so the interface does not describe their bodies. */
const withoutError: readonly number[] = [405, 411, 413, 415, 501];

/**
 * How a request was refused: with an Error and a status that the gap names, or otherwise. Undefined where it was not
 * refused, or where the key or a server error caused the refusal.
 */
export function refusalAnswer<Status extends number = never>(
  exchange: Exchange,
  ...named: readonly Status[]
): `refused-${Status}` | 'refused-otherwise' | undefined {
  const status = statusOf(exchange) ?? 0;
  // A body that is nested too deeply to be read may be an Error.
  const isUnreadable = bodyOf(exchange) === undefined && isJson(exchange);
  const known = named.find((candidate) => candidate === status);
  if (known !== undefined && withoutError.includes(known)) return `refused-${known}`;
  if (status < 300 || status >= 500 || status === 401 || isUnreadable) return undefined;
  return known !== undefined && isError(exchange) ? `refused-${known}` : 'refused-otherwise';
}
