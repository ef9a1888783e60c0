/** The report: the run as one frozen value, which every reporter and the exit code are a function of. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import type { Plan } from '../../spec/facts.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { Level } from '../../spec/requirements.ts';
import type { SectionId } from '../../spec/sections.ts';
import type { CredentialKind, Exchange, Operation, RecordedResponse } from '../http/exchange.ts';
import type { Recheck } from './finding.ts';
import type { JudgedInteraction, RunVerdict } from './outcome.ts';
import type { Verdict } from './verdict.ts';
import type { Waiver, WaiverState } from './waivers.ts';

/** One reason for a verdict of fail or warn. `code` is stable; `message` has the form "expected …, received …". */
export interface ReportedFailure {
  readonly code: string;
  readonly message: string;
  /** Numbers of the exchanges that show it. */
  readonly exchanges: readonly number[];
  /** Sends the last of them again; for a client, starts the service variant that shows the failure. */
  readonly curl: string;
  /** Numbers of the requests that, sent again in this order, show it on their own: the shortest sequence found. */
  readonly sequence?: readonly number[];
}

/** A requirement and its verdict. `evidence` is the number of exchanges that bear it, and never 0 for a pass. */
export interface ReportedRequirement {
  readonly id: AnyRequirementId;
  readonly section: SectionId;
  readonly level: Level;
  readonly text: string;
  readonly verdict: Verdict;
  readonly evidence: number;
  /** Of a pass: numbers of some of the exchanges that bear it, the first. */
  readonly examples?: readonly number[];
  readonly reason?: string;
  readonly failures: readonly ReportedFailure[];
  readonly waiver?: Waiver & { readonly state: WaiverState };
  /** Of a requirement that fails: what came of asking once more. A flaky one fails all the same. */
  readonly recheck?: Recheck;
  /** Of a failure that drawn sequences found: whether shorter sequences were tried to the end. */
  readonly shrinking?: 'finished' | 'stopped';
}

/** An interaction of a pact, and what came of it. */
export interface ReportedInteraction extends JudgedInteraction {
  readonly consumer: string;
  /** The names of its provider states. */
  readonly states: readonly string[];
  /** Numbers of the exchanges that bear it: those that reached its states, and its own as the last. */
  readonly exchanges: readonly number[];
}

/** What the reference server answers to the same request, after the same others: it chooses where the interface is silent. */
export type ReferenceAnswer = Pick<RecordedResponse, 'status' | 'headers' | 'body' | 'bodyLength'>;

/** An exchange as a report carries it. */
export interface ReportedExchange {
  readonly number: number;
  readonly check: string;
  readonly operation: Operation;
  /** In words. */
  readonly credential: string;
  readonly credentialId: string;
  readonly request: Exchange['request'];
  readonly response?: Exchange['response'];
  readonly failure?: Exchange['failure'];
  /** Of an exchange that shows a failure. */
  readonly reference?: ReferenceAnswer;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly durationMs: number;
}

/** One run of a client under a service variant. */
export interface ReportedClientRun {
  /** How the service differs from the reference server. */
  readonly id: string;
  readonly isPassed: boolean;
  /** How the client ended. */
  readonly ending: string;
  readonly durationMs: number;
  readonly requests: number;
  /** The file with the output of the client. */
  readonly output?: string;
}

/** What the self-test of a kit found: faults are to be found, variants are to be left alone. */
export interface SelfTestFigures {
  readonly faults: number;
  readonly found: number;
  /** How many of them the first version of a developer may well have. */
  readonly ordinary: number;
  /** How many of the ordinary ones are found in the first requests of a run. */
  readonly within: readonly { readonly requests: number; readonly found: number }[];
  readonly variants: number;
  readonly falseFailures: number;
}

/** The kit that judged. */
export interface ReportedKit {
  readonly name: string;
  readonly version: string;
  /** Of its sources, 40 hex digits; absent where that is not known. */
  readonly commit?: string;
  readonly selfTest: SelfTestFigures;
}

/** What the user said of a run, so that it can be run again; never a key. Durations in milliseconds. */
export interface ReportedSettings {
  readonly plan?: Plan;
  readonly rateLimitPlan?: Plan;
  /** Absent where all was asked for. */
  readonly only?: readonly AnyRequirementId[];
  readonly maxRequests: number;
  readonly maxCreates: number;
  readonly isReadOnly: boolean;
  /** Int64, as text. */
  readonly categoryIds: readonly string[];
  readonly petIds: readonly string[];
  readonly concurrency: number;
  readonly settleMs: number;
  readonly maxWaitMs: number;
  readonly timeoutMs?: number;
  readonly isDisposable: boolean;
  readonly nameTemplate?: string;
  /** RFC 3339. */
  readonly today: string;
  readonly requiresAll: boolean;
  readonly waivers: readonly AnyRequirementId[];
  /** Names of what was sent for gateways, never values. */
  readonly gatewayHeaders: readonly string[];
  readonly hasRateLimitKey: boolean;
}

/** Requirements by verdict; `judged` are those that passed, failed or warned. */
export type VerdictCounts = Readonly<Record<Verdict | 'total' | 'judged', number>>;

/** A time in which the run sent nothing, and why. */
export interface ReportedWait {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly why: string;
}

/** One exchange in a row: when it was, how long it took, and what its headers said of the rate limit (§8). */
export interface TimelineRow {
  readonly number: number;
  readonly check: string;
  readonly operation: Operation;
  /** Absent where there was no answer. */
  readonly status?: number;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly credential: CredentialKind;
  readonly limit?: number;
  readonly remaining?: number;
  /** Unix seconds. */
  readonly reset?: number;
}

/** design: stable and versioned; conformance/report.schema.json describes it. */
export interface Report {
  readonly format: 'petstore-conformance-report';
  readonly formatVersion: 1;
  readonly kit: ReportedKit;
  /** The version of Node, as v24.1.0. */
  readonly node: string;
  readonly settings: ReportedSettings;
  readonly interface: { readonly name: string; readonly version: string };
  readonly target: {
    readonly baseUrl: string;
    /** The embedded reference server was judged, since no address was given. */
    readonly isEmbedded?: true;
  };
  /** Set if a client was judged instead of a service: its command, and its runs. */
  readonly client?: {
    readonly command: readonly string[];
    /** The number of services that the client works with, of those that it ran under. */
    readonly worksWith: number;
    readonly ranWith: number;
    /** The number of answers, alone or together, that break the client if a service gives another. */
    readonly reliesOn: number;
    readonly services: readonly ReportedClientRun[];
  };
  /** RFC 3339. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seed: number;
  readonly verdict: RunVerdict;
  readonly exitCode: 0 | 1 | 3 | 4;
  /** Why the run is inconclusive, or ended early. */
  readonly reason?: string;
  readonly requests: number;
  readonly creates: number;
  /** Requests that were owed an answer and got none, those that were answered when they were asked again included. */
  readonly unanswered: number;
  readonly counts: VerdictCounts;
  readonly requirements: readonly ReportedRequirement[];
  /** Of a verification of pacts only. */
  readonly interactions?: readonly ReportedInteraction[];
  readonly gaps: readonly {
    readonly id: GapId;
    readonly section: SectionId;
    readonly question: string;
    /** Ids of answers, more than one where the target answers differently; null where nothing showed it. */
    readonly observed: string | null;
    /** The number of an exchange that shows the first of them. */
    readonly example?: number;
  }[];
  /** Animals that the run leaves behind: nothing can be deleted through the interface. */
  readonly created: readonly { readonly id: string; readonly name: string }[];
  readonly waits: readonly ReportedWait[];
  /** A row for every exchange, in the order in which they ended, whichever of them the report carries whole. */
  readonly timeline: readonly TimelineRow[];
  /** Of recorded traffic: how many more exchanges were judged, which neither the timeline nor the evidence holds. */
  readonly omittedExchanges?: number;
  /** By what the user asks for: those that failures cite, with the creations that these rest on; all; or none. */
  readonly exchanges: readonly ReportedExchange[];
}

/** Which exchanges a report carries. */
export type EvidenceScope = 'none' | 'failures' | 'all';
