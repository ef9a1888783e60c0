/** Which failures have one cause: one mistake may break many requirements in many exchanges, and is shown once. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import { consequences, type FailureKinds, raisedTogether } from '../../spec/failure-codes.ts';
import { listedStatuses } from '../../spec/operations.ts';
import type { Exchange } from '../http/exchange.ts';
import { plainestFirst } from './counterexample.ts';
import { faultOf } from './dimensions.ts';
import type { Failing } from './finding.ts';

/** Failures of one requirement that are alike: they have one code, one input and one kind of status. */
export interface Alike {
  readonly requirement: AnyRequirementId;
  readonly failures: readonly [Failing<AnyRequirementId>, ...Failing<AnyRequirementId>[]];
}

/** What one mistake breaks: the requirement that says it most plainly comes first. */
export type FoundCause = readonly [Alike, ...Alike[]];

/** What a failure is about: its last exchange, the creation of the animal in it, and a wrong credential, each by a label. */
export type SubjectsOf = (failing: Failing<AnyRequirementId>) => readonly string[];

/** Whether a failure is an error of the server, or no answer at all. */
function saysBroken({ failure: { code, status = 0 } }: Failing<AnyRequirementId>): boolean {
  return status >= 500 || code === 'no-answer';
}

function lastOf({ exchanges }: Failing<AnyRequirementId>): Exchange {
  return exchanges.at(-1)!;
}

/**
 * Where a server error arises: in the check of the key, or in an operation, by what is wrong with the request. Where an operation
 * gives nothing but errors, it is one place.
 */
function sourceOf(failing: Failing<AnyRequirementId>, answering: ReadonlySet<string>): string {
  const exchange = lastOf(failing);
  const { operation } = exchange;
  if (answering.size === 0) return 'everywhere';
  if (faultOf(exchange) === 'key') return 'key';
  return answering.has(operation) ? `${operation} ${faultOf(exchange) ?? ''}` : operation;
}

/** A success in place of a refusal may have many causes, such as fields that are not validated. */
const ofManyCauses: readonly string[] = ['accepted', 'not-refused'];

/** Sorts the failures of one requirement: the order of the first of each kind is kept. */
function groupAlike(
  requirement: AnyRequirementId,
  failures: readonly Failing<AnyRequirementId>[],
  answering: ReadonlySet<string>,
): readonly Alike[] {
  const groups = Map.groupBy(failures, (failing) => {
    const { code, input, status } = failing.failure;
    const kind = saysBroken(failing) ? sourceOf(failing, answering) : status;
    return JSON.stringify([code, input?.name, ofManyCauses.includes(code) ? undefined : kind]);
  });
  return [...groups.values()].map(([first, ...rest]) => ({ requirement, failures: [first!, ...rest] }));
}

/** One wrong status in one area, such as create, is one mistake; a status that no operation lists is one across all areas. */
function statusTraits({ requirement, failures: [failing] }: Alike, answering: ReadonlySet<string>): readonly string[] {
  if (saysBroken(failing)) return [`server error: ${sourceOf(failing, answering)}`];
  const { code, status } = failing.failure;
  if (status === undefined || ofManyCauses.includes(code)) return [];
  const [area] = requirement.split('-', 1);
  return [listedStatuses.includes(status) ? `${area} ${status}` : `${status}`];
}

function traitsOf(alike: Alike, answering: ReadonlySet<string>): readonly string[] {
  const rows = raisedTogether.flatMap((kinds, at) => (kinds.some((one) => isOf(alike, one)) ? [`mistake ${at}`] : []));
  return [...rows, ...statusTraits(alike, answering)];
}

/**
 * Of failures of animals, those that a creation shows come first: its request and its answer stand side by side, as no page
 * shows a rounded number.
 */
function plainestFirstOf(members: readonly Alike[]): FoundCause {
  const areOfAnimals = members.every(({ requirement }) => requirement.startsWith('pet-'));
  const isByCreation = ({ failures }: Alike): boolean =>
    areOfAnimals && lastOf(plainestFirst(failures)[0]!).operation === 'createPet';
  const [first, ...rest] = members.toSorted((one, other) => Number(isByCreation(other)) - Number(isByCreation(one)));
  return [first!, ...rest];
}

/** Joins groups that share a trait. */
function joinByTraits(all: readonly Alike[], answering: ReadonlySet<string>): readonly FoundCause[] {
  let groups: readonly { readonly traits: readonly string[]; readonly members: readonly Alike[] }[] = [];
  for (const one of all) {
    const own = traitsOf(one, answering);
    const { related = [], others = [] } = Object.groupBy(groups, ({ traits }) =>
      traits.some((trait) => own.includes(trait)) ? 'related' : 'others',
    );
    const traits = [...related.flatMap((group) => group.traits), ...own];
    groups = [...others, { traits, members: [...related.flatMap(({ members }) => members), one] }];
  }
  return groups.map(({ members }) => plainestFirstOf(members));
}

function isOf({ requirement, failures: [{ failure }] }: Alike, { codes, of, input }: FailureKinds): boolean {
  return (
    codes.includes(failure.code) &&
    (of === undefined || of.includes(requirement)) &&
    (input === undefined || input === failure.input?.name)
  );
}

/** Whether all that one cause breaks is a consequence of the mistake of another. */
function follows(one: FoundCause, other: FoundCause, subjectsOf: SubjectsOf): boolean {
  const isShared = (alike: Alike, mistake: Alike): boolean => {
    const known = new Set(mistake.failures.flatMap(subjectsOf));
    return alike.failures.every((failing) => subjectsOf(failing).some((label) => known.has(label)));
  };
  return one.every((alike) =>
    consequences.some(
      (row) =>
        isOf(alike, row.shownBy) &&
        other.some((mistake) => isOf(mistake, row.mistake) && (row.isShared !== true || isShared(alike, mistake))),
    ),
  );
}

/** Adds each cause that only shows the consequences of another one to that. */
function joinConsequences(causes: readonly FoundCause[], subjectsOf: SubjectsOf): readonly FoundCause[] {
  const mistakeOf = new Map(
    causes.map((one) => [one, causes.find((other) => other !== one && follows(one, other, subjectsOf))]),
  );
  /** The first mistake of a chain; where two follow from each other, the one that comes first. */
  const rootOf = (one: FoundCause): FoundCause => {
    const seen = [one];
    for (let next = mistakeOf.get(one); next !== undefined; next = mistakeOf.get(next)) {
      if (seen.includes(next)) return seen.toSorted((a, b) => causes.indexOf(a) - causes.indexOf(b))[0]!;
      seen.push(next);
    }
    return seen.at(-1)!;
  };
  const byRoot = Map.groupBy(causes, rootOf);
  return [...byRoot].map(([root, members]) => {
    const [first, ...rest] = root;
    return [first, ...rest, ...members.filter((member) => member !== root).flat()];
  });
}

/** The causes of failures by requirement; `answering` are the operations that gave an answer that is no server error. */
export function findCauses(
  failing: ReadonlyMap<AnyRequirementId, readonly Failing<AnyRequirementId>[]>,
  answering: ReadonlySet<string>,
  subjectsOf: SubjectsOf,
): readonly FoundCause[] {
  const alike = [...failing].flatMap(([requirement, failures]) => groupAlike(requirement, failures, answering));
  return joinConsequences(joinByTraits(alike, answering), subjectsOf);
}
