/** What a program says of a run, read into the values that the command line would have given. */

import { type Plan, planLimits } from '../../spec/facts.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { readValues } from '../cli/configuration.ts';
import type { RunValues } from '../cli/judge-target.ts';
import { oneOf, readBaseUrl, readHeader, readInt64, readRequirements } from '../cli/readers.ts';
import { complaintOfKey, type Target } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';
import { readWaiverList } from '../cli/waivers.ts';
import type { EvidenceScope } from '../verdict/report.ts';
import type { Waiver } from '../verdict/waivers.ts';

/** What happens in a run, as it happens. */
export type ProgressEvent =
  /** A scenario begins; `title` says in words what it asks. */
  | { readonly kind: 'scenario'; readonly id: string; readonly title: string }
  /** A request was answered, or stayed without an answer. `requests` counts them from 1. */
  | { readonly kind: 'exchange'; readonly requests: number; readonly maxRequests: number }
  /** The run waits so many milliseconds before it sends again. */
  | { readonly kind: 'wait'; readonly ms: number; readonly why: string };

/** What is judged, and how. Whatever is left out is as on the command line; see `petstore-conformance run --help`. */
export interface JudgeOptions {
  /** The base address, such as https://host/v1. Without it the embedded reference server is judged. */
  readonly baseUrl?: string;
  /** The API key of the target (§5). It enters no report. */
  readonly apiKey?: string;
  /** A second key that the run may exhaust (§8). Without it these requirements are skipped. */
  readonly rateLimitKey?: string;
  /** The plan of `apiKey` (§8). */
  readonly plan?: Plan;
  /** The plan of `rateLimitKey` (§8). */
  readonly rateLimitPlan?: Plan;
  /** Categories that the target knows; a number beyond 2^53 must be a bigint. */
  readonly categoryIds?: readonly (number | bigint)[];
  /** Animals that the target has, for runs that create none. */
  readonly petIds?: readonly (number | bigint)[];
  /** Names that the target accepts, such as `Pet {n}`. */
  readonly nameTemplate?: string;
  /** Sent with every request, for gateways before the target. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the target may be broken for good; an address of this machine may. */
  readonly isDisposable?: boolean;
  /** The run sends no more requests; 300. */
  readonly maxRequests?: number;
  /** The run creates no more animals; 60. */
  readonly maxCreates?: number;
  /** Creates nothing. */
  readonly isReadOnly?: boolean;
  /** So many requests at a time; 1. */
  readonly concurrency?: number;
  /** For one exchange, milliseconds; 10,000. */
  readonly timeoutMs?: number;
  /** The longest single wait for a rate limit, milliseconds; 75,000. */
  readonly maxWaitMs?: number;
  /** What was created and is missing is asked for again after so long, milliseconds; 2,000. */
  readonly settleMs?: number;
  /** For the whole run, milliseconds; 1,800,000. */
  readonly deadlineMs?: number;
  /** Draws the values of the run; drawn itself where it is left out. */
  readonly seed?: number;
  /** Judges only these: ids of requirements, or sections such as `4.1`. */
  readonly only?: readonly string[];
  /** The day to take for today (§9). */
  readonly today?: Date;
  /** Failures that are known and accepted until a day. */
  readonly waivers?: readonly (Waiver & { readonly id: RequirementId })[];
  /** What is skipped or inconclusive makes the whole run inconclusive. */
  readonly requiresAll?: boolean;
  /** Which exchanges the report carries: `failures`, which is usual, those that failures cite. */
  readonly evidence?: EvidenceScope;
  /** Ends the run: the report says so and tells what was judged until then. */
  readonly signal?: AbortSignal;
  /** Is told of each scenario, request and wait, as it happens. */
  readonly onProgress?: (event: ProgressEvent) => void;
}

/** What each option is in JavaScript, where nobody checks types. */
const kinds = {
  baseUrl: 'string',
  apiKey: 'string',
  rateLimitKey: 'string',
  plan: 'string',
  rateLimitPlan: 'string',
  categoryIds: 'object',
  petIds: 'object',
  nameTemplate: 'string',
  headers: 'object',
  isDisposable: 'boolean',
  maxRequests: 'number',
  maxCreates: 'number',
  isReadOnly: 'boolean',
  concurrency: 'number',
  timeoutMs: 'number',
  maxWaitMs: 'number',
  settleMs: 'number',
  deadlineMs: 'number',
  seed: 'number',
  only: 'object',
  today: 'object',
  waivers: 'object',
  requiresAll: 'boolean',
  evidence: 'string',
  signal: 'object',
  onProgress: 'function',
} as const satisfies Readonly<Record<keyof JudgeOptions, string>>;

function checkKinds(options: JudgeOptions): void {
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (value === undefined) continue;
    if (!Object.hasOwn(kinds, name)) throw new UsageError(`There is no option ${name}.`);
    const kind = kinds[name as keyof JudgeOptions];
    const isKind = typeof value === kind && value !== null;
    if (!isKind) throw new UsageError(`${name} takes ${kind === 'object' ? 'an object' : `a ${kind}`}.`);
    const isCount = typeof value !== 'number' || (Number.isSafeInteger(value) && value >= 0);
    if (!isCount) throw new UsageError(`${name} takes a whole number, not ${value}.`);
  }
}

function readIds(ids: readonly (number | bigint)[] = [], name: string): readonly bigint[] {
  return ids.map((id) => {
    if (typeof id !== 'number' || Number.isSafeInteger(id)) return readInt64(String(id), name);
    throw new UsageError(`${name} takes integers, and a bigint beyond 2^53, not ${id}.`);
  });
}

function readDate(today: Date): number {
  const at = today.getTime();
  if (Number.isNaN(at)) throw new UsageError('today takes a date that there is.');
  return at;
}

const readPlan = oneOf(Object.keys(planLimits) as Plan[]);
const readEvidence = oneOf<EvidenceScope>(['none', 'failures', 'all']);

/** The values of a run; throws a UsageError for an option that cannot be used. */
export function valuesOf(options: JudgeOptions): RunValues {
  checkKinds(options);
  const { apiKey, rateLimitKey, signal, onProgress, baseUrl, only, today, waivers, headers = {}, ...plain } = options;
  const { categoryIds, petIds, plan, rateLimitPlan, evidence, ...others } = plain;
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  return {
    ...readValues('run', new Map()),
    ...Object.fromEntries(given),
    ...(baseUrl === undefined ? {} : { baseUrl: readBaseUrl(baseUrl, 'baseUrl') }),
    ...(plan === undefined ? {} : { plan: readPlan(plan, 'plan') }),
    ...(rateLimitPlan === undefined ? {} : { rateLimitPlan: readPlan(rateLimitPlan, 'rateLimitPlan') }),
    ...(evidence === undefined ? {} : { evidence: readEvidence(evidence, 'evidence') }),
    ...(only === undefined ? {} : { only: new Set(only.flatMap((text) => readRequirements(text, 'only'))) }),
    ...(today === undefined ? {} : { today: readDate(today) }),
    ...(waivers === undefined ? {} : { waivers: readWaiverList(waivers, 'waivers') }),
    categoryIds: readIds(categoryIds, 'categoryIds'),
    petIds: readIds(petIds, 'petIds'),
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => readHeader(`${name}: ${value}`, name))),
    reporters: [],
  };
}

function checkKey(name: string, key: string): string {
  const complaint = key === '' ? 'is empty' : complaintOfKey(key);
  if (complaint === undefined) return key;
  throw new UsageError(`${name} ${complaint}.`);
}

/** The keys of a target at an address; throws a UsageError that tells none of them. */
export function keysOf({ apiKey, rateLimitKey }: JudgeOptions): Target['keys'] {
  if (apiKey === undefined) throw new UsageError('apiKey is missing: a target at an address needs a key.');
  if (rateLimitKey === apiKey) throw new UsageError('rateLimitKey must be another key: it will be exhausted.');
  return {
    api: checkKey('apiKey', apiKey),
    ...(rateLimitKey === undefined ? {} : { rateLimit: checkKey('rateLimitKey', rateLimitKey) }),
  };
}
