/** Finds the shortest sequence of exchanges that shows a failure, and the creations that the sequence needs. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange, Operation, RecordedRequest } from '../http/exchange.ts';
import { isInt64, isJsonObject, type JsonValue, readJson } from '../http/json.ts';
import { type Counterexample, type Failing, type Finding, isFailing, type Recheck } from './finding.ts';
import type { ReportedExchange } from './report.ts';

/** One request to send again, as recorded. */
export interface Step {
  readonly number: number;
  readonly operation: Operation;
  readonly request: RecordedRequest;
  /** `Credential.id`. */
  readonly credentialId: string;
  readonly response?: { readonly status: number; readonly body: string } | undefined;
  /** The times at which it was first sent and answered, Unix milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
}

type Asked = Pick<Step, 'operation' | 'request' | 'response'>;

/** Whether two findings are the same failure, possibly shown by different exchanges. */
export function isSameFailure(one: Finding<AnyRequirementId>, other: Finding<AnyRequirementId>): boolean {
  return one.requirement === other.requirement && one.failure?.code === other.failure?.code;
}

/** The length of everything that the requests of a failure send, with something for each request. */
function sizeOf({ exchanges }: Finding<AnyRequirementId>): number {
  const perRequest = 100;
  // A request with the key that is used up cannot be sent again, so that any other one is the better evidence.
  const perUsedUp = 1_000_000;
  return exchanges.reduce(
    (sum, { request, credential }) =>
      sum +
      (credential.kind === 'rate-limit' ? perUsedUp : perRequest) +
      request.target.length +
      Object.entries(request.headers).join().length +
      Object.values(credential.curl).join().length +
      (request.body?.length ?? 0),
    0,
  );
}

/** The findings in the order of what their requests send, the smallest first. */
export function bySize<One extends Finding<AnyRequirementId>>(findings: readonly One[]): readonly One[] {
  return findings.toSorted((one, other) => sizeOf(one) - sizeOf(other));
}

/** A curl line of such a request can be read at a glance. */
const smallSize = 300;

/** The first finding with a small request, which stays the same as a run goes on; else the smallest. */
export function firstSmall<One extends Finding<AnyRequirementId>>(findings: readonly One[]): One {
  return findings.find((one) => sizeOf(one) <= smallSize) ?? bySize(findings)[0]!;
}

/** For each failing requirement, the failure with the smallest requests among those with the code of its first failure. */
export function smallestFailures(findings: readonly Finding[]): readonly Failing[] {
  const byRequirement = Map.groupBy(findings.filter(isFailing), ({ requirement }) => requirement);
  return [...byRequirement.values()].map((failures) => {
    return bySize(failures.filter((failing) => isSameFailure(failing, failures[0]!)))[0]!;
  });
}

/** For every failing requirement, its smallest failure with the exchanges that show it. */
export function counterexamplesFor(
  findings: readonly Finding[],
  rechecked: ReadonlyMap<RequirementId, Recheck> = new Map(),
): ReadonlyMap<RequirementId, Counterexample> {
  return new Map(
    smallestFailures(findings).map((finding) => {
      const exchanges = [...new Set(finding.exchanges)].sort((one, other) => one.number - other.number);
      const recheck = finding.isConfirmed ? 'fails-again' : (rechecked.get(finding.requirement) ?? 'not-asked-again');
      return [finding.requirement, { finding, exchanges, recheck }];
    }),
  );
}

/** A replay creates at most so many animals in advance. */
const mostRequiredCreations = 25;

/** Returns the ids in the path and in the page of a step. */
function idsIn({ operation, request, response }: Asked): readonly string[] {
  const asked = /^\/pets\/(-?\d+)$/.exec(request.target)?.[1];
  const reading = operation === 'listPets' && response !== undefined ? readJson(response.body) : undefined;
  const page = reading !== undefined && 'value' in reading && Array.isArray(reading.value) ? reading.value : [];
  const shown = page.flatMap((entry: JsonValue) => (isJsonObject(entry) && isInt64(entry['id']) ? [entry['id']] : []));
  return [...(asked === undefined ? [] : [asked]), ...shown.map(String)];
}

/**
 * Returns the recorded creations of the animals that the steps request or show, in the order in which they were sent. A
 * restarted target does not have these animals.
 */
export function requiredCreations<Recorded extends Asked>(
  steps: readonly Recorded[],
  recorded: readonly Recorded[],
): readonly Recorded[] {
  const needed = new Set(steps.flatMap(idsIn));
  const isNeeded = (step: Recorded): boolean => !steps.includes(step) && needed.has(String(createdId(step)));
  return recorded.filter(isNeeded).slice(0, mostRequiredCreations);
}

export function createdId({ operation, response }: Asked): bigint | undefined {
  if (operation !== 'createPet' || response?.status !== 201) return undefined;
  const reading = readJson(response.body);
  const body: JsonValue = 'value' in reading ? reading.value : null;
  return isJsonObject(body) && isInt64(body['id']) ? body['id'] : undefined;
}

export function stepOf(exchange: Exchange): Step {
  const { number, operation, request, credential, response, startedAt, endedAt } = exchange;
  const answer = response === undefined ? {} : { response };
  return { number, operation, request, credentialId: credential.id, startedAt, endedAt, ...answer };
}

export function stepOfReport({ startedAt, durationMs, ...step }: ReportedExchange): Step {
  const at = Date.parse(startedAt);
  return { ...step, startedAt: at, endedAt: at + durationMs };
}
