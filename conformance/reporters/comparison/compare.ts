/** Compares several reports with the first of them: requirements, interactions and answers to gaps. */

import type { AnyRequirementId } from '../../../spec/client-requirements.ts';
import { defined } from '../../../spec/defined.ts';
import type { GapId } from '../../../spec/gaps.ts';
import type { SectionId } from '../../../spec/sections.ts';
import { type Mark, markOf } from '../../verdict/causes.ts';
import { sentenceOf } from '../../verdict/failure.ts';
import type { InteractionVerdict } from '../../verdict/outcome.ts';
import type { Report, ReportedRequirement } from '../../verdict/report.ts';
import { headlineOf } from '../headline.ts';
import { subjectOf, titleOf } from '../words.ts';

/**
 * How a requirement changed. `regression`: it passed and fails; `warning`: it passed and warns; `waived`: it passed and
 * fails with a waiver; `failing`: it was not judged and fails; `lost`: it passed and is not judged any more.
 */
export type Change = 'regression' | 'warning' | 'waived' | 'failing' | 'fix' | 'lost';

type Verdict = Mark | InteractionVerdict;

export interface ComparedReport {
  /** A, B, C… */
  readonly label: string;
  readonly baseUrl: string;
  /** The address, or the embedded server, in words. */
  readonly subject: string;
  readonly startedAt: string;
  readonly headline: string;
  readonly exitCode: Report['exitCode'];
  /** Why it could not be judged, or ended early. */
  readonly reason?: string;
}

/** Verdicts by report, undefined where a report has none; and how each changed, which the first did not. */
interface Compared<Verdict> {
  readonly verdicts: readonly (Verdict | undefined)[];
  readonly changes: readonly (Change | undefined)[];
}

export interface ComparedRequirement extends Compared<Mark> {
  readonly id: AnyRequirementId;
  readonly section: SectionId;
  readonly text: string;
  /** The message of the last report in which it is broken. */
  readonly message?: string;
}

export interface ComparedInteraction extends Compared<InteractionVerdict> {
  readonly title: string;
}

/** A gap that reports answer differently. */
export interface ComparedGap {
  readonly id: GapId;
  readonly section: SectionId;
  readonly question: string;
  /** Ids of answers by report; empty where none was observed. */
  readonly answers: readonly (readonly string[])[];
}

export interface Comparison {
  readonly format: 'petstore-conformance-comparison';
  readonly formatVersion: 1;
  readonly reports: readonly ComparedReport[];
  readonly requirements: readonly ComparedRequirement[];
  readonly interactions: readonly ComparedInteraction[];
  readonly profile: readonly ComparedGap[];
}

function isBroken(verdict: Verdict | undefined): boolean {
  return verdict === 'fail' || verdict === 'warn' || verdict === 'waived';
}

/** How a verdict changed, undefined where it did not, or where one report does not have it. */
function changeOf(before: Verdict | undefined, after: Verdict | undefined): Change | undefined {
  if (before === undefined || after === undefined || after === before) return undefined;
  if (before === 'pass') {
    if (after === 'fail') return 'regression';
    if (after === 'warn') return 'warning';
    if (after === 'waived') return 'waived';
    return after === 'not-applicable' ? undefined : 'lost';
  }
  if (isBroken(before)) return after === 'pass' ? 'fix' : undefined;
  return after === 'fail' ? 'failing' : undefined;
}

/** The verdicts with their changes, if they are worth showing. Those of a requirement that only one run judged are not. */
function compared<Some extends Verdict>(verdicts: readonly (Some | undefined)[]): readonly Compared<Some>[] {
  const changes = verdicts.map((verdict, at) => (at === 0 ? undefined : changeOf(verdicts[0], verdict)));
  const isShown = verdicts.some(isBroken) || changes.some((change) => change !== undefined);
  return isShown ? [{ verdicts, changes }] : [];
}

function compareRequirements(reports: readonly Report[]): readonly ComparedRequirement[] {
  const byReport = reports.map(({ requirements }) => new Map(requirements.map((one) => [one.id, one])));
  const all = new Map<AnyRequirementId, ReportedRequirement>(byReport.flatMap((one) => [...one]));
  return [...all.values()].flatMap(({ id, section, text }) => {
    const found = byReport.map((one) => one.get(id));
    const failure = found.findLast((one) => (one?.failures.length ?? 0) > 0)?.failures[0];
    const message = failure && sentenceOf(failure);
    const verdicts = found.map((one) => one && markOf(one));
    return compared(verdicts).map((rest) => defined({ id, section, text, ...rest, message }));
  });
}

function compareInteractions(reports: readonly Report[]): readonly ComparedInteraction[] {
  const byReport = reports.map(
    ({ interactions = [] }) => new Map(interactions.map((one) => [titleOf(one), one.verdict])),
  );
  return [...new Set(byReport.flatMap((one) => [...one.keys()]))].flatMap((title) =>
    compared(byReport.map((one) => one.get(title))).map((rest) => ({ title, ...rest })),
  );
}

/** Pairs of answers that one unchanged service may give at different times, depending on other traffic. */
const interchangeable: { readonly [Id in GapId]?: readonly (readonly [string, string])[] } = {
  // Animals that others create meanwhile leave gaps between ids.
  'id-form': [['sequential', 'rising']],
  'list-order': [['oldest-first', 'by-id']],
  // How a window moves shows only while it moves.
  'rate-limit-window': [
    ['at-most-a-minute', 'minute'],
    ['at-most-a-minute', 'tightest'],
    ['at-most-a-minute', 'sliding'],
    ['at-most-a-minute', 'moving'],
    ['moving', 'sliding'],
    ['minute', 'tightest'],
    ['day', 'tightest'],
  ],
};

/** Whether two services choose differently. Further answers of one of them are no difference. */
function isChanged(id: GapId, one: readonly string[], other: readonly string[]): boolean {
  const isIn = (answers: readonly string[], answer: string): boolean =>
    answers.includes(answer) ||
    (interchangeable[id] ?? []).some((pair) => pair.includes(answer) && answers.some((each) => pair.includes(each)));
  return !one.every((answer) => isIn(other, answer)) && !other.every((answer) => isIn(one, answer));
}

function compareProfiles(reports: readonly Report[]): readonly ComparedGap[] {
  const [first] = reports;
  return (first?.gaps ?? []).flatMap(({ id, section, question }) => {
    const answers = reports.map(({ gaps }) => gaps.find((gap) => gap.id === id)?.observed ?? []);
    const known = answers.filter((one) => one.length > 0);
    const isDifferent = known.some((one, at) => known.slice(at + 1).some((other) => isChanged(id, one, other)));
    return isDifferent ? [{ id, section, question, answers }] : [];
  });
}

const firstLetter = 'A'.codePointAt(0)!;

export function compareReports(reports: readonly Report[]): Comparison {
  return {
    format: 'petstore-conformance-comparison',
    formatVersion: 1,
    reports: reports.map((report, at) => ({
      label: String.fromCodePoint(firstLetter + at),
      baseUrl: report.target.baseUrl,
      subject: subjectOf(report),
      startedAt: report.startedAt,
      headline: headlineOf(report),
      exitCode: report.exitCode,
      ...defined({ reason: report.reason }),
    })),
    requirements: compareRequirements(reports),
    interactions: compareInteractions(reports),
    profile: compareProfiles(reports),
  };
}

/** The number of requirements and interactions with a change, in any of the later reports. */
export function countChanges({ requirements, interactions }: Comparison, wanted: Change): number {
  return [...requirements, ...interactions].filter(({ changes }) => changes.includes(wanted)).length;
}
