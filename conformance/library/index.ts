/**
 * The public surface of the kit, for programs that run it themselves.
 *
 * @module petstore-conformance
 */

export type { AnyRequirementId, ClientRequirementId } from '../../spec/client-requirements.ts';
export type { Plan } from '../../spec/facts.ts';
export {
  type AnswerId,
  type Gap,
  type GapChoices,
  type GapId,
  gaps,
  type OpenGapId,
  type ReferenceAnswers,
  type SizedGapId,
} from '../../spec/gaps.ts';
export type { OperationName } from '../../spec/operations.ts';
export { type Level, type Need, type Requirement, type RequirementId, requirements } from '../../spec/requirements.ts';
export type { Keys, SentCredential } from '../http/credentials.ts';
export type {
  Credential,
  CredentialKind,
  CurlCredential,
  Exchange,
  Operation,
  RecordedRequest,
  RecordedResponse,
} from '../http/exchange.ts';
export { fetchTransport, type Incoming, type Outgoing, type Transport, TransportError } from '../http/transport.ts';
export { render, reporters } from '../reporters/index.ts';
export type { ReporterName } from '../reporters/names.ts';
export type { Clock } from '../run/pace.ts';
export { type RunOptions, runConformance } from '../run/run.ts';
export { UsageError } from '../run/usage-error.ts';
export { conformanceSuite, type Suite } from '../sections/index.ts';
export type { Judge, Observation, Observer } from '../sections/judge.ts';
export type { Finding, Recheck } from '../verdict/finding.ts';
export type {
  InteractionVerdict,
  JudgedInteraction,
  RunVerdict,
  VerdictOptions,
} from '../verdict/outcome.ts';
export type {
  ReferenceAnswer,
  Report,
  ReportedClientRun,
  ReportedExchange,
  ReportedFailure,
  ReportedInteraction,
  ReportedKit,
  ReportedRequirement,
  ReportedSettings,
  ReportedWait,
  SelfTestFigures,
  TimelineRow,
  VerdictCounts,
} from '../verdict/report.ts';
export type { BudgetSize, Settings } from '../verdict/settings.ts';
export type { Verdict } from '../verdict/verdict.ts';
export type { Waiver, WaiverState, Waivers } from '../verdict/waivers.ts';
export { conformanceTests, type TestFunction } from './conformance-tests.ts';
export { judge } from './judge.ts';
export type { JudgeOptions, ProgressEvent } from './judge-options.ts';
