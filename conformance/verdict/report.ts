/** The report: the run as one frozen value, which every reporter and the exit code are a function of. */

import manifest from '../../package.json' with { type: 'json' };
import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import type { GapId } from '../../spec/gaps.ts';
import type { SectionId } from '../../spec/sections.ts';
import type { CredentialKind, Exchange } from '../http/exchange.ts';
import type { Settings } from '../world/settings.ts';
import type { FailureFacts } from './finding.ts';
import type { JudgedInteraction, Outcome } from './outcome.ts';
import type { JudgedRequirement, Verdict } from './verdict.ts';
import type { Where } from './where.ts';

/** The name and the version of the kit. */
export const kit = { name: 'petstore-conformance', version: manifest.version } as const;

/** One reason for a verdict of fail or warn. */
export interface ReportedFailure extends FailureFacts {
  /** A `FailureCode`, or that of another version of the kit. */
  readonly code: string;
  /** Numbers of the exchanges that show it. */
  readonly exchanges: readonly number[];
  /** Sends the last of them again; for a client, starts the legal service that shows the failure. */
  readonly curl: string;
  /** Numbers of the requests that, sent again in this order, show it on their own: the shortest sequence found. */
  readonly sequence?: readonly number[];
}

/** A requirement with its verdict and its failures. A flaky failure still fails. */
export interface ReportedRequirement extends JudgedRequirement {
  readonly failures: readonly ReportedFailure[];
  /** In which ways it fails, each once, such as "missing: on 401"; absent where it does not fail, and for a client. */
  readonly ways?: readonly string[];
}

/** Which failures have one cause, and where they show. */
export interface ReportedCause {
  /** What the mistake breaks, the requirement that shows it first; `failures` are places in the list of the requirement. */
  readonly requirements: readonly { readonly id: AnyRequirementId; readonly failures: readonly number[] }[];
  /** Absent where nothing says when the requirement holds, as for a client. */
  readonly where?: Where;
}

/** An interaction of a pact and its verdict. */
export interface ReportedInteraction extends JudgedInteraction {
  readonly consumer: string;
  /** The names of its provider states. */
  readonly states: readonly string[];
  /** The numbers of its exchanges: those that reached its provider states, then its own. */
  readonly exchanges: readonly number[];
}

/** An exchange in a report. */
export interface ReportedExchange
  extends Pick<Exchange, 'number' | 'check' | 'operation' | 'request' | 'response' | 'failure'> {
  /** The title of the credential. */
  readonly credential: string;
  readonly credentialId: string;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly durationMs: number;
}

/** One run of a client under a legal service. */
export interface ReportedClientRun {
  /** The service, as petstore-server --service takes it. */
  readonly id: string;
  readonly isPassed: boolean;
  /** How the client ended. */
  readonly ending: string;
  readonly durationMs: number;
  readonly requests: number;
  /** The file with the output of the client. */
  readonly output?: string;
  /** The last lines that it printed, where it failed. */
  readonly printed?: readonly string[];
}

/** The settings that a report shows as they are; durations in milliseconds. */
export const settingsShown = [
  'plan',
  'maxRequests',
  'maxCreates',
  'isReadOnly',
  'concurrency',
  'settleMs',
  'maxWaitMs',
  'timeoutMs',
  'isDisposable',
  'nameTemplate',
  'hasRateLimitKey',
] satisfies readonly (keyof Settings)[];

/** The options of the user, so that the run can be repeated; never a key. */
export interface ReportedSettings extends Pick<Settings, (typeof settingsShown)[number]> {
  /** Absent if all requirements were judged. */
  readonly only?: readonly AnyRequirementId[];
  /** Present if --last-failed chose these requirements. */
  readonly isLastFailed?: boolean;
  /** Int64, as text. */
  readonly categoryIds: readonly string[];
  /** RFC 3339. */
  readonly today: string;
  readonly requiresAll: boolean;
  readonly maxOutages?: number;
  readonly waivers: readonly AnyRequirementId[];
  /** The names of the headers for gateways, never their values. */
  readonly gatewayHeaders: readonly string[];
}

/** A wait of the run and its reason. */
export interface ReportedWait {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly why: string;
}

/** What one answer says is left of a rate limit (§8). */
export interface TimelineRow {
  /** RFC 3339. */
  readonly answeredAt: string;
  readonly credential: CredentialKind;
  readonly limit?: number;
  readonly remaining: number;
}

/** The JSON report: stable and versioned. conformance/report.schema.json describes it. */
export interface Report extends Outcome {
  readonly format: 'petstore-conformance-report';
  readonly formatVersion: 1;
  /** The kit that judged. */
  readonly kit: { readonly name: string; readonly version: string };
  /** The version of Node, as v24.1.0. */
  readonly node: string;
  readonly settings: ReportedSettings;
  readonly interface: { readonly name: string; readonly version: string };
  readonly target: {
    readonly baseUrl: string;
    /** The embedded reference server was judged, since no address was given. */
    readonly isEmbedded?: true;
    /** The output of the service, where the run started it. */
    readonly outputFile?: string;
  };
  /** Set if a client was judged instead of a service: its command, and its runs. */
  readonly client?: {
    readonly command: readonly string[];
    /** The number of services that the client works with, of those whose runs show something. */
    readonly worksWith: number;
    readonly ranWith: number;
    /** The number of answers that break the client if a service gives another. */
    readonly reliesOn: number;
    readonly services: readonly ReportedClientRun[];
  };
  /** RFC 3339. */
  readonly startedAt: string;
  readonly durationMs: number;
  readonly seed: number;
  readonly requests: number;
  readonly creates: number;
  /** Requirements by verdict; `judged` are those that passed, failed or warned. */
  readonly counts: Readonly<Record<Verdict | 'total' | 'judged', number>>;
  readonly requirements: readonly ReportedRequirement[];
  /** One for each mistake, in the order of the interface. */
  readonly causes: readonly ReportedCause[];
  /** Only for a verification of pacts. */
  readonly interactions?: readonly ReportedInteraction[];
  readonly gaps: readonly {
    readonly id: GapId;
    readonly section: SectionId;
    readonly question: string;
    /** Ids of answers, more than one where the target answers differently; none where nothing showed it. */
    readonly observed: readonly string[];
    /** The number of an exchange that shows the first of them. */
    readonly example?: number;
  }[];
  /** Animals that the run leaves behind, since the interface cannot delete any; without `id` where it cannot be read. None in a service that is gone. */
  readonly created: readonly { readonly id?: string; readonly name: string }[];
  readonly waits: readonly ReportedWait[];
  /** A row for every answer with a Remaining, in the order in which they came. */
  readonly timeline: readonly TimelineRow[];
  /** Sentences about the whole run, such as how many answers look like a gateway's. */
  readonly notes?: readonly string[];
  /** The exchanges that failures and interactions cite, with the creations that they need. */
  readonly exchanges: readonly ReportedExchange[];
}
