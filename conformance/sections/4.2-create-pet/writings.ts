/** §4.2 Ways to write an animal as JSON that RFC 8259 allows. */

import { type JsonObject, writeJson } from '../../http/json.ts';
import { cycle } from '../orders.ts';

/** Writes an animal as JSON that every reader reads as that animal. */
export type Writing = (pet: JsonObject) => string;

type Escape = (unit: string) => string;

const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');
const inLowerHex: Escape = (unit) => `\\u${hexOf(unit)}`;
const inUpperHex: Escape = (unit) => `\\u${hexOf(unit).toUpperCase()}`;

function writeFields(pet: JsonObject, gap: () => string, writeField: (name: string) => string): string {
  const fields = Object.entries(pet).map(
    ([name, value]) => `${writeField(name)}${gap()}:${gap()}${writeJson(value)}${gap()}`,
  );
  return `${gap()}{${gap()}${fields.join(`,${gap()}`)}}${gap()}`;
}

const quoted = (name: string): string => JSON.stringify(name);

function reversed(pet: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(pet).reverse());
}

const escapedField =
  (write: Escape) =>
  (name: string): string =>
    `"${write(name[0]!)}${name.slice(1)}"`;

/** Escapes every letter of the texts; escapes that JSON needs stay as they are. */
function escapeTexts(pet: JsonObject): string {
  const escapeLetter: Escape = (part) => (part.length === 1 ? inLowerHex(part) : part);
  const fields = Object.entries(pet).map(
    ([name, value]) => `${quoted(name)}:${writeJson(value).replace(/\\(?:u[0-9a-f]{4}|.)|[A-Za-z]/g, escapeLetter)}`,
  );
  return `{${fields.join(',')}}`;
}

/** Writings that each differ from the usual one in one respect. */
export const writings: readonly Writing[] = [
  (pet) => writeFields(pet, cycle([' ']), quoted),
  (pet) => writeFields(pet, cycle(['\t']), quoted),
  (pet) => writeFields(pet, cycle(['\r\n', '\n']), quoted),
  (pet) => `\n ${writeJson(pet)}\r\n`,
  (pet) => writeJson(reversed(pet)),
  (pet) => writeFields(pet, cycle(['']), escapedField(inLowerHex)),
  (pet) => writeFields(pet, cycle(['']), escapedField(inUpperHex)),
  escapeTexts,
];

/** Escapes the field name `name` with hexadecimal digits of both cases. */
function escapedName(name: string): string {
  if (name !== 'name') return quoted(name);
  return `"${inLowerHex('n')}a${inUpperHex('m')}e"`;
}

/** All of these at once: reversed fields, every kind of white space between tokens, and escapes. */
export const writeFreely: Writing = (pet) =>
  writeFields(reversed(pet), cycle(['\r\n', ' ', '\n\r ', '\t']), escapedName);

/** Escapes everything outside ASCII, surrogate pairs included, with hexadecimal digits of both cases. */
export const writeEscaped: Writing = (pet) => {
  let isUpper = false;
  return writeJson(pet).replace(/[^\x00-\x7e]|\//g, (unit) => {
    isUpper = !isUpper;
    return unit === '/' ? '\\/' : isUpper ? inUpperHex(unit) : inLowerHex(unit);
  });
};

function writeIndented(pet: JsonObject, indent: string): string {
  const lines = Object.entries(pet).map(([name, value]) => `${indent}${quoted(name)}: ${writeJson(value)}`);
  return `{\n${lines.join(',\n')}\n}`;
}

/** The fields of an animal in an order; other fields come last. */
const ordered =
  (...names: readonly string[]): Writing =>
  (pet) =>
    writeJson(
      Object.fromEntries([
        ...names.flatMap((name) => (name in pet ? [[name, pet[name]!]] : [])),
        ...Object.entries(pet),
      ]),
    );

/** Writings that fewer clients use: indented, with long or odd blanks, in other orders, with every letter of the name escaped. */
export const rareWritings: readonly Writing[] = [
  (pet) => writeIndented(pet, '    '),
  (pet) => writeIndented(pet, '\t'),
  (pet) => `{${' '.repeat(900)}${writeJson(pet).slice(1)}${'\n'.repeat(300)}`,
  ordered('status', 'name', 'categoryId'),
  (pet) => writeJson(pet).replaceAll('":', '" :'),
  ordered('categoryId', 'name', 'status'),
  ({ name, ...rest }) => {
    const escaped = [...String(name)].flatMap((character) => character.split('').map(inUpperHex)).join('');
    return `{"name":"${escaped}",${writeJson(rest).slice(1)}`;
  },
  ordered('name', 'status', 'categoryId'),
];
