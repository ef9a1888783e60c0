/** Texts that services trip over wherever they come in: in a query, a path, a header or a body. */

/** Splits lines at their blanks, so that no text holds one. */
export function words(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(' '));
}

/** Characters that mean something somewhere in one text, without those after which nothing more may be read. */
export const oddCharacters = '\'"`\\<>()|^~*$#?&=+;:,@!%41é漢🦄\u202e';

/** Words of languages, numbers at and beyond common limits, characters with a meaning somewhere, and text of other scripts. */
export const strangeTexts: readonly string[] = [
  ...words(
    'null undefined true NaN Infinity None constructor __proto__ toString hasOwnProperty 0 -0 00 007 +1',
    '.5 1.5 1e3 1e400 0x10 1_000 1,5 2147483648 -2147483649 4294967297 9007199254740993',
    '9223372036854775808 18446744073709551616',
  ),
  '9'.repeat(60),
  '2030-12-05T10:00:00Z',
  '2030-02-30',
  '12:61',
  '\u0663',
  '\uff15',
  '\u00bd',
  'caf\u00e9',
  'e\u0301',
  '\u0416\u0443\u043a',
  '\u05d0\u05d1',
  '\u6f22',
  '\u{1f984}',
  '\u202e',
  '\ufeff',
  '\u0000',
  '\n',
  '\r\nx: y',
  '\t',
  ' ',
  'a b',
  '+',
  '%',
  '%41',
  '"',
  "'",
  '\\',
  ...words('/ ../.. <b> | ; & = # ? * $ [] {} {{7*7}} ` ^ ~ ,'),
  "' or 1=1 --",
  oddCharacters,
  'x'.repeat(300),
];
