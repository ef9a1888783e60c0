/** §4.2 The names of a run's animals, made from the table of values around a tag by which each animal is known. */

import { shuffle } from '../../../spec/random.ts';
import type { Session } from '../../run/session.ts';
import { commonParts, edges, lookAlikes, nameLengths, pieces, rareParts } from '../values.ts';

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

/** A long name, and names with another beginning and end around each tag, and a part in the middle. */
export function affixedNames({ random }: Session): readonly NameOf[] {
  const [fronts = [], ends = []] = [0, 1].map(() => edges.flatMap((some) => shuffle(some, random)));
  const middles = [...commonParts, ...rareParts];
  return [
    // The halves of the first name, one of which may be the reason where a target has refused it.
    join(commonParts.slice(0, 4)),
    join(commonParts.slice(4)),
    (tag) => long(tag, 230),
    ...fronts.map((front, at): NameOf => {
      const middle = middles[at] === undefined ? '' : ` ${middles[at]} `;
      return (tag) => `${front}${tag}${middle}${ends[at]}`;
    }),
  ];
}

/** Names that resemble another type: one of each kind comes before a second one of any. */
export function namesLikeValues({ random }: Session): readonly NameOf[] {
  const kinds = lookAlikes.map((kind) => shuffle(kind, random));
  const longest = Math.max(...kinds.map(({ length }) => length));
  const inRounds = Array.from({ length: longest }, (_, round) => kinds.flatMap((kind) => kind.slice(round, round + 1)));
  return inRounds.flat().map((name) => () => name);
}

/** Names of exactly the lengths at which texts are commonly cut, UTF-16 units, filled with as many pieces as fit. */
export function packedNames({ random }: Session): readonly NameOf[] {
  const drawn = shuffle(pieces, random).values();
  return nameLengths
    .flatMap((some) => shuffle(some, random))
    .map((length): NameOf => {
      let text = '';
      while (text.length < length - 20) {
        const { value } = drawn.next();
        if (value === undefined) break;
        text += ` ${value}`;
      }
      return (tag) =>
        `${`${tag}${text}`
          .padEnd(length, 'x')
          .slice(0, length - 1)
          .toWellFormed()}x`;
    });
}
