/** Which names the target accepts (§2): what those that it refuses have in common. */

import type { AnswerId } from '../../../spec/gaps.ts';
import { statusOf } from '../../http/read-response.ts';
import { type Creation, creationsOf } from '../4.2-create-pet/observers.ts';
import { type Observe, observationOf, refusalAnswer } from '../observation.ts';

/** A name that was accepted, or refused for nothing else. */
interface Judged extends Creation {
  /** Code points. */
  readonly length: number;
  readonly isAccepted: boolean;
}

function judgedNames(creations: readonly Creation[]): readonly Judged[] {
  return creations.flatMap((creation) => {
    const status = statusOf(creation.exchange) ?? 0;
    const isAccepted = status === 201;
    const isOwnFault = creation.departures.length === 1 && creation.departures[0] === 'name';
    // A body may be too large, whatever its name.
    const isRefused = isOwnFault && status >= 400 && status < 500 && status !== 401 && status !== 413;
    return isAccepted || isRefused ? [{ ...creation, length: [...creation.name].length, isAccepted }] : [];
  });
}

const isPlain = ({ name }: Judged): boolean => /^[A-Za-z0-9 -]+$/.test(name);
const isVisible = ({ name }: Judged): boolean => /[^\s\p{C}]/u.test(name);

/** The lengths between which the target begins to refuse names, as far as length alone decides. */
function boundaryOf(names: readonly Judged[]): { readonly longest: number; readonly shortest: number } {
  const lengths = (ones: readonly Judged[]): readonly number[] => ones.map(({ length }) => length);
  return {
    longest: Math.max(0, ...lengths(names.filter(({ isAccepted }) => isAccepted))),
    shortest: Math.min(Number.POSITIVE_INFINITY, ...lengths(names.filter((one) => !one.isAccepted && isVisible(one)))),
  };
}

/** Longer than any column for names. */
const veryLong = 4_000;
/** The longest that plain-only accepts. */
const longestPlain = 30;

/** The longest names that services commonly allow. */
const commonLengths = [longestPlain, 100, 255];

/** Whether a plain name was refused, so for its length. */
function isBounded(names: readonly Judged[]): boolean {
  return names.some((one) => isPlain(one) && !one.isAccepted);
}

/** Of the common lengths, those that may be the longest which the target accepts. */
function unsettledLengths(names: readonly Judged[]): readonly number[] {
  const { longest } = boundaryOf(names);
  const { shortest } = boundaryOf(names.filter(isPlain));
  return commonLengths.filter(
    (length) => length >= longest && length < shortest && !(length === longest && length + 1 === shortest),
  );
}

/** What the refused names have in common that no accepted one has. */
function answerFor(names: readonly Judged[], refused: readonly Judged[]): AnswerId<'name-limits'> | undefined {
  const accepted = names.filter(({ isAccepted }) => isAccepted);
  const isFree = accepted.some((one) => !isPlain(one));
  const { longest, shortest } = boundaryOf(names);
  if (!refused.some(isVisible)) {
    if (!isFree || longest < veryLong) return undefined;
    if (refused.length > 0) return 'not-empty';
    return accepted.some((one) => !isVisible(one)) ? 'any' : undefined;
  }
  // Where strange names are accepted, and one that is longer than the one refused, it is not the length.
  if (isFree && longest >= shortest) return 'some-characters';
  // Whether it is the length or the characters, longer names tell, and plain ones.
  if (longest < veryLong && (!isBounded(names) || unsettledLengths(names).length > 0)) return undefined;
  if (isFree) {
    if (longest === 100 && shortest === 101) return 'at-most-100';
    return longest === 255 && shortest === 256 ? 'at-most-255' : 'other-length';
  }
  const plain = boundaryOf(names.filter(isPlain));
  if (plain.longest <= longestPlain && plain.shortest === longestPlain + 1) return 'plain-only';
  // A longer one may have been refused for its length.
  return refused.some((one) => isVisible(one) && one.length <= longest) ? 'some-characters' : undefined;
}

export const nameLimits: Observe<'name-limits'> = (history) => {
  const names = judgedNames(creationsOf(history));
  const refused = names.filter(({ isAccepted }) => !isAccepted);
  const other = refused.find(({ exchange }) => refusalAnswer(exchange, 400) !== 'refused-400');
  if (other !== undefined) return observationOf(refusalAnswer(other.exchange, 409, 422), other.exchange);
  // An empty name that is refused tells less than one that can be seen.
  const example = refused.find(isVisible) ?? refused[0] ?? names.find((one) => one.length >= veryLong);
  return observationOf(answerFor(names, refused), example?.exchange);
};

/** The lengths that are worth asking for, in plain names: nothing where no plain name was refused. */
export function lengthsToAsk(creations: readonly Creation[]): readonly number[] {
  const names = judgedNames(creations);
  return isBounded(names) ? unsettledLengths(names) : [];
}
