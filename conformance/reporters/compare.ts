/** Compares several reports with the first of them: requirements, interactions and answers to gaps. */

import type { GapId } from '../../spec/gaps.ts';
import { markOf } from '../verdict/causes.ts';
import { sentenceOf } from '../verdict/failure.ts';
import { reasonInWords } from '../verdict/reasons.ts';
import type { Report } from '../verdict/report.ts';
import { headlineOf } from './headline.ts';
import type { Mark } from './marks.ts';
import { subjectOf, titleOfInteraction } from './view.ts';

/**
 * How a requirement changed. `regression`: it passed and fails; `warning`: it passed and warns; `waived`: it passed and
 * fails with a waiver; `failing`: it was not judged and fails; `lost`: it passed and is not judged any more.
 */
export type Change = 'regression' | 'warning' | 'waived' | 'failing' | 'fix' | 'lost';

function isBroken(verdict: Mark | undefined): boolean {
  return verdict === 'fail' || verdict === 'warn' || verdict === 'waived';
}

/** What becomes of a requirement that passed, where it is not `lost`. */
const sincePass: { readonly [After in Mark]?: Change } = { fail: 'regression', warn: 'warning', waived: 'waived' };

/** How a verdict changed, undefined where it did not, or where one report does not have it. */
function changeOf(before: Mark | undefined, after: Mark | undefined): Change | undefined {
  if (before === undefined || after === undefined || after === before) return undefined;
  if (before === 'pass') return sincePass[after] ?? (after === 'not-applicable' ? undefined : 'lost');
  if (isBroken(before)) return after === 'pass' ? 'fix' : undefined;
  return after === 'fail' ? 'failing' : undefined;
}

type Named = readonly [name: string, mark: Mark, message: string];

function namedIn({ requirements, interactions = [] }: Report): readonly Named[] {
  return [
    ...requirements.map((one): Named => {
      const [failure] = one.failures;
      return [`§${one.section} ${one.id}`, markOf(one), failure === undefined ? '' : sentenceOf(failure)];
    }),
    ...interactions.map((one): Named => [titleOfInteraction(one), one.verdict, '']),
  ];
}

/** What some report does not pass, or what changed. */
export type ComparedVerdict = ReturnType<typeof compareVerdicts>[number];

/** What is broken or changed somewhere, requirements first. What only one of the reports judged is no change. */
function compareVerdicts(reports: readonly Report[]) {
  const byReport = reports.map((report) => new Map(namedIn(report).map((one) => [one[0], one])));
  const names = [...new Set(byReport.flatMap((one) => [...one.keys()]))];
  return names.flatMap((name) => {
    const found = byReport.map((one) => one.get(name));
    /** By report; undefined where a report has none. */
    const verdicts = found.map((one) => one?.[1]);
    /** By report: how it changed, which the first did not. */
    const changes = verdicts.map((verdict, at) => (at === 0 ? undefined : changeOf(verdicts[0], verdict)));
    const isShown = verdicts.some(isBroken) || changes.some((change) => change !== undefined);
    /** Of the last report in which it is broken. */
    const message = found.findLast((one) => (one?.[2] ?? '') !== '')?.[2] ?? '';
    return isShown ? [{ name, verdicts, changes, message }] : [];
  });
}

/** Pairs of answers that one unchanged service may give at different times, depending on other traffic. */
const interchangeable: { readonly [Id in GapId]?: readonly string[] } = {
  // Animals that others create meanwhile leave gaps between ids.
  'id-form': ['sequential rising'],
  'list-order': ['oldest-first by-id'],
  // How a window moves shows only while it moves.
  'rate-limit-window': [
    ...['at-most-a-minute minute', 'at-most-a-minute tightest', 'at-most-a-minute sliding', 'at-most-a-minute moving'],
    ...['moving sliding', 'minute tightest', 'day tightest'],
  ],
};

/** Whether two services choose differently. Further answers of one of them are no difference. */
function isChanged(id: GapId, one: readonly string[], other: readonly string[]): boolean {
  const isIn = (answers: readonly string[], answer: string): boolean =>
    answers.includes(answer) ||
    (interchangeable[id] ?? []).some((pair) => {
      const either = pair.split(' ');
      return either.includes(answer) && answers.some((each) => either.includes(each));
    });
  return !one.every((answer) => isIn(other, answer)) && !other.every((answer) => isIn(one, answer));
}

/** The gaps that reports answer differently: ids of answers by report, empty where none was observed. */
function compareProfiles(reports: readonly Report[]) {
  const [first] = reports;
  return (first?.gaps ?? []).flatMap(({ id, section }) => {
    const answers = reports.map(({ gaps }) => gaps.find((gap) => gap.id === id)?.observed ?? []);
    const known = answers.filter((one) => one.length > 0);
    const isDifferent = known.some((one, at) => known.slice(at + 1).some((other) => isChanged(id, one, other)));
    return isDifferent ? [{ id, section, answers }] : [];
  });
}

const firstLetter = 'A'.codePointAt(0)!;

export type Comparison = ReturnType<typeof compareReports>;

export function compareReports(reports: readonly Report[]) {
  return {
    reports: reports.map((report, at) => ({
      /** A, B, C… */
      label: String.fromCodePoint(firstLetter + at),
      subject: subjectOf(report),
      startedAt: report.startedAt,
      headline: headlineOf(report).text,
      exitCode: report.exitCode,
      /** Why it could not be judged, or ended early. */
      reason: reasonInWords(report.reason),
    })),
    verdicts: compareVerdicts(reports),
    profile: compareProfiles(reports),
  };
}

/** The number of requirements and interactions with a change, in any of the later reports. */
export function countChanges({ verdicts }: Comparison, wanted: Change): number {
  return verdicts.filter(({ changes }) => changes.includes(wanted)).length;
}
