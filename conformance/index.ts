/**
 * The public surface of the kit, for programs that run it themselves.
 *
 * @module petstore-conformance
 */

export type { ClientStatementId, StatementId } from '../spec/client-statements.ts';
export type { OperationName, Plan } from '../spec/facts.ts';
export { type AnswerId, type Gap, type GapChoices, type GapId, gaps, type OpenGapId } from '../spec/gaps.ts';
export { type Level, type Need, type Requirement, type RequirementId, requirements } from '../spec/requirements.ts';
export { conformanceSuite } from './checks/index.ts';
export { UsageError } from './command-line/usage-error.ts';
export type {
  Check,
  Finding,
  Invariant,
  Observation,
  Observer,
  Recheck,
  Scenario,
  Suite,
} from './engine/check.ts';
export type { Keys, SentCredential } from './engine/evidence/credentials.ts';
export type {
  Credential,
  CredentialKind,
  CurlCredential,
  Exchange,
  Operation,
  RecordedRequest,
  RecordedResponse,
} from './engine/evidence/exchange.ts';
export type { Clock } from './engine/pace.ts';
export type { Demands, InteractionVerdict, JudgedInteraction, RunVerdict } from './engine/report/outcome.ts';
export type {
  EvidenceScope,
  ReferenceAnswer,
  Report,
  ReportedExchange,
  ReportedFailure,
  ReportedInteraction,
  ReportedKit,
  ReportedRequirement,
  ReportedSettings,
  ReportedWait,
  ReportedWorld,
  SelfTestFigures,
  StatementCounts,
  TimelineRow,
} from './engine/report/report.ts';
export type { Verdict } from './engine/report/verdict.ts';
export type { Waiver, WaiverState, Waivers } from './engine/report/waivers.ts';
export { type RunOptions, runConformance } from './engine/run.ts';
export type { Settings } from './engine/settings.ts';
export { fetchTransport, type Incoming, type Outgoing, type Transport, TransportError } from './engine/transport.ts';
export { conformanceTests, type TestFunction } from './library/conformance-tests.ts';
export { judge } from './library/judge.ts';
export type { JudgeOptions, ProgressEvent } from './library/judge-options.ts';
export { type ReporterName, render, reporters } from './reporters/index.ts';
