/** Groups failures by cause: one defect may break many requirements in many exchanges, and is shown once. */

import type { Report, ReportedFailure, ReportedRequirement } from '../verdict/report.ts';
import { brokenRequirements, type Mark, markOf } from './words.ts';

/** A requirement, with those of its failures that have the cause. */
export interface BrokenRequirement {
  readonly requirement: ReportedRequirement;
  readonly failures: readonly [ReportedFailure, ...ReportedFailure[]];
}

export interface Cause {
  /** The worst mark among its requirements: fail before warn before waived. */
  readonly mark: Mark;
  /** The failure that is shown for all of them. */
  readonly failure: ReportedFailure;
  /** The requirement of the shown failure comes first. */
  readonly requirements: readonly [BrokenRequirement, ...BrokenRequirement[]];
}

/** The worst first. */
const severity: readonly Mark[] = ['fail', 'warn', 'waived'];

function severityOf({ requirement }: BrokenRequirement): number {
  return severity.indexOf(markOf(requirement));
}

/** Failures of one requirement with one code have one cause. */
function brokenBy(requirement: ReportedRequirement): readonly BrokenRequirement[] {
  const byCode = Map.groupBy(requirement.failures, ({ code }) => code);
  return [...byCode.values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ requirement, failures: [first, ...rest] as const }],
  );
}

/** Characters of a message that are compared; differences behind them are values. */
const longestShape = 500;

/** A message without the values that differ between exchanges. A status stays, since it says what went wrong. */
function shapeOf({ code, message }: ReportedFailure): string {
  const shape = message
    .slice(0, longestShape)
    .replace(/"(?:\\.|[^"\\])*"/g, '""')
    .replace(/-?\b(?![1-5]\d\d\b)\d+(?:\.\d+)?\b/g, '0');
  return `${code}: ${shape}`;
}

/**
 * Requirements that share one of these keys share a cause: the same defect, or the same last exchange. Every answer has the
 * headers of §8, so an answer that is wrong in them and elsewhere has two causes. Within one requirement every shared
 * exchange counts, since a wrong answer is cited with the exchanges that it is compared with.
 */
function keysOf({ requirement, failures: [failure] }: BrokenRequirement): readonly string[] {
  const withinRequirement = failure.exchanges.map((number) => `${requirement.id} #${number}`);
  const part = requirement.section === '8' ? 'limits of ' : '';
  return [shapeOf(failure), `${part}#${failure.exchanges.at(-1)}`, ...withinRequirement];
}

interface Group {
  readonly keys: readonly string[];
  readonly members: readonly BrokenRequirement[];
}

/** Adds a requirement to the groups with which it shares a key, and merges those groups. */
function join(groups: readonly Group[], broken: BrokenRequirement): readonly Group[] {
  const keys = keysOf(broken);
  const { true: related = [], false: others = [] } = Object.groupBy(groups, (group) =>
    group.keys.some((key) => keys.includes(key)) ? 'true' : 'false',
  );
  const joined = {
    keys: [...related.flatMap((group) => group.keys), ...keys],
    members: [...related.flatMap(({ members }) => members), broken],
  };
  return [...others, joined];
}

function byRequirement(members: readonly BrokenRequirement[]): readonly BrokenRequirement[] {
  const all = Map.groupBy(members, ({ requirement }) => requirement);
  return [...all].flatMap(([requirement, [first, ...rest]]) => {
    if (first === undefined) return [];
    return [{ requirement, failures: [...first.failures, ...rest.flatMap((one) => one.failures)] as const }];
  });
}

function causeOf({ members }: Group): readonly Cause[] {
  const [first, ...rest] = byRequirement(members).toSorted((one, other) => severityOf(one) - severityOf(other));
  if (first === undefined) return [];
  return [{ mark: markOf(first.requirement), failure: first.failures[0], requirements: [first, ...rest] }];
}

/** The causes of all failures and warnings: the worst first, then in the order of the interface. */
export function causesOf(report: Pick<Report, 'requirements'>): readonly Cause[] {
  const broken = brokenRequirements(report).flatMap(brokenBy);
  const place = ({ failure }: Cause): number => broken.findIndex(({ failures }) => failures[0] === failure);
  return broken
    .reduce<readonly Group[]>(join, [])
    .flatMap(causeOf)
    .sort((one, other) => severity.indexOf(one.mark) - severity.indexOf(other.mark) || place(one) - place(other));
}
