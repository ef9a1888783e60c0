/** Which names the target accepts (§2), concluded from what the refused names have in common. */

import type { AnswerId } from '../../../spec/gaps.ts';
import { statusOf } from '../../http/read-response.ts';
import { type Creation, creationsOf } from '../4.2-create-pet/observers.ts';
import { type Observe, observationOf, refusalAnswer, withSize } from '../observation.ts';

/** A name that was accepted, or whose refusal has no other possible reason. */
interface TriedName extends Creation {
  /** Code points. */
  readonly length: number;
  readonly isAccepted: boolean;
}

function triedNames(creations: readonly Creation[]): readonly TriedName[] {
  return creations.flatMap((creation) => {
    const status = statusOf(creation.exchange) ?? 0;
    const isAccepted = status === 201;
    const isOnlyDeparture = creation.departures.length === 1 && creation.departures[0] === 'name';
    // 413 says that the body is too large, whatever its name is.
    const isRefused = isOnlyDeparture && status >= 400 && status < 500 && status !== 401 && status !== 413;
    return isAccepted || isRefused ? [{ ...creation, length: [...creation.name].length, isAccepted }] : [];
  });
}

const isPlain = ({ name }: TriedName): boolean => /^[A-Za-z0-9 -]+$/.test(name);
const isVisible = ({ name }: TriedName): boolean => /[^\s\p{C}]/u.test(name);

/** The longest accepted name, and the shortest refused one that has a visible character. */
function boundaryOf(names: readonly TriedName[]): { readonly longest: number; readonly shortest: number } {
  const lengths = (ones: readonly TriedName[]): readonly number[] => ones.map(({ length }) => length);
  return {
    longest: Math.max(0, ...lengths(names.filter(({ isAccepted }) => isAccepted))),
    shortest: Math.min(Number.POSITIVE_INFINITY, ...lengths(names.filter((one) => !one.isAccepted && isVisible(one)))),
  };
}

/** Longer than any column for names. */
const veryLong = 4_000;
/** The longest that plain-only accepts. */
const longestPlain = 30;

const commonLengths = [longestPlain, 100, 255];

/** Whether a plain name was refused, which only its length explains. */
function isBounded(names: readonly TriedName[]): boolean {
  return names.some((one) => isPlain(one) && !one.isAccepted);
}

/** The common lengths that may still be the maximum of the target. */
function unsettledLengths(names: readonly TriedName[]): readonly number[] {
  const { longest } = boundaryOf(names);
  const { shortest } = boundaryOf(names.filter(isPlain));
  return commonLengths.filter(
    (length) => length >= longest && length < shortest && !(length === longest && length + 1 === shortest),
  );
}

/** The answer that explains all refused names and no accepted one. */
function answerFor(names: readonly TriedName[], refused: readonly TriedName[]): AnswerId<'name-limits'> | undefined {
  const accepted = names.filter(({ isAccepted }) => isAccepted);
  const isFree = accepted.some((one) => !isPlain(one));
  const { longest, shortest } = boundaryOf(names);
  if (!refused.some(isVisible)) {
    if (!isFree || longest < veryLong) return undefined;
    if (refused.length > 0) return 'not-empty';
    return accepted.some((one) => !isVisible(one)) ? 'any' : undefined;
  }
  // Length does not explain a refusal where a longer name was accepted.
  if (isFree && longest >= shortest) return 'some-characters';
  // Longer names and plain ones tell whether the length or the characters decide.
  if (longest < veryLong && (!isBounded(names) || unsettledLengths(names).length > 0)) return undefined;
  if (isFree) {
    if (longest === 100 && shortest === 101) return 'at-most-100';
    return longest === 255 && shortest === 256 ? 'at-most-255' : 'other-length';
  }
  const plain = boundaryOf(names.filter(isPlain));
  if (plain.longest <= longestPlain && plain.shortest === longestPlain + 1) return 'plain-only';
  // A longer name may have been refused for its length.
  return refused.some((one) => isVisible(one) && one.length <= longest) ? 'some-characters' : undefined;
}

export const nameLimits: Observe<'name-limits'> = (history) => {
  const names = triedNames(creationsOf(history));
  const refused = names.filter(({ isAccepted }) => !isAccepted);
  const other = refused.find(({ exchange }) => refusalAnswer(exchange, 400) !== 'refused-400');
  if (other !== undefined) return observationOf(refusalAnswer(other.exchange, 409, 422), other.exchange);
  // A refused name with visible characters tells more than an empty one.
  const example = refused.find(isVisible) ?? refused[0] ?? names.find((one) => one.length >= veryLong);
  const answer = answerFor(names, refused);
  const size = answer === 'other-length' ? boundaryOf(names).longest : undefined;
  return withSize(observationOf(answer, example?.exchange), size);
};

/** The lengths of plain names that would settle the maximum; none where no plain name was refused. */
export function lengthsToAsk(creations: readonly Creation[]): readonly number[] {
  const names = triedNames(creations);
  return isBounded(names) ? unsettledLengths(names) : [];
}
