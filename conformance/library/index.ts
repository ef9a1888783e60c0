/** The public surface of the kit, for programs that run it themselves. */

export type { AnyRequirementId, ClientRequirementId } from '../../spec/client-requirements.ts';
export type { Plan } from '../../spec/facts.ts';
export { type Gap, type GapId, gaps } from '../../spec/gaps.ts';
export type { Operation, OperationName } from '../../spec/operations.ts';
export { type Level, type Need, type Requirement, type RequirementId, requirements } from '../../spec/requirements.ts';
export type { SectionId } from '../../spec/sections.ts';
export type { Credential, CredentialKind, Exchange, RecordedRequest, RecordedResponse } from '../http/exchange.ts';
export { reporters } from '../reporters/index.ts';
export type { ReporterName } from '../reporters/names.ts';
export type { NextRun } from '../reporters/next-run.ts';
export { UsageError } from '../run/usage-error.ts';
export type { FailureFacts, Recheck } from '../verdict/finding.ts';
export type { InteractionVerdict, JudgedInteraction, Outcome } from '../verdict/outcome.ts';
export type { Reason, ReasonCode } from '../verdict/reasons.ts';
export type {
  Report,
  ReportedCause,
  ReportedClientRun,
  ReportedExchange,
  ReportedFailure,
  ReportedInteraction,
  ReportedRequirement,
  ReportedSettings,
  ReportedWait,
  TimelineRow,
} from '../verdict/report.ts';
export type { AppliedWaiver, JudgedRequirement, Verdict, Waiver, WaiverState } from '../verdict/verdict.ts';
export type { Where, WhereTrait } from '../verdict/where.ts';
export { conformanceTests, type TestFunction } from './conformance-tests.ts';
export { type JudgeOptions, judge } from './judge.ts';
export { render } from './render.ts';
