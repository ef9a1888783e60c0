/** §4.2 Ways to write an animal as JSON that RFC 8259 allows: every reader reads it as that animal. */

import { type JsonObject, writeJson } from '../../http/json.ts';

export type Writing = (pet: JsonObject) => string;

type Digits = 'lower' | 'upper';

function escapeUnit(unit: string, digits: Digits): string {
  const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\u${digits === 'upper' ? hex.toUpperCase() : hex}`;
}

const reverse = (pet: JsonObject): JsonObject => Object.fromEntries(Object.entries(pet).reverse());

/** Writes one gap after the other before and after each token. */
const spaced =
  (...gaps: readonly string[]): Writing =>
  (pet) => {
    const fields = Object.entries(pet).flatMap(([name, value], at) => [
      at === 0 ? '{' : ',',
      JSON.stringify(name),
      ':',
      writeJson(value),
    ]);
    return [...fields, '}', ''].map((token, at) => `${gaps[at % gaps.length]}${token}`).join('');
  };

/** Writes these fields first. */
const ordered =
  (...names: readonly string[]): Writing =>
  (pet) =>
    writeJson({ ...Object.fromEntries(names.flatMap((name) => (name in pet ? [[name, pet[name]!]] : []))), ...pet });

/** Escapes the first letter of each field. */
const escapedFields =
  (digits: Digits): Writing =>
  (pet) =>
    writeJson(pet).replace(/(?<=[{,]")[a-z]/g, (unit) => escapeUnit(unit, digits));

/** Escapes the units of the texts of these fields that match and are not escaped already. */
const escapedTexts =
  (fields: readonly string[], units: RegExp, digits: Digits): Writing =>
  (pet) => {
    const escapePart = (part: string): string => (units.test(part) ? escapeUnit(part, digits) : part);
    const written = Object.entries(pet).map(([name, value]) => {
      const text = writeJson(value);
      return `"${name}":${fields.includes(name) ? text.replace(/\\(?:u[0-9a-f]{4}|.)|[^"]/g, escapePart) : text}`;
    });
    return `{${written.join()}}`;
  };

/** Writings that each differ from the usual one in one respect. */
export const writings: readonly Writing[] = [
  spaced(' '),
  spaced('\t'),
  spaced('\r\n', '\n'),
  (pet) => `\n ${writeJson(pet)}\r\n`,
  (pet) => writeJson(reverse(pet)),
  escapedFields('lower'),
  escapedFields('upper'),
  escapedTexts(['name', 'status'], /^[A-Za-z]$/, 'lower'),
];

/** Reversed fields, every kind of white space between tokens, and escapes with digits of both cases, all at once. */
export const writeFreely: Writing = (pet) =>
  spaced('\r\n', ' ', '\n\r ', '\t')(reverse(pet)).replace('"name"', '"\\u006ea\\u006De"');

/** Escapes everything outside ASCII, surrogate pairs included, with hexadecimal digits of both cases. */
export const writeEscaped: Writing = (pet) => {
  let count = 0;
  return writeJson(pet).replace(/[^\x00-\x7e]|\//g, (unit) => {
    count += 1;
    return unit === '/' ? '\\/' : escapeUnit(unit, count % 2 === 0 ? 'lower' : 'upper');
  });
};

/** Writings that fewer clients use: indented, with long or odd blanks, in other orders, with every letter of the name escaped. */
export const rareWritings: readonly Writing[] = [
  (pet) =>
    `{\n${Object.entries(pet)
      .map(([name, value]) => `\t"${name}": ${writeJson(value)}`)
      .join(',\n')}\n}`,
  (pet) => `{${' '.repeat(900)}${writeJson(pet).slice(1)}${'\n'.repeat(300)}`,
  ordered('status', 'name', 'categoryId'),
  (pet) => writeJson(pet).replaceAll('":', '" :'),
  ordered('categoryId', 'name', 'status'),
  escapedTexts(['name'], /^.$/s, 'upper'),
  ordered('name', 'status', 'categoryId'),
];
