/** Judges clients by records of their requests, without running them. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Failing, isFailing } from '../verdict/finding.ts';
import { isPreflight } from './client-run.ts';
import { isRefused } from './refused-requests.ts';
import { judgeSent } from './waits.ts';

/** More exchanges than this tell nothing new about a client. */
const mostExchanges = 2_000;

/**
 * What each client breaks, each requirement once; `client` tells the senders apart by their keys, undefined if nothing does.
 * A refused request may have been sent to be refused.
 */
export function brokenByClients(
  traffic: readonly { readonly exchange: Exchange; readonly client?: string }[],
): readonly Failing<ClientRequirementId>[] {
  const own = traffic.filter(({ exchange }) => !isPreflight(exchange));
  return [...Map.groupBy(own, ({ client }) => client).values()].flatMap((sent) => {
    const exchanges = sent.map(({ exchange }) => exchange).toSorted((one, other) => one.sent - other.sent);
    const broken = judgeSent(exchanges.slice(-mostExchanges)).filter(isFailing);
    const byRequirement = Map.groupBy(
      broken.filter((one) => !isRefused(one)),
      ({ requirement }) => requirement,
    );
    return [...byRequirement.values()].map(([first]) => first!);
  });
}
