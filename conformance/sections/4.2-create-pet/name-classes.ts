/** §4.2 Draws names from classes of characters and texts that careless services change. */

import { shuffle } from '../orders.ts';
import { words } from '../strange-texts.ts';
import { pick } from './invalid-values.ts';

type Random = () => number;
type NameClass = (random: Random) => string;

const between = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from + 1));

/** The syllables that normalization takes apart into other letters, not into marks. */
const hangul = [0xac00, 0xd7a3] as const;

/** Scripts and planes, as ranges of assigned code points. */
const scripts: readonly (readonly [from: number, to: number])[] = [
  [0x00a1, 0x00ff],
  [0x0100, 0x024f],
  [0x0391, 0x03a1],
  [0x0410, 0x044f],
  [0x0561, 0x0586],
  [0x05d0, 0x05ea],
  [0x0627, 0x064a],
  [0x0904, 0x0939],
  [0x0e01, 0x0e30],
  [0x10d0, 0x10f0],
  [0x1200, 0x1248],
  [0x1e00, 0x1eff],
  [0x2010, 0x2027],
  [0x20a0, 0x20bf],
  [0x2190, 0x21ff],
  [0x2460, 0x24ff],
  [0x3041, 0x3096],
  [0x30a1, 0x30fa],
  [0x4e00, 0x9fa5],
  hangul,
  [0xe000, 0xf8ff],
  [0xfb00, 0xfb06],
  [0xff01, 0xff5e],
  [0x10330, 0x1034a],
  [0x1d400, 0x1d454],
  [0x1f300, 0x1f5ff],
  [0x1f600, 0x1f64f],
  [0x20000, 0x2a6d6],
  [0x100000, 0x10fffd],
];

function drawOf([from, to]: (typeof scripts)[number], random: Random): string {
  return Array.from({ length: between(random, 1, 6) }, () => String.fromCodePoint(between(random, from, to))).join('');
}

const ofScript: NameClass = (random) => drawOf(pick(scripts, random), random);

/** A letter with one to three combining marks, in the order in which normalization may change them. */
const combining: NameClass = (random) =>
  pick([...'aeioucnsAEO'], random) +
  Array.from({ length: between(random, 1, 3) }, () => String.fromCodePoint(between(random, 0x300, 0x345))).join('');

const templates = [
  ...words('{{7*7}}', `$${'{7*7}'}`, '#{7*7}'),
  '{% 7 %}',
  ...words('{0} {} %s %d %n %1$s $1 $& \\1 :name @name ? $(id) `id` [[x]] *{x} ~{x} $name %(name)s !x &x'),
  ...['<?= x ?>', '{x}'],
];

const escapes = words(
  String.raw`\n \t \u0041 \x41 \\ \" \/ \0 %41 %2B %25 % + =41 a&b &lt '' "" \' \ /*x*/ -- # ; :// .. O' :name: &copy; \b`,
);

const namesOfValues = [
  ...words('null undefined NaN true constructor __proto__ toString prototype None nil NULL void SELECT'),
  ...['drop table pets', 'available', 'NaN', 'Infinity'],
];

function numbersLike(digits: number): readonly string[] {
  return [
    `00${digits}`,
    `${digits}.50`,
    `${digits}e3`,
    `-${digits}`,
    `+${digits}`,
    `0x${digits}`,
    `1,${digits}`,
    `${digits}_0`,
  ];
}

const drawNumber = (random: Random): number => between(random, 1, 99_999);

/** Blanks, characters without a width, and characters that are no text. */
const spaces = ['  ', '\u00a0', '\u2003', '\u3000', '\u200b', '\u2060', '\ufeff', '\u00ad', '\u200d'];
const oddities = ['\ufffd', '\uffff', '\ufdd0', '\u{e0041}', '\u200f', '\u2028'];
/** Control characters, which only a disposable target gets. */
const controls = ['\t', '\n', '\b', '\f', '\r\n', '\u007f', '\u0085', '\u0001'];

const nameClasses: readonly NameClass[] = [
  ofScript,
  combining,
  (random) => pick(templates, random),
  (random) => pick(escapes, random),
  (random) => pick(namesOfValues, random),
  (random) => pick(numbersLike(drawNumber(random)), random),
  (random) => pick([' ', ...spaces, ...oddities, ...controls], random),
];

/** A piece of every class and, for those with few members, every member, in random order. */
export function drawPieces(random: Random): readonly string[] {
  const all = [
    ...scripts.map((script) => drawOf(script, random)),
    ...Array.from({ length: 4 }, () => combining(random)),
    drawOf(hangul, random).normalize('NFD'),
    ...templates,
    ...escapes,
    ...namesOfValues,
    ...numbersLike(drawNumber(random)),
    ...[...spaces, ...oddities, ...controls].map((space) => `a${space}b`),
  ];
  return shuffle(all, random);
}

/** Lengths at which columns, buffers and checks commonly end. */
export const lengths = [
  31, 32, 33, 50, 51, 63, 64, 65, 100, 101, 120, 127, 128, 129, 150, 199, 200, 201, 254, 255, 256, 257,
];
export const veryLong = [500, 512, 513, 999, 1_000, 1_001, 1_023, 1_024, 1_025, 2_000, 2_048];

/** A piece repeated around a tag until the name has a length, UTF-16 units. */
function ofLength(tag: string, piece: string, length: number): string {
  const filled = `${tag} ${piece.repeat(Math.ceil(length / piece.length))}`;
  return filled.slice(0, length).toWellFormed();
}

/** A name of exactly a length, UTF-16 units, with as many pieces as fit; `taken` counts them. */
export interface PackedName {
  readonly name: string;
  readonly taken: number;
}

export function packName(tag: string, pieces: readonly string[], length: number): PackedName {
  let name = tag;
  let taken = 0;
  for (const piece of pieces) {
    if (name.length + 1 + piece.length > length) break;
    name += ` ${piece}`;
    taken += 1;
  }
  return { name: name.padEnd(length, 'x'), taken };
}

/** A name with a tag, with pieces of one to three classes at its beginning, middle or end, or of a certain length. */
export function drawName(tag: string, random: Random): string {
  const piece = pick(nameClasses, random)(random);
  const kind = Math.floor(random() * 6);
  if (kind === 0) return piece + tag;
  if (kind === 1) return tag + piece;
  if (kind === 2) return `${tag} ${piece} ${pick(nameClasses, random)(random)} x`;
  if (kind === 3) return ofLength(tag, pick(['x', 'é', '漢', '🦄', piece], random), pick(lengths, random));
  if (kind === 4) return ofLength(tag, pick(['x', 'long name ', 'é'], random), pick(veryLong, random));
  return `${piece}${tag}${pick(nameClasses, random)(random)}`;
}
