/** §4.2 Names that careless services change, by the part that they change. */

import type { Exchange } from '../../http/exchange.ts';
import { readNewPet } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import type { Session } from '../../run/session.ts';
import { nameIn } from '../../verdict/names.ts';
import { inRounds, shuffle } from '../orders.ts';

/** Each reveals one common change of names; the first name holds all of them. */
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

/** Characters that services commonly trim from the beginning or end of a name. */
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

/** Characters that services trim or misread more rarely. */
const rareEdges = ['\\', '#', '_', '...', '🦄', '@', '\t', '\n', '-', ',', '(', '\u2028', '+', '%', '!', '\u200d', 'ß'];

/** Names that resemble another type or syntax, by kind, the likeliest to be misread first. They carry no tag. */
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

/** Longer names may not fit a column, and make pages that nobody reads. */
const longestHarmless = 255;

/** Whether a session may send a name to its target: a shared one gets plain names of this run only. */
export function maySend({ settings }: Pick<Session, 'settings'>, name: string): boolean {
  if (settings.isDisposable) return true;
  const tag = nameIn(name, settings);
  return tag !== undefined && name.startsWith(tag) && /^[A-Za-z0-9][A-Za-z0-9 -]{0,29}$/.test(name);
}

export function longName(tag: string, length: number): string {
  return `${tag} ${'long name '.repeat(Math.max(0, length / 10))}end`;
}

/** Joins as many parts as fit into a name that is not too long. */
function joinFitting(tag: string, parts: readonly string[]): string {
  return parts.reduce((name, part) => {
    const longer = `${name} ${part}`;
    return [...longer].length <= longestHarmless ? longer : name;
  }, tag);
}

/** All common parts at once, with spaces around them, and without the control characters that many services refuse. */
export function hardName(session: Session, tag: string): string {
  const parts = commonParts.filter((part) => maySend(session, part));
  return `  ${tag} ${parts.join(' ')} `;
}

/** All rare parts at once, in a very long name if that may be sent. */
export function rareName(session: Session, tag: string): string {
  const parts = rareParts.filter((part) => maySend(session, part));
  if (!session.settings.isDisposable) return joinFitting(tag, parts);
  return `  ${[...commonParts, ...parts].join(' ')} ${longName(tag, 4_400)} \n\t`;
}

/**
 * A plain long name, then names with another beginning and end around each tag, and on request a middle; plain names
 * where hard ones may not be sent.
 */
export function namesWithAffixes(
  session: Session,
  middle: 'with-middles' | 'short',
): readonly ((tag: string) => string)[] {
  if (!session.settings.isDisposable) return Array.from(commonEdges, () => (tag) => tag);
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

/** The creations of animals whose names resemble another type, by name. A body that is open to readings counts, too. */
function lookAlikesSent(exchanges: readonly Exchange[]): ReadonlyMap<string, readonly Exchange[]> {
  const sent = Map.groupBy(exchanges, (exchange) => {
    const reading = readNewPet(exchange);
    return reading.kind === 'invalid' ? undefined : reading.pet?.name;
  });
  return new Map(lookAlikeKinds.flat().flatMap((name) => (sent.has(name) ? [[name, sent.get(name)!]] : [])));
}

/** Whether the target has accepted a name that resembles another type. */
export function takesLookAlikes({ exchanges }: Session): boolean {
  return [...lookAlikesSent(exchanges).values()].flat().some((exchange) => statusOf(exchange) === 201);
}

/** After so many refused names that resemble another type, and none accepted, no more are worth trying. */
const mostRefused = 2;

/** The names that resemble another type and were not sent yet: one of each kind comes before a second one of any. */
export function lookAlikeNames(session: Session): readonly string[] {
  const { settings, exchanges, random } = session;
  const sent = lookAlikesSent(exchanges);
  if (!settings.isDisposable || (sent.size >= mostRefused && !takesLookAlikes(session))) return [];
  const isSent = (name: string): boolean => sent.has(name);
  const kinds = lookAlikeKinds.map((kind) => [
    ...kind.filter(isSent),
    ...shuffle(kind, random).filter((name) => !isSent(name)),
  ]);
  return inRounds(kinds).filter((name) => !isSent(name));
}
