/** §4.2 Names to create animals with: what careless services change in them, class by class. */

import type { Session } from '../../run/session.ts';

/** Each is one way to change a name, and all stand in the first one. */
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

/** Rarer ways, which all stand in the long name. */
const rareParts = [
  '\u00a0 \u00ad \u2028 \u2029 \ufeff \ue000 \u200b \u200e \u2011 \u3000 \u212b',
  '\u0085 \u007f',
  '\u202eright',
  'Щука straße İı ❤️ 👍🏽 Ｆｕｌｌ Σίσυφος カナ 한글 العربية 𠮷 🇫🇷 1️⃣ “a” ‘b’ – — €',
  '... -- -> (c) #a @b =1 +2 ~ ^ ` | *c* _d_ [e] f: :g, h; null!.',
  '\\n \\u0041 \\\\ %u0041',
  '&#65;',
  '%s %d $& $1 {{x}} $ {y}',
  '<%= z %>',
  'https://example.com/?a=b',
  'one\r\ntwo\rthree\vfour\f',
  '👩‍👩‍👧 🏴󠁧󠁢󠁷󠁬󠁳󠁿 נַ ลี กำ 각 ǅ ﬀ Å',
];

/** What a service commonly cuts off where a name begins or ends. */
export const commonEdges: readonly string[] = [
  '\ufeff',
  '\u0301',
  '\u00a0',
  '\u200b',
  '\u00ad',
  "'",
  '"',
  '0',
  '.',
  '/',
  '=',
  '--',
  '\u3000',
  'É',
];

/** What it may cut off, or take for something else, more rarely. */
const rareEdges = ['\\', '#', '_', '...', '🦄', '@', '\t', '-', ',', '(', '\u2028', '+', '%', '!', '\u200d', 'ß'];

/** Names that look like something else, by kind, the likeliest to be taken for it first. They carry no tag. */
const lookAlikes: readonly (readonly string[])[] = [
  ['0'],
  ['12', '7', '405', '9007199254740993'],
  ['007', '1e3', '1E5', '1.50', '+1', '-0', ' 12 '],
  ['null', 'true', 'false'],
  ['undefined', 'NaN', 'NULL', 'None', '[object Object]'],
  ['name', 'id', 'status', 'constructor', '__proto__', 'toString'],
  ['{}', '[]', '""', '{"name":"Rex"}', '[1]'],
  ['-', '--', '.', '..', '/', '%', '*', '?', "'", '"', '\\'],
  ['available', 'pending', 'sold'],
  ['2030-12-05', '12:30', '1/2', '0x1F', '1_000', '.5', 'Infinity'],
  ['ſ', 'İ', 'ß', 'Ω', '½'],
  [' ', '\u00a0', '\u200b', '\u3000'],
];

/** Longer names may be more than a column holds, and make pages that nobody reads. */
const longestHarmless = 255;

/**
 * Whether some services never recover from having stored a name, or those who look at it suffer: halves of characters,
 * controls, what turns the direction of a text round, markup, and what is very long.
 */
export function isHazardous(name: string): boolean {
  const isStrange = /[\p{Cc}\u202a-\u202e\u2066-\u2069<>]|&[#\w]+;/u.test(name);
  return isStrange || !name.isWellFormed() || [...name].length > longestHarmless;
}

/** Whether a session may send a name to its target. */
export function maySend({ settings }: Pick<Session, 'settings'>, name: string): boolean {
  return settings.isDisposable || !isHazardous(name);
}

/** A name of a given length, with words in it. */
export function longName(tag: string, length: number): string {
  return `${tag} ${'long name '.repeat(Math.max(0, length / 10))}end`;
}

/** Joins as many parts as fit in a name that is not hazardous for its length. */
function joinFitting(tag: string, parts: readonly string[]): string {
  return parts.reduce((name, part) => {
    const longer = `${name} ${part}`;
    return [...longer].length <= longestHarmless ? longer : name;
  }, tag);
}

/** What is common at once, with spaces around it, and without the controls that many services refuse. */
export function hardName(session: Session, tag: string): string {
  const parts = commonParts.filter((part) => maySend(session, part));
  return `  ${tag} ${parts.join(' ')} `;
}

/** What is rare at once: in a very long name where that may be sent. */
export function rareName(session: Session, tag: string): string {
  const parts = rareParts.filter((part) => maySend(session, part));
  return session.settings.isDisposable ? `${parts.join(' ')} ${longName(tag, 4_400)} \n\t` : joinFitting(tag, parts);
}

/** Some of a list in an order by the seed. */
export function shuffle<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const shuffled = [...items];
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!];
  }
  return shuffled;
}

/**
 * A plain long name, then names around a tag, each with an untried beginning and end; with middles they are long.
 */
export function namesAround(session: Session, middle: 'with-middles' | 'short'): readonly ((tag: string) => string)[] {
  const allowed = (parts: readonly string[]): readonly string[] => parts.filter((part) => maySend(session, part));
  const drawEdges = (): readonly string[] =>
    [commonEdges, rareEdges].flatMap((edges) => shuffle(allowed(edges), session.random));
  const [fronts, ends] = [drawEdges(), drawEdges()];
  const middles = middle === 'short' ? [] : allowed([...commonParts, ...rareParts]);
  const around = Array.from({ length: Math.max(fronts.length, middles.length) }, (_nothing, at) => {
    const between = middles[at] === undefined ? '' : ` ${middles[at]} `;
    return (tag: string) => `${fronts[at] ?? ''}${tag}${between}${ends[at] ?? ''}`;
  });
  return [(tag) => longName(tag, longestHarmless - 20), ...around];
}

/** Of the kinds of names that look like something else so many come early. */
const earlyKinds = 4;

/**
 * One name of each kind that looks like something else, the likeliest kinds or the others in an order by the seed.
 * Nothing tells that they are of a run.
 */
export function namesLikeOthers({ settings, random }: Session, kinds: 'likeliest' | 'others'): readonly string[] {
  if (!settings.isDisposable) return [];
  const wanted =
    kinds === 'likeliest' ? lookAlikes.slice(0, earlyKinds) : shuffle(lookAlikes.slice(earlyKinds), random);
  return wanted.map((names) => names[Math.floor(random() * names.length)]!);
}
