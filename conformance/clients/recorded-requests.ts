/** Judges a client by a record of its requests to one service, without running it. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { sentenceOf } from '../verdict/failure.ts';
import { type ClientRun, isPreflight } from './client-run.ts';
import type { Compatibility } from './compatibility.ts';
import { judgeClient } from './judge-client.ts';
import { findingsOf, suspicionsIn } from './refused-requests.ts';
import { type LegalService, reference } from './services.ts';

/** Stands for the service of the record: the client did not run. */
export const recordedService: LegalService = { ...reference, id: 'recorded' };

/** The record as the only run of a client, which passed and noticed what was refused, as far as one can see. */
export function asOnlyRun(recorded: readonly Exchange[], baseUrl: string): Compatibility {
  const run: ClientRun = {
    service: recordedService,
    surroundings: { gaps: {}, animals: [] },
    baseUrl,
    key: '',
    isPassed: true,
    ending: 'the end of the record',
    exchanges: recorded.filter((exchange) => !isPreflight(exchange)),
    toOtherHost: [],
    isAnotherDay: false,
    latenessMs: 0,
    recorded: [],
    telling: () => [],
    durationMs: (recorded.at(-1)?.endedAt ?? 0) - (recorded[0]?.startedAt ?? 0),
  };
  const findings = findingsOf([run]);
  const suspicions = suspicionsIn(findings).map((one) => ({ ...one, isNoticed: true }));
  const nothing = { reliances: [], unexplained: [], alike: [], givesUpAt: [], isEnded: false };
  return { usual: run, runs: [run], findings, suspicions, ...nothing };
}

export interface BrokenByClient {
  readonly requirement: ClientRequirementId;
  /** "expected …, received …". */
  readonly message: string;
  /** The last exchange that shows it. */
  readonly exchange: Exchange;
}

/** More exchanges than this tell nothing new about the clients. */
const mostExchanges = 2_000;
/** UTF-16 units of bodies. */
const mostKept = 16 * 1024 * 1024;

function sizeOf({ request, response }: Exchange): number {
  return (request.body?.length ?? 0) + (response?.body.length ?? 0);
}

/** Keeps the latest exchanges of several clients in bounded memory, and judges each client by its own. */
export function watchClients(baseUrl: string) {
  const kept: { readonly exchange: Exchange; readonly client: string | undefined }[] = [];
  let size = 0;
  return {
    /** `client` tells the clients apart; undefined if nothing does. */
    add(exchange: Exchange, client: string | undefined): void {
      kept.push({ exchange, client });
      size += sizeOf(exchange);
      while (kept.length > mostExchanges || size > mostKept) size -= sizeOf(kept.shift()!.exchange);
    },
    /** The client requirements that the recorded requests break, each once for each client. */
    conclude: (): readonly BrokenByClient[] =>
      [...Map.groupBy(kept, ({ client }) => client).values()].flatMap((own) => {
        const exchanges = own.map(({ exchange }) => exchange).toSorted((one, other) => one.sent - other.sent);
        return judgeClient(asOnlyRun(exchanges, baseUrl)).flatMap(({ requirement, failures: [first] }) =>
          first === undefined
            ? []
            : [{ requirement: requirement.id, message: sentenceOf(first.failure), exchange: first.exchanges.at(-1)! }],
        );
      }),
  };
}
