/** Tells requests that a client sends in order to be refused from those whose success it takes for granted. */

import type { ClientRequirementId } from '../../spec/client-requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { ClientFinding } from '../sections/client-checks/check.ts';
import type { ClientRun } from './client-run.ts';
import type { CompatibilityRuns } from './compatibility-runs.ts';

export interface RunFinding {
  readonly finding: ClientFinding;
  readonly run: ClientRun;
}

/** Requirements that a service may enforce by a refusal, so that a client may test that it does. */
const refusable: ReadonlySet<ClientRequirementId> = new Set([
  'client-required-fields',
  'client-values-in-range',
  'client-sends-json',
  'client-shown-only',
  'client-limit-in-range',
  'client-status-known',
  'client-id-int64',
  'client-key-in-header',
]);

/** A service must refuse a misplaced key, so its success elsewhere proves nothing about one request. */
const judgedOneByOne: ReadonlySet<ClientRequirementId> = new Set(['client-key-in-header']);

export function isRefusal({ response }: Pick<Exchange, 'response'>): boolean {
  return response !== undefined && response.status >= 400 && response.status < 500 && response.status !== 429;
}

/** Whether the request was refused for breaking the requirement: a misplaced key is refused with 401 alone. */
function isRefused({ finding: { exchanges, requirement } }: RunFinding): boolean {
  const isForKey = requirement === 'client-key-in-header';
  return exchanges.every((exchange) => isRefusal(exchange) && (!isForKey || exchange.response?.status === 401));
}

/** Whether the client failed because of this request: right after its refusal, or only where it gets another status. */
function isFatal({ finding, run }: RunFinding, { breakages }: CompatibilityRuns): boolean {
  if (run.isPassed) return false;
  if (run.variant.variations.length === 0) return finding.exchanges.includes(run.exchanges.at(-1)!);
  const isBlamed = breakages.some((breakage) => breakage.run === run);
  return isBlamed && finding.exchanges.some((exchange) => run.differences.get(exchange) === 'status');
}

/** Whether a request tests a refusal on purpose: it was refused somewhere, and nowhere made the client fail. */
export function isDeliberate(one: RunFinding, all: readonly RunFinding[], made: CompatibilityRuns): boolean {
  const { requirement, failure } = one.finding;
  if (!refusable.has(requirement)) return false;
  if (judgedOneByOne.has(requirement)) return isRefused(one) && !isFatal(one, made);
  const alike = all.filter(({ finding }) => finding.failure?.code === failure?.code);
  return alike.some((other) => isRefused(other) && other.run.isPassed) && !alike.some((other) => isFatal(other, made));
}
