/** Faults of §2: names that are not returned as they were sent. */

import type { JsonObject, JsonValue } from '../http/json.ts';
import { changeAnimals, changeSentPet, mapField, type Wrap } from '../services/wraps.ts';
import { type Fault, ordinaryEach, rareEach } from './fault.ts';

type Change = (name: string) => string;

function onText(change: (text: string) => JsonValue): (animal: JsonObject) => JsonObject {
  return mapField('name', (name) => (typeof name === 'string' ? change(name) : name));
}

const nameChanges: Readonly<Record<string, Change>> = {
  trimmed: (name) => name.trim(),
  'trimmed-at-the-end': (name) => name.trimEnd(),
  'trimmed-at-the-start': (name) => name.trimStart(),
  'composed-nfc': (name) => name.normalize('NFC'),
  'decomposed-nfd': (name) => name.normalize('NFD'),
  'folded-nfkc': (name) => name.normalize('NFKC'),
  'in-lower-case': (name) => name.toLowerCase(),
  'in-upper-case': (name) => name.toUpperCase(),
  'with-single-spaces': (name) => name.replace(/ +/g, ' '),
  'without-astral': (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, ''),
  'with-astral-as-question-marks': (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, '??'),
  'with-replacement-characters': (name) => name.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd'),
  'in-ascii': (name) => name.replace(/[^\x00-\x7f]/g, '?'),
  'in-latin-1': (name) => name.replace(/[^\x00-\xff]/g, '?'),
  'escaped-for-html': (name) => name.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
  'without-tags': (name) => name.replace(/<[^>]*>/g, ''),
  'without-quotes': (name) => name.replace(/["']/g, ''),
  'with-slashes-added': (name) => name.replace(/["'\\]/g, '\\$&'),
  'without-backslashes': (name) => name.replaceAll('\\', ''),
  'url-decoded': (name) => name.replace(/%20/g, ' '),
  'with-plus-as-space': (name) => name.replaceAll('+', ' '),
  'without-controls': (name) => name.replace(/[\x00-\x1f]/g, ''),
  'without-format-characters': (name) => name.replace(/\p{Cf}/gu, ''),
  'cut-to-50': (name) => name.slice(0, 50),
  'cut-to-100': (name) => name.slice(0, 100),
  'cut-to-255': (name) => name.slice(0, 255),
  'cut-to-256': (name) => name.slice(0, 256),
  'cut-to-1024': (name) => name.slice(0, 1024),
  'cut-to-4096': (name) => name.slice(0, 4096),
};

/** Rarer mistakes with text. Where the service stores the changed name, every page shows it too. */
const rareNameChanges: Readonly<Record<string, Change>> = {
  'with-plain-spaces': (name) => name.replaceAll('\u00a0', ' '),
  'with-one-kind-of-line-end': (name) => name.replace(/\r\n?/g, '\n'),
  'without-line-separators': (name) => name.replace(/[\u2028\u2029]/g, ''),
  'without-private-use': (name) => name.replace(/\p{Co}/gu, ''),
  'without-variation-selectors': (name) => name.replace(/\p{Variation_Selector}/gu, ''),
  'with-typography': (name) => name.replaceAll('...', '\u2026').replaceAll('--', '\u2013').replaceAll('(c)', '\u00a9'),
  'with-entities-read': (name) => name.replaceAll('&amp;', '&'),
  'with-escapes-read-again': (name) => name.replaceAll('\\n', '\n').replaceAll('\\\\', '\\'),
  'as-a-format': (name) => name.replace(/%[sd]/g, 'undefined'),
  'with-doubled-percent-as-one': (name) => name.replaceAll('%%', '%'),
  'as-a-replacement': (name) => '{name}'.replace('{name}', name),
  'as-a-template': (name) => name.replace(/\{\{.*?\}\}|<%.*?%>/g, ''),
  'with-links-marked-up': (name) => name.replace(/https?:\/\/\S+/g, '<a href="$&">$&</a>'),
  'safe-for-spreadsheets': (name) => name.replace(/^[=+@-]/, "'$&"),
  'with-capitals-where-plain': (name) =>
    /^[\w -]+$/.test(name) ? name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()) : name,
  'cut-to-8192': (name) => name.slice(0, 8192),
  'without-zero-width-spaces': (name) => name.replaceAll('\u200b', ''),
  'without-marks-of-direction': (name) => name.replace(/[\u200e\u200f]/g, ''),
  'with-ideographic-spaces-as-plain': (name) => name.replaceAll('\u3000', ' '),
  'with-plain-hyphens': (name) => name.replace(/[\u2011\u2013\u2014]/g, '-'),
  'with-straight-quotes': (name) => name.replace(/[\u2018\u2019]/g, "'").replace(/[\u201c\u201d]/g, '"'),
  'with-currencies-of-windows-1252': (name) => name.replaceAll('\u20ac', '\u0080'),
  'without-delete': (name) => name.replaceAll('\u007f', ''),
  'with-vertical-space-as-plain': (name) => name.replace(/[\v\f]/g, ' '),
  'without-flags': (name) => name.replace(/\p{Regional_Indicator}/gu, ''),
  'without-punctuation': (name) => name.replace(/[~^`|*_[\]!;]/g, ''),
  'with-numbered-entities-read': (name) => name.replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code))),
  'with-percent-u-read': (name) => name.replaceAll('%u0041', 'A'),
  'in-other-scripts-as-question-marks': (name) =>
    name.replace(/[\p{sc=Arabic}\p{sc=Hangul}\p{sc=Katakana}\p{sc=Greek}]/gu, '?'),
};

/** Mistakes that one name in dozens shows: with a script, a syntax or a character that few names have. */
const drawnNameChanges: Readonly<Record<string, Change>> = {
  'without-hebrew': (name) => name.replace(/\p{sc=Hebrew}/gu, ''),
  'with-devanagari-as-question-marks': (name) => name.replace(/\p{sc=Devanagari}/gu, '?'),
  'with-ethiopic-as-question-marks': (name) => name.replace(/\p{sc=Ethiopic}/gu, '?'),
  'with-georgian-in-upper-case': (name) => name.replace(/\p{sc=Georgian}/gu, (letter) => letter.toUpperCase()),
  'with-circled-letters-as-plain': (name) => name.replace(/[\u2460-\u24ff]/g, (letter) => letter.normalize('NFKC')),
  'with-jamo-composed': (name) => name.replace(/[\u1100-\u11ff]+/g, (jamo) => jamo.normalize('NFC')),
  'empty-for-words-that-mean-nothing': (name) => name.replace(/^(null|undefined|NaN|NULL|None)$/, ''),
  'without-the-sixteenth-plane': (name) => name.replace(/[\u{100000}-\u{10ffff}]/gu, ''),
  'with-ruby-templates-read': (name) => name.replace(/#\{[^}]*\}/g, ''),
  'with-parameters-bound': (name) => name.replaceAll(':name', 'NULL'),
  'with-two-apostrophes-as-one': (name) => name.replaceAll("''", "'"),
  'with-an-escaped-plus-read': (name) => name.replaceAll('%2B', '+'),
  'with-escaped-tabs-read': (name) => name.replaceAll('\\t', '\t'),
  'without-comments': (name) => name.replace(/\/\*.*?\*\//g, ''),
  'without-undefined': (name) => name.replaceAll('undefined', ''),
  'without-word-joiners': (name) => name.replaceAll('\u2060', ''),
  'with-an-open-entity-read': (name) => name.replace(/&lt\b/g, '<'),
  'without-noncharacters': (name) => name.replace(/[\uffff\ufdd0]/g, ''),
  'without-backspaces': (name) => name.replaceAll('\b', ''),
  'with-the-apostrophe-of-a-name-doubled': (name) => name.replaceAll("O'", "O''"),
  'cut-where-64-long': (name) => (name.length === 64 ? [...name].slice(0, -1).join('') : name),
};

/** Mistakes with names that look like another type, or that begin or end with a special character. */
const lookAlikeChanges: Readonly<Record<string, (name: string) => JsonValue>> = {
  'as-numbers-where-digits': (name) => (/^[1-9]\d*$/.test(name) ? BigInt(name) : name),
  'as-numbers-in-text': (name) =>
    /^[\s\d.eE+-]+$/.test(name) && !Number.isNaN(Number(name)) ? String(Number(name)) : name,
  'as-words-of-json': (name) => (/^(null|true|false)$/i.test(name) ? null : name),
  'empty-where-zero': (name) => (name === '0' ? '' : name),
  'without-leading-zeros': (name) => name.replace(/^0+(?=.)/, ''),
  'without-a-mark-in-front': (name) => name.replace(/^\ufeff/, ''),
  'without-an-accent-in-front': (name) => name.replace(/^\p{M}+/u, ''),
  'without-zero-width-ends': (name) => name.replace(/^\u200b+|[\u200b\u00ad]+$/g, ''),
  'without-wide-ends': (name) => name.replace(/^[\u00a0\u3000]+|[\u00a0\u3000]+$/g, ''),
  'without-quotes-around': (name) => name.replace(/^["']|["']$/g, ''),
  'without-dots-at-the-ends': (name) => name.replace(/^\.+|\.+$/g, ''),
  'without-slashes-at-the-ends': (name) => name.replace(/^[/\\]+|[/\\]+$/g, ''),
  'without-marks-of-formulas': (name) => name.replace(/^[=+@-]+/, ''),
  'with-a-capital-in-front': (name) => name.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase()),
  'as-truth-of-yaml': (name) => (/^(yes|no|on|off)$/.test(name) ? name === 'yes' || name === 'on' : name),
  'without-trailing-zeros': (name) => (/^\d+\.\d*0$/.test(name) ? String(Number(name)) : name),
  'empty-where-blank': (name) => (/^\s+$/.test(name) ? '' : name),
  'without-a-last-line-end': (name) => name.replace(/[\r\n]+$/, ''),
  'without-quotes-of-a-literal': (name) => name.replace(/^(["'`])(.*)\1$/s, '$2'),
  'with-typographic-dashes': (name) => name.replaceAll('--', '\u2014'),
};

const stored = (change: Change): Wrap => changeSentPet(onText(change));
const listed = (change: Change): Wrap => changeAnimals(onText(change), 'listPets');
const read = (change: Change): Wrap => changeAnimals(onText(change), 'getPet');

export const nameFaults: readonly Fault[] = [
  ...ordinaryEach('pet-name-kept', 'name-stored-*', nameChanges, stored),
  ...ordinaryEach('pet-name-kept', 'name-listed-*', nameChanges, listed),
  ...ordinaryEach('pet-name-kept', 'name-read-*', nameChanges, read),
  ...rareEach('pet-name-kept', 'name-stored-*', rareNameChanges, stored),
  ...rareEach('pet-name-kept', 'name-listed-*', rareNameChanges, listed),
  ...rareEach('pet-name-kept', 'name-stored-*', drawnNameChanges, stored),
  ...rareEach(['pet-name-kept', 'pet-name'], 'name-shown-*', lookAlikeChanges, (change) =>
    changeAnimals(onText(change)),
  ),
];
