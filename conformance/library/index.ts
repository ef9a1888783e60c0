/** The public surface of the kit, for programs that run it themselves. */

export type { AnyRequirementId, ClientRequirementId } from '../../spec/client-requirements.ts';
export { type Gap, type GapId, gaps } from '../../spec/gaps.ts';
export { type Requirement, type RequirementId, requirements } from '../../spec/requirements.ts';
export { render, reporters } from '../reporters/index.ts';
export type { ReporterName } from '../reporters/names.ts';
export { UsageError } from '../run/usage-error.ts';
export type { Report, ReportedExchange, ReportedFailure, ReportedRequirement } from '../verdict/report.ts';
export { conformanceTests, type TestFunction } from './conformance-tests.ts';
export { type JudgeOptions, judge } from './judge.ts';
