/** The causes of a run as its report has them: which failures stand for each kind, and where they show. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { defined } from '../../spec/defined.ts';
import type { Exchange } from '../http/exchange.ts';
import { isServerError } from '../http/read-response.ts';
import { type Alike, type FoundCause, findCauses } from './causes.ts';
import { isSameFailure, plainestFirst } from './counterexample.ts';
import { type DimensionId, type EvidenceSubject, ofAnimals } from './dimensions.ts';
import type { Counterexample, Failing, Finding } from './finding.ts';
import type { ReportedCause } from './report.ts';
import { readSubjects } from './subjects.ts';
import type { RequirementVerdict } from './verdict.ts';
import { wayOf } from './ways.ts';
import { findWhere, type Where } from './where.ts';

type Verdicts = readonly RequirementVerdict<AnyRequirementId>[];
type Counterexamples = ReadonlyMap<AnyRequirementId, Counterexample>;

/** The causes of a run, and of each broken requirement the failures that a report shows. */
export interface ChosenCauses {
  readonly causes: readonly ReportedCause[];
  readonly failures: ReadonlyMap<AnyRequirementId, readonly Failing<AnyRequirementId>[]>;
  /** The ways in which each fails; none where only a part of the findings is known, as for a client. */
  readonly ways: ReadonlyMap<AnyRequirementId, readonly string[]>;
}

/** Of each kind, a report shows at most so many failures, each with another input. */
const inputsShown = 9;

/** Whether a counterexample, which may have been sent with other values, shows failures of this kind. */
function isOfKind({ failures: [one] }: Alike, other: Failing<AnyRequirementId>): boolean {
  return (
    isSameFailure(one, other) &&
    one.failure.input?.name === other.failure.input?.name &&
    one.failure.status === other.failure.status &&
    one.exchanges.at(-1)!.operation === other.exchanges.at(-1)!.operation
  );
}

/** Failures to show of one kind: that of the shortest sequence first, then for each input the plainest. */
function chooseFailures(
  { failures }: Alike,
  found: Failing<AnyRequirementId> | undefined,
): readonly Failing<AnyRequirementId>[] {
  const all = found === undefined ? plainestFirst(failures) : [found, ...plainestFirst(failures)];
  const byInput = Map.groupBy(all, ({ failure }) => failure.input?.value);
  return [...byInput.values()].slice(0, inputsShown).map(([one]) => one!);
}

/** Codes of failures that say by themselves which status came. */
const ofStatus: readonly string[] = ['accepted', 'not-refused', 'found', 'valid-refused', 'removed-early'];
/** So few animals may be alike by chance. */
const fewAnimals = 3;
/** No animal decides what keys and limits do. */
const withoutAnimals: readonly string[] = ['5', '8'];

/** The properties of exchanges that only say again what a failure says, or that have nothing to do with it. */
function irrelevantTo(section: string, failing: readonly Failing<AnyRequirementId>[]): readonly DimensionId[] {
  const [{ failure, exchanges }] = failing as readonly [Failing<AnyRequirementId>];
  const { code, status } = failure;
  const isOfStatus = status !== undefined || ofStatus.includes(code);
  // Of few animals that are missing, any property may be shared by chance.
  const isOfField =
    failure.input !== undefined || failure.pointer !== undefined || exchanges.at(-1)!.operation === 'createPet';
  const mayBeAnyAnimal = !isOfField && failing.length < fewAnimals;
  return [
    ...(isOfStatus ? (['status', 'page'] as const) : []),
    ...(withoutAnimals.includes(section) || mayBeAnyAnimal ? ofAnimals : []),
  ];
}

/** Subjects by the exchanges that they are about: a page may show several animals, and an Error several fields. */
function byExchanges(subjects: readonly EvidenceSubject[]): ReadonlyMap<string, EvidenceSubject> {
  return new Map(subjects.map((one) => [`${one.shown.number} ${one.creation?.number}`, one]));
}

/** The labels of what a failure is about, by which a mistake and its consequences are found to be about the same. */
function labelsOf({ shown, creation }: EvidenceSubject): readonly string[] {
  const { id, kind } = shown.credential;
  const isRight = kind === 'valid' || kind === 'rate-limit';
  return [
    `#${shown.number}`,
    ...(creation === undefined ? [] : [`#${creation.number}`]),
    ...(isRight ? [] : [`credential ${id}`]),
  ];
}

/** Finds the causes of all failures of some verdicts, where each shows, and chooses which failures stand for them. */
export function chooseCauses(
  verdicts: Verdicts,
  exchanges: readonly Exchange[],
  counterexamples: Counterexamples = new Map(),
): ChosenCauses {
  const broken = verdicts.filter(({ failures }) => failures.length > 0);
  const answering = exchanges.filter((exchange) => exchange.response !== undefined && !isServerError(exchange));
  const subjectOf = readSubjects(exchanges);
  const found = findCauses(
    new Map(broken.map(({ id, failures }) => [id, failures])),
    new Set(answering.map(({ operation }) => operation)),
    (one) => labelsOf(subjectOf(one)),
  );

  /** The first kind of a requirement that its counterexample shows. */
  const kindShown = new Map(
    broken.map(({ id }) => {
      const finding = counterexamples.get(id)?.finding;
      return [id, finding && found.flat().find((kind) => isOfKind(kind, finding))];
    }),
  );
  const chosen = new Map(
    found.flat().map((kind) => {
      const isShown = kindShown.get(kind.requirement) === kind;
      return [kind, chooseFailures(kind, isShown ? counterexamples.get(kind.requirement)?.finding : undefined)];
    }),
  );
  // What is said of a requirement as a whole, such as its recheck, is about its first failure.
  const failures = new Map(
    broken.map(({ id }) => {
      const kinds = found.flat().filter(({ requirement }) => requirement === id);
      const shown = kindShown.get(id);
      const ordered = shown === undefined ? kinds : [shown, ...kinds.filter((kind) => kind !== shown)];
      return [id, ordered.flatMap((kind) => chosen.get(kind)!)];
    }),
  );

  function whereOf(cause: FoundCause): Where | undefined {
    const [{ requirement, failures: shown }] = cause;
    const { section, holding: known } = broken.find(({ id }) => id === requirement)!;
    if (known === undefined) return undefined;
    // What several answers show together, such as a number that does not fall, is no property of the last one.
    if (section === '8' && shown[0].exchanges.length > 1) return undefined;
    // One mistake may show by several codes of one requirement, and by one code of several requirements.
    const alike = cause.filter(
      (kind) => kind.requirement === requirement || kind.failures[0].failure.code === shown[0].failure.code,
    );
    const failing = alike.flatMap(({ failures: own }) => own);
    const holding = broken
      .filter(({ id }) => alike.some((kind) => kind.requirement === id))
      .flatMap((one) => one.holding ?? []);
    const read = (findings: readonly Finding<AnyRequirementId>[]) => byExchanges(findings.map(subjectOf));
    const failingSubjects = read(failing);
    const others = [...read(holding)].filter(([label]) => !failingSubjects.has(label)).map(([, subject]) => subject);
    return findWhere([...failingSubjects.values()], others, irrelevantTo(section, failing));
  }

  const causes = found.map((cause) =>
    defined({
      requirements: cause.map((kind) => {
        const all = failures.get(kind.requirement)!;
        return { id: kind.requirement, failures: chosen.get(kind)!.map((failing) => all.indexOf(failing)) };
      }),
      where: whereOf(cause),
    }),
  );
  const judged = broken.filter(({ holding }) => holding !== undefined);
  const ways = new Map(
    judged.map(({ id, failures: all }) => [id, [...new Set(all.map((one) => wayOf(one, subjectOf(one))))].toSorted()]),
  );
  return { causes, failures, ways };
}
