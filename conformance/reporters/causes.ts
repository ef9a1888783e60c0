/** Failures by cause: one defect breaks many requirements in many exchanges, and is told once. */

import type { Report, ReportedFailure, ReportedRequirement } from '../verdict/report.ts';
import { brokenRequirements, type Mark, markOf } from './words.ts';

/** A requirement, with those of its failures that have the cause. */
export interface BrokenRequirement {
  readonly requirement: ReportedRequirement;
  readonly failures: readonly [ReportedFailure, ...ReportedFailure[]];
}

export interface Cause {
  /** What is worst of what it does: a requirement that fails, else a warning, else what is waived. */
  readonly mark: Mark;
  /** The failure that stands for all. */
  readonly failure: ReportedFailure;
  /** The requirement of that failure first. */
  readonly requirements: readonly [BrokenRequirement, ...BrokenRequirement[]];
}

/** The worst first. */
const gravity: readonly Mark[] = ['fail', 'warn', 'waived'];

function gravityOf({ requirement }: BrokenRequirement): number {
  return gravity.indexOf(markOf(requirement));
}

/** Failures of one requirement with one code have one cause. */
function brokenBy(requirement: ReportedRequirement): readonly BrokenRequirement[] {
  const byCode = Map.groupBy(requirement.failures, ({ code }) => code);
  return [...byCode.values()].flatMap(([first, ...rest]) =>
    first === undefined ? [] : [{ requirement, failures: [first, ...rest] as const }],
  );
}

/** What differs behind this is a value too. */
const longestShape = 500;

/** A message without the values that differ from exchange to exchange; a status says what went wrong and stays. */
function shapeOf({ code, message }: ReportedFailure): string {
  const shape = message
    .slice(0, longestShape)
    .replace(/"(?:\\.|[^"\\])*"/g, '""')
    .replace(/-?\b(?![1-5]\d\d\b)\d+(?:\.\d+)?\b/g, '0');
  return `${code}: ${shape}`;
}

/**
 * Requirements with one of these in common have a cause in common: the same defect, or the same answer that shows it. Of
 * one requirement every exchange tells: that of a wrong answer is cited with others to compare it with.
 */
function keysOf({ requirement, failures: [failure] }: BrokenRequirement): readonly string[] {
  const own = failure.exchanges.map((number) => `${requirement.id} #${number}`);
  return [shapeOf(failure), `#${failure.exchanges.at(-1)}`, ...own];
}

interface Group {
  readonly keys: readonly string[];
  readonly members: readonly BrokenRequirement[];
}

/** Adds a requirement to the groups with which it shares a key, which become one by that. */
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

/** One of each requirement, with all of its failures. */
function byRequirement(members: readonly BrokenRequirement[]): readonly BrokenRequirement[] {
  const all = Map.groupBy(members, ({ requirement }) => requirement);
  return [...all].flatMap(([requirement, [first, ...rest]]) => {
    if (first === undefined) return [];
    return [{ requirement, failures: [...first.failures, ...rest.flatMap((one) => one.failures)] as const }];
  });
}

function causeOf({ members }: Group): readonly Cause[] {
  const [first, ...rest] = byRequirement(members).toSorted((one, other) => gravityOf(one) - gravityOf(other));
  if (first === undefined) return [];
  return [{ mark: markOf(first.requirement), failure: first.failures[0], requirements: [first, ...rest] }];
}

/** The causes of all that fails or warns: the worst first, else in the order of the interface. */
export function causesOf(report: Pick<Report, 'requirements'>): readonly Cause[] {
  const broken = brokenRequirements(report).flatMap(brokenBy);
  const place = ({ failure }: Cause): number => broken.findIndex(({ failures }) => failures[0] === failure);
  return broken
    .reduce<readonly Group[]>(join, [])
    .flatMap(causeOf)
    .sort((one, other) => gravity.indexOf(one.mark) - gravity.indexOf(other.mark) || place(one) - place(other));
}
