/** What several reports say of the same requirements and questions: the first of them is what the others are held against. */

import type { AnyRequirementId } from '../../../spec/client-requirements.ts';
import type { GapId } from '../../../spec/gaps.ts';
import type { SectionId } from '../../../spec/sections.ts';
import type { InteractionVerdict } from '../../verdict/outcome.ts';
import type { Report, ReportedRequirement } from '../../verdict/report.ts';
import { headlineOf } from '../headline.ts';
import { type Mark, markOf, titleOf } from '../words.ts';

/**
 * What became of a requirement. `regression`: it held and fails; `warning`: the same of one that is advised; `waived`: of
 * one that a waiver excuses; `failing`: it fails and was not judged before; `lost`: it held and is not judged.
 */
export type Change = 'regression' | 'warning' | 'waived' | 'failing' | 'fix' | 'lost';

type Verdict = Mark | InteractionVerdict;

export interface ComparedReport {
  /** A, B, C… */
  readonly label: string;
  readonly baseUrl: string;
  readonly startedAt: string;
  readonly headline: string;
  readonly exitCode: Report['exitCode'];
  /** Why it could not be judged, or ended early. */
  readonly reason?: string;
}

export interface ComparedRequirement {
  readonly id: AnyRequirementId;
  readonly section: SectionId;
  readonly text: string;
  /** By report, undefined where one does not tell it. */
  readonly verdicts: readonly (Mark | undefined)[];
  /** By report; the first has none. */
  readonly changes: readonly (Change | undefined)[];
  /** What the last report in which it is broken says of it. */
  readonly message?: string;
}

export interface ComparedInteraction {
  readonly title: string;
  readonly verdicts: readonly (InteractionVerdict | undefined)[];
  readonly changes: readonly (Change | undefined)[];
}

/** An open question that reports answer differently. */
export interface ComparedGap {
  readonly id: GapId;
  readonly section: SectionId;
  readonly question: string;
  /** Ids of answers by report; empty where nothing showed one. */
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

/** What became of a requirement that had one verdict and has another. What one report leaves out tells nothing. */
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

function changesIn(verdicts: readonly (Verdict | undefined)[]): readonly (Change | undefined)[] {
  return verdicts.map((verdict, at) => (at === 0 ? undefined : changeOf(verdicts[0], verdict)));
}

/** Whether a row tells anything: that one run was asked about more than another tells nothing of what they judged. */
function isTelling(verdicts: readonly (Verdict | undefined)[]): boolean {
  return verdicts.some(isBroken) || changesIn(verdicts).some((change) => change !== undefined);
}

function compareRequirements(reports: readonly Report[]): readonly ComparedRequirement[] {
  const told = reports.map(({ requirements }) => new Map(requirements.map((one) => [one.id, one])));
  const all = new Map<AnyRequirementId, ReportedRequirement>(told.flatMap((one) => [...one]));
  return [...all.values()].flatMap(({ id, section, text }) => {
    const own = told.map((one) => one.get(id));
    const verdicts = own.map((one) => one && markOf(one));
    if (!isTelling(verdicts)) return [];
    const message = own.findLast((one) => (one?.failures.length ?? 0) > 0)?.failures[0]?.message;
    return [
      { id, section, text, verdicts, changes: changesIn(verdicts), ...(message === undefined ? {} : { message }) },
    ];
  });
}

function compareInteractions(reports: readonly Report[]): readonly ComparedInteraction[] {
  const told = reports.map(({ interactions = [] }) => new Map(interactions.map((one) => [titleOf(one), one.verdict])));
  return [...new Set(told.flatMap((one) => [...one.keys()]))].flatMap((title) => {
    const verdicts = told.map((one) => one.get(title));
    return isTelling(verdicts) ? [{ title, verdicts, changes: changesIn(verdicts) }] : [];
  });
}

/** Answers that one service may show at one time and another at the next, by what else goes on: no change of it. */
const alike: { readonly [Id in GapId]?: readonly (readonly [string, string])[] } = {
  // Others who create meanwhile leave gaps between ids.
  'id-form': [['sequential', 'rising']],
  'list-order': [['oldest-first', 'by-id']],
  // How a window moves shows only to those who are there when it does.
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

/** Whether two services choose differently: where one of them was only asked more, nothing says so. */
function isChanged(id: GapId, one: readonly string[], other: readonly string[]): boolean {
  const isIn = (answers: readonly string[], answer: string): boolean =>
    answers.includes(answer) ||
    (alike[id] ?? []).some((pair) => pair.includes(answer) && answers.some((each) => pair.includes(each)));
  return !one.every((answer) => isIn(other, answer)) && !other.every((answer) => isIn(one, answer));
}

function compareProfiles(reports: readonly Report[]): readonly ComparedGap[] {
  const [first] = reports;
  return (first?.gaps ?? []).flatMap(({ id, section, question }) => {
    const answers = reports.map(({ gaps }) => {
      const observed = gaps.find((gap) => gap.id === id)?.observed ?? '';
      return observed.split(', ').filter(Boolean);
    });
    const known = answers.filter((one) => one.length > 0);
    const isDifferent = known.some((one, at) => known.slice(at + 1).some((other) => isChanged(id, one, other)));
    return isDifferent ? [{ id, section, question, answers }] : [];
  });
}

const firstLetter = 'A'.codePointAt(0)!;

/** Holds reports against the first of them. */
export function compareReports(reports: readonly Report[]): Comparison {
  return {
    format: 'petstore-conformance-comparison',
    formatVersion: 1,
    reports: reports.map((report, at) => ({
      label: String.fromCodePoint(firstLetter + at),
      baseUrl: report.target.baseUrl,
      startedAt: report.startedAt,
      headline: headlineOf(report),
      exitCode: report.exitCode,
      ...(report.reason === undefined ? {} : { reason: report.reason }),
    })),
    requirements: compareRequirements(reports),
    interactions: compareInteractions(reports),
    profile: compareProfiles(reports),
  };
}

/** How many requirements and interactions became so, in any of the later reports. */
export function countChanges({ requirements, interactions }: Comparison, wanted: Change): number {
  return [...requirements, ...interactions].filter(({ changes }) => changes.includes(wanted)).length;
}
