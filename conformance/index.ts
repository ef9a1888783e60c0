/** The public surface of the kit, for programs that run it themselves. */

export { type Gap, type GapChoices, type GapId, gaps } from '../spec/gaps.ts';
export { type Level, type Requirement, type RequirementId, requirements } from '../spec/requirements.ts';
export type { Check, Finding, Invariant, Observer, Scenario } from './check.ts';
export { checks } from './checks/index.ts';
export type { Credential, Exchange, Operation } from './exchange.ts';
export type {
  Report,
  ReportedExchange,
  ReportedFailure,
  ReportedInteraction,
  ReportedRequirement,
} from './report.ts';
export { type ReporterName, reporters } from './reporters/index.ts';
export { type RunOptions, runConformance } from './run.ts';
export type { Clock } from './session.ts';
export type { Plan, Settings } from './settings.ts';
export { fetchTransport, type Incoming, type Outgoing, type Transport, TransportError } from './transport.ts';
export type { RunVerdict, Verdict } from './verdict.ts';
