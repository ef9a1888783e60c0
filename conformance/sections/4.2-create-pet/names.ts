/** §4.2 The table of names: texts that careless services change, alone or within a name, and how they are joined into names. */

import type { Session } from '../../run/session.ts';
import { nameIn } from '../../verdict/names.ts';
import { inRounds, shuffle } from '../orders.ts';
import { words } from '../strange-texts.ts';

/** Within a name. Each reveals one common change; the first name holds all of them. */
const commonParts = [
  '🦄',
  'e\u0301 \u00e9',
  '"quoted" \'single\' \\ /',
  '<b>&amp;</b>',
  '%20+',
  '\ufb01 \u200d',
  'two  spaces',
  'ÄßŒ',
];

/** Each reveals a rarer change; the long name holds all of them, behind the common ones. */
const rareParts = [
  '\u00a0 \u00ad \u2028 \u2029 \ufeff \ue000 \u200b \u200e \u2011 \u3000 \u212b',
  '\u0085 \u007f',
  '\u202eright',
  'Щука straße İı ❤️ 👍🏽 Ｆｕｌｌ Σίσυφος カナ 한글 العربية 𠮷 🇫🇷 1️⃣ “a” ‘b’ – — €',
  '... -- -> (c) #a @b =1 +2 ~ ^ ` | *c* _d_ [e] f: :g, h; null!.',
  '\\n \\u0041 \\\\ %u0041',
  '&#65;',
  '%s %d %% $& $1 $$ {{x}} $ {y}',
  '<%= z %>',
  'https://example.com/?a=b',
  'one\r\ntwo\rthree\vfour\f',
  '👩‍👩‍👧 🏴󠁧󠁢󠁷󠁬󠁳󠁿 נַ ลี กำ 각 ǅ ﬀ Å',
];

/** Pieces of which a large budget joins as many as fit: templates, escapes, words of languages, blanks, and other scripts. */
const pieces: readonly string[] = [
  ...words('{{7*7}} #{7*7} {0} {} %n %1$s :name ?x $(id) `id` [[x]] *{x} ~{x} $name %(name)s !x &x'),
  ...words(String.raw`\t \x41 \" \/ \0 %41 %2B %25 =41 a&b &lt '' "" /*x*/ -- # :// O' :name: &copy; \b`),
  ...words('undefined NaN constructor __proto__ prototype None nil NULL void SELECT Infinity 0x1F 1,5 1_0 007 1e3'),
  ...[
    '{% 7 %}',
    '<?= x ?>',
    'drop table pets',
    '\t',
    '\n',
    '\b',
    '\f',
    '\u0001',
    '\u2003',
    '\u2060',
    '\ufffd',
    '\uffff',
  ],
  ...words('əʒ ԱԲ אב سش अआ กข აბ አበ ḀỰ ‐‡ ₠₿ ←↔ ①Ⓐ ぁん ァヶ 一龥 가힣 ﬀﬆ ！～ 𐌰𐍊 𝐀𝑔 🌀🗿 😀🙏 𠀀𪛖 ñ̃ å̂ ọ̈'),
  '\u{100000}\ufdd0\u{e0041}',
  '한글'.normalize('NFD'),
];

/** At the beginning or end of a name, the commonly trimmed ones first. */
const edges = {
  common: ['\ufeff', '\u0301', '\u00a0', '\u200b', '\u00ad', "'", '"', '0', '.', '/', '=', '--', '\u3000', 'É'],
  rare: ['\\', '#', '_', '...', '🦄', '@', '\t', '\n', '-', ',', '(', '\u2028', '+', '%', '!', '\u200d', 'ß'],
};

/** Whole names that resemble another type or syntax, by kind, the likeliest to be misread first. They carry no tag. */
const lookAlikeKinds: readonly (readonly string[])[] = [
  ['0'],
  ['90071992547409931'],
  ['007', '0042'],
  ['1.50', '3.10'],
  ['null', 'true', 'false'],
  ['constructor', '__proto__', 'toString'],
  ['yes', 'no', 'on', 'off'],
  ['2030-12-05'],
  [' ', '\u00a0', '\u200b', '\u3000'],
  ['1e3', '1E5'],
  ['None', 'undefined', 'NaN', 'NULL', '[object Object]'],
  ['"Rex"', "'Rex'", '`Rex`', '(Rex)'],
  ['{"name":"Rex"}'],
  ['\nRex\r\n'],
  ['cmV4IHJleA=='],
  ['-', '--', '.', '..', '/', '%', '*', '?', "'", '"', '\\', 'Rex\\', 'Rex%'],
  ['available', 'pending', 'sold'],
  ['12:30', '2030-12-05T10:00:00Z'],
  ['name', 'id', 'status'],
  ['ſ', 'İ', 'ß', 'Ω', '½'],
  ['12', '7', '405', '+1', '-0', ' 12 '],
  ['{}', '[]', '""', '[1]'],
  ['52657820526578', '6f2c8f5e-7d0b-4c39-9a57-2f8f3f8b2a11'],
  ['1/2', '0x1F', '1_000', '.5', 'Infinity'],
];

/** Lengths at which columns, buffers and checks commonly end. */
const lengths = [31, 32, 33, 50, 51, 63, 64, 65, 100, 101, 120, 127, 128, 129, 150, 199, 200, 201, 254, 255, 256, 257];
const veryLong = [500, 512, 513, 1_000, 1_001, 1_023, 1_024, 1_025, 2_000, 2_048];

/** Longer names may not fit a column, and make pages that nobody reads. */
const longestHarmless = 255;

type Target = Pick<Session, 'settings'>;

/** Whether a session may send a name to its target: a shared one gets plain names of this run only. */
export function maySend({ settings }: Target, name: string): boolean {
  if (settings.isDisposable) return true;
  const tag = nameIn(name, settings);
  return tag !== undefined && name.startsWith(tag) && /^[A-Za-z0-9][A-Za-z0-9 -]{0,29}$/.test(name);
}

/** A name around a tag by which the animal is known. */
export type NameOf = (tag: string) => string;

const longName = (tag: string, length: number): string => `${tag} ${'long name '.repeat(Math.max(0, length / 10))}end`;

const join =
  (parts: readonly string[]): NameOf =>
  (tag) =>
    `  ${tag} ${parts.join(' ')} `;

/** All common parts at once, with spaces around them, and all rare ones in a very long name. */
export const firstNames: readonly [NameOf, NameOf] = [
  join(commonParts),
  (tag) => `  ${[...commonParts, ...rareParts].join(' ')} ${longName(tag, 4_400)} \n\t`,
];

/** The halves of the first name, for a target that has refused it: one part may be the reason. */
export const halfNames: readonly NameOf[] = [join(commonParts.slice(0, 4)), join(commonParts.slice(4))];

/** Names with another beginning and end around each tag, and a part in the middle; a long one comes first. */
export function affixedNames({ random }: Session): readonly NameOf[] {
  const drawEdges = (): readonly string[] => [edges.common, edges.rare].flatMap((some) => shuffle(some, random));
  const [fronts, ends, middles] = [drawEdges(), drawEdges(), [...commonParts, ...rareParts]];
  return [
    (tag) => longName(tag, longestHarmless - 20),
    ...fronts.map((front, at): NameOf => {
      const between = middles[at] === undefined ? '' : ` ${middles[at]} `;
      return (tag) => `${front}${tag}${between}${ends[at] ?? ''}`;
    }),
  ];
}

/** Names that resemble another type: one of each kind comes before a second one of any. */
export function lookAlikes({ random }: Session): readonly string[] {
  return inRounds(lookAlikeKinds.map((kind) => shuffle(kind, random)));
}

/** Names of exactly the lengths at which texts are commonly cut, UTF-16 units, filled with as many pieces as fit. */
export function packedNames({ random }: Session): readonly NameOf[] {
  const drawn = shuffle(pieces, random).values();
  const all = [...shuffle(lengths, random), ...shuffle(veryLong, random)];
  return all.map((length) => {
    const taken: string[] = [];
    for (let room = length - 20; room > 0; ) {
      const { value } = drawn.next();
      if (value === undefined) break;
      taken.push(value);
      room -= value.length + 1;
    }
    return (tag) =>
      `${[tag, ...taken]
        .join(' ')
        .padEnd(length, 'x')
        .slice(0, length - 1)
        .toWellFormed()}x`;
  });
}

/** For names that are drawn: what may stand within one, or at one of its ends. */
export const drawnParts: readonly string[] = [...commonParts, ...rareParts, ...pieces, ...edges.common, ...edges.rare];
