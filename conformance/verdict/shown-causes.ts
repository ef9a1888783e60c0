/** The causes in a report, with the requirements and failures that they name: the worst first. */

import type { Report, ReportedFailure, ReportedRequirement } from './report.ts';
import type { Verdict } from './verdict.ts';
import type { Where } from './where.ts';

/** The mark of a requirement: its verdict, unless a waiver excuses it. */
export type ShownVerdict = Verdict | 'waived';

export function shownVerdict({ verdict, waiver }: ReportedRequirement): ShownVerdict {
  return waiver?.state === 'waived' ? 'waived' : verdict;
}

type NonEmpty<One> = readonly [One, ...One[]];

/** A requirement, with those of its failures that have the cause. */
export interface BrokenRequirement {
  readonly requirement: ReportedRequirement;
  readonly failures: NonEmpty<ReportedFailure>;
}

export interface Cause {
  /** The worst mark among its requirements: fail before warn before waived. */
  readonly mark: ShownVerdict;
  /** The failure that is shown for all of them. */
  readonly failure: ReportedFailure;
  /** The requirement of the shown failure comes first. */
  readonly requirements: NonEmpty<BrokenRequirement>;
  readonly where: Where | undefined;
}

/** The worst first. */
const severity: readonly ShownVerdict[] = ['fail', 'warn', 'waived'];

function rankOf({ requirement }: BrokenRequirement): number {
  return severity.indexOf(shownVerdict(requirement));
}

/** The causes of all failures and warnings: the worst first, then in the order of the report. */
export function causesOf({ requirements, causes }: Pick<Report, 'requirements' | 'causes'>): readonly Cause[] {
  const shown = causes.flatMap((cause): readonly Cause[] => {
    // A cause may break one requirement in several ways.
    const byId = Map.groupBy(cause.requirements, ({ id }) => id);
    const broken = [...byId].flatMap(([id, kinds]) => {
      const requirement = requirements.find((one) => one.id === id);
      const places = kinds.flatMap(({ failures }) => failures);
      const [first, ...rest] = places.flatMap((place) => requirement?.failures[place] ?? []);
      if (requirement === undefined || first === undefined) return [];
      return [{ requirement, failures: [first, ...rest] as const }];
    });
    // A consequence that fails stands for its mistake where that only warns.
    const [worst, ...others] = broken.toSorted((one, other) => rankOf(one) - rankOf(other));
    if (worst === undefined) return [];
    const mark = shownVerdict(worst.requirement);
    return [{ mark, failure: worst.failures[0], requirements: [worst, ...others], where: cause.where }];
  });
  return shown.toSorted((one, other) => severity.indexOf(one.mark) - severity.indexOf(other.mark));
}
