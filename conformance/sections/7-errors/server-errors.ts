/** §7 Judges that no request to an operation makes the service fail: the list of errors has no server error. */

import { isShown } from '../../http/documented.ts';
import type { Exchange } from '../../http/exchange.ts';
import { showJson } from '../../http/json.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Check } from '../../run/suite.ts';
import type { FailureFacts } from '../../verdict/finding.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';
import { type History, isRemovedFor } from '../../world/history.ts';
import { unrefusedExcess } from '../8-limits/ledger.ts';

/** Judges a request that failed each time, as by an outage, while others were served. */
function judgeLasting(exchange: Exchange, shown: readonly Exchange[]): Finding {
  const seconds = Math.round((exchange.startedAt - shown[0]!.endedAt) / 1000);
  const often = `${shown.length - 1} times in ${seconds} s, while other requests were served`;
  const status = statusOf(exchange);
  if (status === undefined) {
    const facts = { expected: 'an answer', received: `none (${exchange.failure?.message}) ${often}` };
    return fails('errors-listed', 'no-answer', facts, ...shown);
  }
  const facts = { expected: 'no server error', received: `${status} ${often}`, status };
  return fails('errors-listed', 'server-error', facts, ...shown);
}

/** The value of a GET request that may have caused the error. §4.2 names the values of a body. */
function inputOf({ request }: Exchange): FailureFacts['input'] {
  const value = request.target.slice('/pets'.length + 1);
  if (value === '') return undefined;
  return { name: request.target.includes('?') ? 'query' : 'petId', value: showJson(value) };
}

function judgeServerError(exchange: Exchange): Finding {
  const input = inputOf(exchange);
  const asked = input === undefined ? '' : ` to the ${input.name} ${input.value}`;
  const status = statusOf(exchange);
  const facts = { expected: `no server error${asked}`, received: `${status}`, status, input };
  return fails('errors-listed', 'server-error', facts, exchange);
}

function judgeListed(history: History): readonly Finding[] {
  const excess = unrefusedExcess(history);
  const isJudged = (exchange: Exchange): boolean =>
    isShown(exchange) && !isRemovedFor(history, exchange) && !excess.has(exchange);
  const lasting = [...history.lasting].filter(([exchange]) => isJudged(exchange));
  return [
    ...lasting.map(([exchange, shown]) => judgeLasting(exchange, shown)),
    ...history.answered
      .filter((exchange) => isJudged(exchange) && !history.lasting.has(exchange))
      .map((exchange) =>
        exchange.response.status < 500 ? holds('errors-listed', exchange) : judgeServerError(exchange),
      ),
  ];
}

export const serverErrorChecks: readonly Check[] = [
  {
    id: 'no-server-errors',
    verifies: ['errors-listed'],
    title: 'No request to an operation makes the service fail',
    judge: judgeListed,
  },
];
