/** §5 Reports a cause that many credentials share once: an operation or a request that needs no key, or that is read before it. */

import type { Exchange } from '../../http/exchange.ts';
import { isAllowed, readListing, readNewPet, readPetId } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { type Failing, type Finding, fails, isFailing } from '../../verdict/finding.ts';
import { type History, isKnownBefore } from '../../verdict/history.ts';

/** A finding about a credential that must be refused, with its request. */
interface Refusal {
  readonly finding: Finding;
  readonly exchange: Exchange;
}

const refusedKinds: ReadonlySet<string> = new Set(['missing', 'invalid', 'misplaced']);

function isAbout(finding: Finding): readonly Refusal[] {
  const [exchange] = finding.exchanges;
  return exchange !== undefined && refusedKinds.has(exchange.credential.kind) ? [{ finding, exchange }] : [];
}

/** Which property of a request, other than its key, a service may answer first. */
function propertyOf(history: History, exchange: Exchange): string {
  const { operation, request } = exchange;
  if (operation === 'createPet') {
    const type = request.headers['content-type'] ?? 'no media type';
    if (!/^application\/json\s*(;|$)/i.test(type)) return 'a body of another media type';
    return readNewPet(exchange).kind === 'invalid' ? 'an invalid body' : 'a valid body';
  }
  if (operation === 'listPets') {
    return isAllowed(readListing(exchange)) ? `GET ${request.target}` : 'a query that is not allowed';
  }
  const id = readPetId(exchange);
  if (typeof id !== 'bigint') return 'a petId that is no int64';
  return isKnownBefore(history, exchange, id) ? 'a known animal' : 'an unknown animal';
}

const isServed = (status: number): boolean => status >= 200 && status < 300;

/** Whether the key matters although none gets 401: a 403 refuses a key, or only requests with some key are served. */
function isKeyRead(group: readonly Refusal[]): boolean {
  const served = group.filter(({ exchange }) => isServed(statusOf(exchange) ?? 0));
  const isPublic = served.some(({ exchange }) => exchange.credential.kind === 'missing');
  return group.some(({ exchange }) => statusOf(exchange) === 403) || (served.length > 0 && !isPublic);
}

/** Whether nothing was refused with 401, neither a missing key nor another kind of credential: then no key matters. */
function isAnyKey(group: readonly Refusal[], fewest: number): boolean {
  const ids = new Set(group.map(({ exchange }) => exchange.credential.id));
  const kinds = new Set(group.map(({ exchange }) => exchange.credential.kind));
  return (
    ids.size >= fewest && kinds.size > 1 && kinds.has('missing') && group.every(({ finding }) => isFailing(finding))
  );
}

/** One failure for all credentials; it cites the request without a key that shows the most. */
function oneFailure(group: readonly Refusal[], where: string): Failing {
  const statuses = [...new Set(group.map(({ exchange }) => statusOf(exchange) ?? 0))].sort();
  const missing = group.filter(({ exchange }) => exchange.credential.kind === 'missing');
  const [shown] = [...missing.filter(({ exchange }) => isServed(statusOf(exchange) ?? 0)), ...missing];
  const count = new Set(group.map(({ exchange }) => exchange.credential.id)).size;
  const cause = statuses.some(isServed) ? 'no key is needed' : 'it is answered before the key is checked';
  const facts = {
    expected: `401 for ${where} with any of ${count} credentials`,
    received: `${statuses.join(', ')}: ${cause}`,
  };
  const code = isServed(statusOf(shown!.exchange) ?? 0) ? 'accepted' : 'unexpected-status';
  return fails('auth-missing-key', code, { ...facts, status: statusOf(shown!.exchange) }, shown!.exchange);
}

/** So many different credentials with a wrong answer, and none with 401, have one cause. */
const fewestAlike = 3;

/** The statuses by which a service refuses what else is wrong with a request, once it has accepted the key. */
const laterRefusals: readonly (number | undefined)[] = [400, 404, 415];

/**
 * Leaves out what follows from an accepted credential: its other requests are refused for other mistakes in them, and what
 * is served without a key is served with any.
 */
function withoutConsequences(findings: readonly Finding[]): readonly Finding[] {
  const accepted = findings.flatMap(({ failure, exchanges }) => (failure?.code === 'accepted' ? exchanges : []));
  const credentials = new Set(accepted.map(({ credential }) => credential.id));
  const isPublic = ({ operation, credential }: Exchange): boolean =>
    operation !== 'createPet' && credential.kind === 'missing';
  const publicTargets = new Set(accepted.filter(isPublic).map(({ request }) => request.target));
  return findings.filter(({ failure, exchanges: [exchange] }) => {
    if (failure === undefined || exchange === undefined) return true;
    const { credential, request } = exchange;
    if (failure.code === 'accepted') return credential.kind === 'missing' || !publicTargets.has(request.target);
    return !credentials.has(credential.id) || !laterRefusals.includes(statusOf(exchange));
  });
}

function queryOf({ request }: Exchange): URLSearchParams {
  return new URLSearchParams(request.target.split('?')[1]);
}

/** The parameters that at least two different queries of listPets have. */
function parametersOf(refusals: readonly Refusal[]): readonly string[] {
  const targets = new Map(refusals.map(({ exchange }) => [exchange.request.target, queryOf(exchange)]));
  const names = new Set([...targets.values()].flatMap((query) => [...query.keys()]));
  return [...names].filter((name) => [...targets.values()].filter((query) => query.has(name)).length > 1);
}

/** An accepted credential says more than a wrong status, so it is shown first. */
const rankOf = ({ failure }: Finding): number => (failure?.code === 'accepted' ? 0 : 1);

/** The findings about credentials, with one failure in place of those that have one cause. */
export function mergeCommonCauses(history: History, findings: readonly Finding[]): readonly Finding[] {
  const refusals = findings.flatMap(isAbout);
  const statuses = new Set(refusals.map(({ exchange }) => statusOf(exchange) ?? 0));
  const [status = 0] = statuses;
  // One wrong status for every credential breaks each requirement by itself.
  if (isAnyKey(refusals, fewestAlike) && statuses.size === 1 && !isServed(status)) return findings;
  const merged: Finding[] = [];
  const explained: ((exchange: Exchange) => boolean)[] = [];
  const isExplained = (exchange: Exchange): boolean => explained.some((explains) => explains(exchange));
  /** Reports the requests of a cause once if no key changes their answer. */
  function mergeWhere(where: string, hasCause: (exchange: Exchange) => boolean, fewest: number): void {
    const group = refusals.filter(({ exchange }) => hasCause(exchange) && !isExplained(exchange));
    if (!isAnyKey(group, fewest) || isKeyRead(group)) return;
    merged.push(oneFailure(group, where));
    explained.push(hasCause);
  }
  const keyOf = (exchange: Exchange): string => `${exchange.operation}: ${propertyOf(history, exchange)}`;
  for (const [operation, ofOperation] of Map.groupBy(refusals, ({ exchange }) => exchange.operation)) {
    mergeWhere(operation, (exchange) => exchange.operation === operation, fewestAlike);
    if (operation === 'listPets') {
      for (const name of parametersOf(ofOperation)) {
        mergeWhere(`a query with ${name}`, (exchange) => queryOf(exchange).has(name), fewestAlike);
      }
    }
    for (const key of new Set(ofOperation.map(({ exchange }) => keyOf(exchange)))) {
      mergeWhere(key.slice(operation.length + 2), (exchange) => keyOf(exchange) === key, 2);
    }
  }
  // A key in other letters that is accepted where no key is needed shows nothing.
  const rest = findings.filter(({ exchanges: [exchange], failure }) => {
    const isOfKey = failure !== undefined && exchange !== undefined && exchange.credential.kind !== 'valid';
    return !isOfKey || !isExplained(exchange);
  });
  return [...withoutConsequences(rest), ...merged].toSorted((one, other) => rankOf(one) - rankOf(other));
}
