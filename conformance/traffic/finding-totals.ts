/** Accumulates findings of traffic in bounded memory: counts, and a few findings of each kind. */

import type { GapId } from '../../spec/gaps.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Observation } from '../verdict/check.ts';
import { hiddenInWords } from '../verdict/create-report.ts';
import { type Failing, type Finding, isFailing } from '../verdict/finding.ts';
import { judgeRequirements, type RequirementVerdict, type RunFacts } from '../verdict/verdict.ts';
import type { WindowVerdict } from './window.ts';

/** More failures with one code add no information. */
const keptPerCode = 5;

interface Found {
  evidence: number;
  failures: number;
  readonly kept: Finding[];
}

function createFound(): Found {
  return { evidence: 0, failures: 0, kept: [] };
}

function countFresh(findings: readonly Finding[], fresh: ReadonlySet<Exchange>): number {
  return new Set(findings.flatMap(({ exchanges }) => exchanges).filter((exchange) => fresh.has(exchange))).size;
}

/** Counts passes and failures of a requirement separately: if it fails, only failures are evidence. */
class RequirementTotals {
  private readonly holding = createFound();
  private readonly failing = createFound();

  add(findings: readonly Finding[], fresh: ReadonlySet<Exchange>): readonly Failing[] {
    const failures = findings.filter(isFailing);
    const holds = findings.filter((finding) => !isFailing(finding));
    this.holding.evidence += countFresh(holds, fresh);
    if (this.holding.kept.length === 0) this.holding.kept.push(...holds.slice(0, 1));
    this.failing.evidence += countFresh(failures, fresh);
    this.failing.failures += failures.length;
    return failures.filter((failure) => this.keep(failure));
  }

  /** Keeps a failure; returns whether it is the first with its code. */
  private keep(failing: Failing): boolean {
    const known = this.failing.kept.filter(({ failure }) => failure?.code === failing.failure.code);
    if (known.length < keptPerCode) this.failing.kept.push(failing);
    return known.length === 0;
  }

  get kept(): readonly Finding[] {
    return [...this.failing.kept, ...this.holding.kept];
  }

  /** A verdict on the kept findings, with the counts of all findings. */
  complete(verdict: RequirementVerdict): RequirementVerdict {
    const { evidence, failures, kept } = this.failing.failures > 0 ? this.failing : this.holding;
    const hidden = failures - kept.length;
    const reason = failures > 0 && hidden > 0 ? { reason: hiddenInWords(hidden) } : {};
    return { ...verdict, evidence, ...reason };
  }
}

/** The answers of both observations, with the example of the earlier one. */
function merge(earlier: Observation | undefined, later: Observation): Observation {
  if (earlier === undefined) return later;
  const [first, ...others] = earlier.answers;
  const added = later.answers.filter((answer) => !earlier.answers.includes(answer));
  return { ...earlier, answers: [first, ...others, ...added] };
}

export function createFindingTotals() {
  const requirements = new Map<RequirementId, RequirementTotals>();
  const observed = new Map<GapId, Observation>();

  function requirementTotalsOf(id: RequirementId): RequirementTotals {
    const requirement = requirements.get(id) ?? new RequirementTotals();
    requirements.set(id, requirement);
    return requirement;
  }

  const kept = (): readonly Finding[] => [...requirements.values()].flatMap((requirement) => requirement.kept);

  return {
    /** Adds the findings of a window that cite a new exchange; the others were counted before. Returns failures of a new kind. */
    add(window: WindowVerdict, fresh: ReadonlySet<Exchange>): readonly Failing[] {
      for (const [gap, observation] of window.observed.flatMap((one) => [...one])) {
        observed.set(gap, merge(observed.get(gap), observation));
      }
      const isFresh = ({ exchanges }: Finding): boolean => exchanges.some((exchange) => fresh.has(exchange));
      const byRequirement = Map.groupBy(window.findings.filter(isFresh), ({ requirement }) => requirement);
      return [...byRequirement].flatMap(([id, findings]) => requirementTotalsOf(id).add(findings, fresh));
    },
    verdicts: (facts: RunFacts): readonly RequirementVerdict[] =>
      judgeRequirements(kept(), facts).map(
        (verdict) => requirements.get(verdict.requirement.id)?.complete(verdict) ?? verdict,
      ),
    observed: (): ReadonlyMap<GapId, Observation> => observed,
    /** The exchanges that the kept findings and observations cite. */
    cited: (): readonly Exchange[] => [
      ...new Set([
        ...kept().flatMap(({ exchanges }) => exchanges),
        ...[...observed.values()].map(({ exchange }) => exchange),
      ]),
    ],
  };
}
