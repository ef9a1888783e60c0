/** §4.2 Ways to write an animal as JSON that RFC 8259 allows: every reader reads it as that animal. */

import { type JsonObject, writeJson } from '../../http/json.ts';

export type Writing = (pet: JsonObject) => string;

function escapeUnit(unit: string, digits: 'lower' | 'upper'): string {
  const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
  return `\\u${digits === 'upper' ? hex.toUpperCase() : hex}`;
}

const reverse = (pet: JsonObject): JsonObject => Object.fromEntries(Object.entries(pet).reverse());

/** Writes white space before and after each token: the first gap, then the second one, and so on in turn. */
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

/** Writings that each differ from the usual one in one respect. */
export const writings: readonly Writing[] = [
  spaced(' '),
  spaced('\t'),
  spaced('\r\n', '\n'),
  (pet) => `\n ${writeJson(pet)}\r\n`,
  (pet) => writeJson(reverse(pet)),
  // The first letter of each field.
  (pet) => writeJson(pet).replace(/(?<=[{,]")[a-z]/g, (unit) => escapeUnit(unit, 'upper')),
  // Every letter of the texts that is not escaped already.
  (pet) =>
    writeJson(pet).replace(/(?<=:)"(?:\\.|[^"\\])*"/g, (text) =>
      text.replace(/\\(?:u[0-9a-f]{4}|.)|[A-Za-z]/g, (part) => (part.length > 1 ? part : escapeUnit(part, 'lower'))),
    ),
  // Indented, as many tools write it, and with long blanks, as none does.
  spaced('\n\t'),
  (pet) => `{${' '.repeat(900)}${writeJson(pet).slice(1)}${'\n'.repeat(300)}`,
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
