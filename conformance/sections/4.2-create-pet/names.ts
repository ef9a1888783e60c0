/** §4.2 The names of a run's animals, made from the table of values around a tag by which each animal is known. */

import { shuffle } from '../../../spec/random.ts';
import type { Session } from '../../run/session.ts';
import { commonParts, edges, lookAlikes, pieces, rareParts } from '../values.ts';

/** A name around a tag. */
export type NameOf = (tag: string) => string;

const join =
  (parts: readonly string[]): NameOf =>
  (tag) =>
    `  ${tag} ${parts.join(' ')} `;

const long = (tag: string, length: number): string => `${tag} ${'long name '.repeat(length / 10)}end`;

/** All common parts at once, with spaces around them, and all rare ones in a very long name. */
export const firstNames: readonly [NameOf, NameOf] = [
  join(commonParts),
  (tag) => `  ${[...commonParts, ...rareParts].join(' ')} ${long(tag, 4_400)} \n\t`,
];

const inDrawnOrder = <Value>(groups: readonly (readonly Value[])[], { random }: Session): readonly Value[] =>
  groups.flatMap((group) => shuffle(group, random));

/** A long name, and names with another beginning and end around each tag, and a part in the middle. */
export function affixedNames(session: Session): readonly NameOf[] {
  const fronts = inDrawnOrder(edges, session);
  const ends = inDrawnOrder(edges, session);
  const middles = [...commonParts, ...rareParts];
  return [
    // The halves of the first name, one of which may be the reason where a target has refused it.
    join(commonParts.slice(0, 4)),
    join(commonParts.slice(4)),
    (tag) => long(tag, 230),
    ...fronts.map(
      (front, at): NameOf =>
        (tag) =>
          `${front}${tag}${middles[at] === undefined ? '' : ` ${middles[at]} `}${ends[at]}`,
    ),
  ];
}

/** Names that resemble another type. */
export const namesLikeValues = (session: Session): readonly NameOf[] =>
  inDrawnOrder(lookAlikes, session).map((name) => () => name);

const piecesOfName = 8;

/** Names of several pieces each: together they hold all of them. */
export function namesOfPieces({ random }: Session): readonly NameOf[] {
  const left = shuffle(pieces, random);
  const count = Math.ceil(left.length / piecesOfName);
  return Array.from({ length: count }, (_nothing, at) => join(left.slice(at * piecesOfName, (at + 1) * piecesOfName)));
}
