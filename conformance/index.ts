/** The public surface of the kit, for programs that run it themselves. */

export type { Plan } from '../spec/facts.ts';
export { type Gap, type GapChoices, type GapId, gaps } from '../spec/gaps.ts';
export { type Level, type Requirement, type RequirementId, requirements } from '../spec/requirements.ts';
export { conformanceSuite } from './checks/index.ts';
export type { Check, Finding, Invariant, Observer, Scenario, Suite } from './engine/check.ts';
export type { Credential, Exchange, Operation } from './engine/exchange.ts';
export type { RunVerdict } from './engine/outcome.ts';
export type { Clock } from './engine/pace.ts';
export type {
  ReferenceAnswer,
  Report,
  ReportedExchange,
  ReportedFailure,
  ReportedInteraction,
  ReportedKit,
  ReportedRequirement,
  ReportedSettings,
  ReportedWait,
  SelfTestFigures,
  StatementCounts,
  TimelineRow,
} from './engine/report.ts';
export { type RunOptions, runConformance } from './engine/run.ts';
export type { Settings } from './engine/settings.ts';
export { fetchTransport, type Incoming, type Outgoing, type Transport, TransportError } from './engine/transport.ts';
export type { Verdict } from './engine/verdict.ts';
export { type ReporterName, reporters } from './reporters/index.ts';
