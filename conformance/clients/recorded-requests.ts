/** Judges clients by records of their requests, without running them. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { sentenceOf } from '../verdict/failure.ts';
import { isFailing } from '../verdict/finding.ts';
import { isPreflight } from './client-run.ts';
import { isRefused } from './refused-requests.ts';
import { judgeSent } from './waits.ts';

export interface BrokenByClient {
  readonly requirement: ClientRequirementId;
  /** "expected …, received …". */
  readonly message: string;
  /** The last exchange that shows it. */
  readonly exchange: Exchange;
}

/** What the requests of one client break, each requirement once. A refused request may have been sent to be refused. */
function brokenIn(exchanges: readonly Exchange[]): readonly BrokenByClient[] {
  const broken = judgeSent(exchanges).filter((finding) => isFailing(finding) && !isRefused(finding));
  return [...Map.groupBy(broken, ({ requirement }) => requirement)].map(([requirement, [first]]) => ({
    requirement,
    message: sentenceOf(first!.failure!),
    exchange: first!.exchanges.at(-1)!,
  }));
}

/** `client` tells the senders apart by their keys; undefined if nothing does. */
export interface SentExchange {
  readonly exchange: Exchange;
  readonly client?: string;
}

/** More exchanges than this tell nothing new about a client. */
const mostExchanges = 2_000;

/** What each client breaks. */
export function brokenByClients(traffic: readonly SentExchange[]): readonly BrokenByClient[] {
  const own = Map.groupBy(
    traffic.filter(({ exchange }) => !isPreflight(exchange)),
    ({ client }) => client,
  );
  return [...own.values()].flatMap((sent) =>
    brokenIn(
      sent
        .map(({ exchange }) => exchange)
        .toSorted((one, other) => one.sent - other.sent)
        .slice(-mostExchanges),
    ),
  );
}
