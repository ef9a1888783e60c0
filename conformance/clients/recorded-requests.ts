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
  const requests = { exchanges, isAnotherDay: false, latenessMs: 0 };
  const broken = judgeSent(requests).filter((finding) => isFailing(finding) && !isRefused(finding));
  return [...Map.groupBy(broken, ({ requirement }) => requirement)].map(([requirement, [first]]) => ({
    requirement,
    message: sentenceOf(first!.failure!),
    exchange: first!.exchanges.at(-1)!,
  }));
}

/** More exchanges than this tell nothing new about the clients. */
const mostExchanges = 2_000;
/** UTF-16 units of bodies. */
const mostKept = 16 * 1024 * 1024;

function sizeOf({ request, response }: Exchange): number {
  return (request.body?.length ?? 0) + (response?.body.length ?? 0);
}

/** Keeps the latest exchanges of several clients in bounded memory, and judges each client by its own. */
export function watchClients() {
  const kept: { readonly exchange: Exchange; readonly client: string | undefined }[] = [];
  let size = 0;
  return {
    /** `client` tells the clients apart; undefined if nothing does. */
    add(exchange: Exchange, client: string | undefined): void {
      if (isPreflight(exchange)) return;
      kept.push({ exchange, client });
      size += sizeOf(exchange);
      while (kept.length > mostExchanges || size > mostKept) size -= sizeOf(kept.shift()!.exchange);
    },
    conclude: (): readonly BrokenByClient[] =>
      [...Map.groupBy(kept, ({ client }) => client).values()].flatMap((own) =>
        brokenIn(own.map(({ exchange }) => exchange).toSorted((one, other) => one.sent - other.sent)),
      ),
  };
}
