/** Builds observations: which answer to a gap an exchange shows. */

import { type AnswerId, gaps, type OpenGapId } from '../../spec/gaps.ts';
import { isError } from '../http/documented.ts';
import type { Exchange } from '../http/exchange.ts';
import { statusOf } from '../http/read-response.ts';
import type { Observation } from '../verdict/finding.ts';
import type { World } from '../world/world.ts';

/** Reads the answer to one gap from the world; undefined where no exchange shows it. */
export type Observe<Id extends OpenGapId> = (world: World, gap: Id) => Observation<AnswerId<Id>> | undefined;

/** What may show an answer: an exchange, or an animal or a page with its exchange. */
interface Showing {
  readonly exchange: Exchange;
}

/** An observation of one answer; undefined where the answer or its exchange is missing. */
export function observationOf<Answer extends AnswerId>(
  answer: Answer | undefined,
  exchange: Exchange | undefined,
): Observation<Answer> | undefined {
  return answer === undefined || exchange === undefined ? undefined : { answers: [answer], exchange };
}

/** §7 lists none of these, so the interface does not describe their bodies. */
const withoutError: readonly number[] = [405, 411, 413, 415, 501];

/**
 * How a request was refused: with an Error and a status that the gap names, or otherwise. Undefined where it was not
 * refused, where the key or a server error caused the refusal, or where the gap is about something else.
 */
function refusalAnswer<Id extends OpenGapId>(wanted: Id, exchange: Exchange): AnswerId<Id> | undefined {
  const { answers = {}, others = {} } = gaps.find(({ id }) => id === wanted) ?? {};
  const status = statusOf(exchange) ?? 0;
  const named = `refused-${status}`;
  const isNamed = Object.hasOwn({ ...answers, ...others }, named);
  if (isNamed && withoutError.includes(status)) return named as AnswerId<Id>;
  if (!Object.hasOwn(others, 'refused-otherwise')) return undefined;
  if (status < 300 || status >= 500 || status === 401) return undefined;
  return (isNamed && isError(exchange) ? named : 'refused-otherwise') as AnswerId<Id>;
}

/**
 * Observes the distinct answers that the selected ones show, with the exchange that shows the first. If `read` finds no
 * answer, how the request was refused may be one.
 */
export const observeEach =
  <Id extends OpenGapId, One extends Showing>(
    select: (world: World) => readonly One[],
    read: (one: One, world: World) => AnswerId<Id> | undefined,
  ): Observe<Id> =>
  (world, gap) => {
    const shown = select(world).flatMap((one) => {
      const answer = read(one, world) ?? refusalAnswer(gap, one.exchange);
      return answer === undefined ? [] : [{ answer, exchange: one.exchange }];
    });
    const [first, ...others] = new Set(shown.map(({ answer }) => answer));
    return first === undefined ? undefined : { answers: [first, ...others], exchange: shown[0]!.exchange };
  };

/** Selects answers of the service. */
export const selectAnswers =
  (selects: (exchange: Exchange, world: World) => boolean) =>
  (world: World): readonly Showing[] =>
    world.answered.filter((exchange) => selects(exchange, world)).map((exchange) => ({ exchange }));
