/** What clients break by their requests: refused requests do not count, since they may be tests of refusals. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Failing, isFailing } from '../verdict/finding.ts';
import { isPreflight } from './client-run.ts';
import type { ClientFinding } from './requests.ts';
import { judgeSent } from './waits.ts';

/** No service refuses a request for breaking one of these. Of the others, a client may test that they are refused. */
export const neverRefused: ReadonlySet<ClientRequirementId> = new Set(['client-id-exact', 'client-deprecated']);

/** Whether a request was refused for breaking a requirement; of a misplaced key, only 401 shows that. */
function isRefusalOf(requirement: ClientRequirementId, status: number): boolean {
  if (requirement === 'client-key-in-header') return status === 401;
  if (neverRefused.has(requirement)) return false;
  return status >= 400 && status < 500 && status !== 429;
}

/** Whether the requests of a finding were refused for breaking its requirement. */
export function isRefusedAsBroken({ exchanges, requirement }: ClientFinding): boolean {
  return exchanges.every(({ response }) => isRefusalOf(requirement, response?.status ?? 0));
}

/** Whether a request of a finding was served as if it did not break the requirement. */
export function isServedAsValid(finding: ClientFinding): boolean {
  const hasAnswer = finding.exchanges.some(({ response }) => response !== undefined && response.status < 429);
  return hasAnswer && !isRefusedAsBroken(finding);
}

/** More exchanges than this tell nothing new about a client. */
const mostOfClient = 2_000;

/** A request of some client. */
interface ClientTraffic {
  readonly exchange: Exchange;
  /** Stands for the key of the sender; undefined if it is unknown. */
  readonly client?: string;
  /** Set if no other request is known to be of the same client. */
  readonly isAlone?: true;
}

/** What some findings show to be broken, each requirement once. Refused requests do not count: they may be tests of refusals. */
function brokenOnce(findings: readonly ClientFinding[]): readonly Failing<ClientRequirementId>[] {
  const broken = findings.filter(isFailing).filter((one) => !isRefusedAsBroken(one));
  return [...Map.groupBy(broken, ({ requirement }) => requirement).values()].map(([first]) => first!);
}

/** What each client breaks. */
export function brokenByClients(traffic: readonly ClientTraffic[]): readonly Failing<ClientRequirementId>[] {
  const own = traffic.filter(({ exchange }) => !isPreflight(exchange));
  const alone = own.filter(({ isAlone }) => isAlone);
  const known = own.filter(({ isAlone }) => !isAlone);
  const ofUnknown = alone.slice(-mostOfClient).flatMap(({ exchange }) => judgeSent([exchange]));
  const ofKnown = [...Map.groupBy(known, ({ client }) => client).values()].flatMap((sent) => {
    const exchanges = sent.map(({ exchange }) => exchange).toSorted((one, other) => one.sent - other.sent);
    return brokenOnce(judgeSent(exchanges.slice(-mostOfClient)));
  });
  return [...ofKnown, ...brokenOnce(ofUnknown)];
}
