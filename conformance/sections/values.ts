/** The one table of values: what first versions get wrong, by place, the likeliest first. */

import fc from 'fast-check';
import { type PetStatus, petStatuses } from '../../spec/operations.ts';
import { inUtf16, rawBytes } from '../http/body-bytes.ts';
import { isInt64, type JsonObject, type JsonValue, writeJson } from '../http/json.ts';
import type { Settings } from '../verdict/settings.ts';

const words = (...lines: readonly string[]): readonly string[] => lines.flatMap((line) => line.split(' '));

// Names. Those of a kind stand in one text, since one creation then shows all of them; a refused one is sent in parts.

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
const rareParts = [
  '\u00a0 \u00ad \u2028 \u2029 \ufeff \ue000 \u200b \u200e \u2011 \u3000 \u212b',
  '\u0085 \u007f',
  '\u202eright',
  'Щука straße İı ❤️ 👍🏽 Ｆｕｌｌ Σίσυφος カナ 한글 العربية 𠮷 🇫🇷 1️⃣ “a” ‘b’ – — €',
  '... -- -> (c) #a @b =1 +2 ~ ^ ` | *c* _d_ [e] f: :g, h; null!.',
  '\\n \\u0041 \\\\ %u0041 &#65; %s %d %% $& $1 $$ {{x}} $ {y} <%= z %>',
  'https://example.com/?a=b',
  'one\r\ntwo\rthree\vfour\f\ttab',
  '👩‍👩‍👧 🏴󠁧󠁢󠁷󠁬󠁳󠁿 נַ ลี กำ 각 ǅ ﬀ Å',
];

/** The name of an animal around its tag, by which a page is searched; a name without `TAG` carries none. */
export const names: readonly string[] = [
  `  TAG ${commonParts.join(' ')} ${'long name '.repeat(24)}`,
  '0',
  `\tTAG ${rareParts.join(' ')} ${'long name '.repeat(440)}\n`,
  'mIxEd TAG CaSe',
  ...commonParts.map((part) => `TAG ${part}`),
  'null',
  `TAG ${'long name '.repeat(26)}end`,
  '90071992547409931',
  '',
  '  TAG',
  `TAG ${'x'.repeat(101)}`,
  `TAG ${'n'.repeat(1_100)}`,
  'true',
  "'TAG'",
  '007',
  ' ',
  'TAG.',
  '1.50',
  'constructor',
  `TAG ${'long name '.repeat(440)}`,
  'TAG ',
  '__proto__',
  `TAG ${'y'.repeat(46)}`,
  ...rareParts.map((part) => `TAG ${part}`),
  '\u00a0TAG\u00a0',
  '"TAG"',
  'nul\u0000TAG',
  '1e3',
  'R',
  '{"a":1}',
  '[1]',
  'undefined',
  '2030-12-05',
  '\ufeffTAG\u200b',
  '\u0301TAG\u0301',
  'TAG/',
  '/TAG=',
  '-TAG--',
  `TAG ${'é'.repeat(129)}`,
  `TAG ${'🐶'.repeat(64)}`,
  "Robert'); DROP TABLE pets;--TAG",
  ...words(
    '=TAG+1 @TAG #TAG no off -1 -0 NaN None available name 12:30 ß İ . % * ? \\ cmV4IHJleA== 0x1F .5 Infinity +1',
  ),
  ' 12 ',
  '\u200b',
  `TAG ${'w'.repeat(57)}`,
  `TAG ${'v'.repeat(25)}`,
];

/** Whether a target may get a name: by default, a shared one gets plain names of this run only. */
export function maySend({ isDisposable }: Settings): boolean {
  return isDisposable;
}

// Categories.

const [two31, two32, two53, two63] = [2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n];
export const categories: readonly bigint[] = [
  two53 + 1n,
  -two63,
  two63 - 1n,
  0n,
  -1n,
  two32 + 5n,
  -two53 - 1n,
  two31,
  1_000_000_000_000_000_001n,
  -two31 - 1n,
  two31 - 1n,
  65_536n,
  two53,
  two32,
  256n,
  -2n,
  2n ** 62n + 1n,
  128n,
  100_000n,
  1_234_567_890_123n,
  -129n,
  32_768n,
  -32_769n,
  999n,
  7n,
  -two53 + 1n,
  10n ** 18n,
  255n,
  65_535n,
  -65_537n,
];

// Ways to write a body.

type Writing = (pet: JsonObject) => string;
type Escape = (unit: string) => string;
const hexOf = (unit: string): string => unit.charCodeAt(0).toString(16).padStart(4, '0');
const inLowerHex: Escape = (unit) => `\\u${hexOf(unit)}`;
const inUpperHex: Escape = (unit) => `\\u${hexOf(unit).toUpperCase()}`;
const reversed = (pet: JsonObject): JsonObject => Object.fromEntries(Object.entries(pet).reverse());

function writeFields(pet: JsonObject, gaps: readonly string[], nameOf: (name: string) => string): string {
  let at = 0;
  const gap = (): string => gaps[at++ % gaps.length]!;
  const fields = Object.entries(pet).map(
    ([name, value]) => `${nameOf(name)}${gap()}:${gap()}${writeJson(value)}${gap()}`,
  );
  return `${gap()}{${gap()}${fields.join(`,${gap()}`)}}${gap()}`;
}

const quoted = (name: string): string => JSON.stringify(name);
const escapedField = (write: Escape) => (name: string) => `"${write(name[0]!)}${name.slice(1)}"`;
const ordered =
  (...fields: readonly string[]): Writing =>
  (pet) =>
    writeJson(
      Object.fromEntries([
        ...fields.flatMap((name) => (name in pet ? [[name, pet[name]!]] : [])),
        ...Object.entries(pet),
      ]),
    );

/** Every reader must read these as the same animal (RFC 8259). */
export const writings: readonly Writing[] = [
  (pet) => writeJson(pet),
  (pet) => writeFields(reversed(pet), ['\r\n', ' ', '\n\r ', '\t'], quoted),
  (pet) =>
    writeJson(pet).replace(/[^\x00-\x7e]|\//g, (unit, at) =>
      unit === '/' ? '\\/' : at % 2 ? inUpperHex(unit) : inLowerHex(unit),
    ),
  (pet) => writeFields(pet, [' '], quoted),
  (pet) => writeJson(reversed(pet)),
  (pet) => writeFields(pet, [''], escapedField(inLowerHex)),
  (pet) => `\n ${writeJson(pet)}\r\n`,
  (pet) => writeFields(pet, ['\t'], quoted),
  (pet) => writeFields(pet, ['\r\n', '\n'], quoted),
  (pet) => writeFields(pet, [''], escapedField(inUpperHex)),
  ordered('status', 'name', 'categoryId'),
  ({ name, ...rest }) =>
    `{"name":"${[...String(name)].flatMap((one) => one.split('').map(inUpperHex)).join('')}",${writeJson(rest).slice(1)}`,
  (pet) => `{${' '.repeat(900)}${writeJson(pet).slice(1)}${'\n'.repeat(300)}`,
  ordered('categoryId', 'name', 'status'),
  (pet) => writeJson(pet).replaceAll('":', '" :'),
  ordered('name', 'status', 'categoryId'),
];

// Bodies that must be refused. N stands for a name that no animal has, C for a category by which its animal would be known.

const withStatus = (status: JsonValue): string => `{"name":N,"categoryId":C,"status":${writeJson(status)}}`;
const withCategory = (text: string): string => `{"name":N,"categoryId":${text}}`;
const withName = (name: JsonValue): string => `{"name":${writeJson(name)},"categoryId":C}`;

/** By how often first versions take them, or fail on them. */
export const wrongBodies: readonly string[] = [
  '{"categoryId":C,"status":"sold"}',
  withCategory('"P"'),
  '{"name":N}',
  withName(0n),
  withStatus('SOLD'),
  withStatus(null),
  'null',
  '{"name":N,"categoryId":C,}',
  withCategory('null'),
  withName(null),
  withStatus('available or sold'),
  withCategory('true'),
  '{}',
  withCategory('1.5'),
  '[{"name":N,"categoryId":C}]',
  withStatus(0n),
  withName([]),
  withCategory('9223372036854775808'),
  withStatus(''),
  '',
  withStatus(['sold']),
  withName({}),
  withCategory('{}'),
  '"x"',
  withStatus({}),
  withCategory('[P]'),
  withStatus(true),
  withStatus(' sold '),
  withCategory('""'),
  '7',
  withCategory('"abc"'),
  withName(false),
  'name=N1&categoryId=P',
  '[]',
  withStatus(true),
  withCategory('1e300'),
  withStatus('unknown'),
  withName(123n),
  withStatus('avail'),
  withCategory('false'),
  withStatus(1n),
  '{"name":N,"categoryId":C',
  withName(true),
  withStatus('Sold'),
  withStatus('unavailable'),
  withCategory('"12abc"'),
  '{"name":N,"status":"pending","category_id":P,"category":P}',
  '{"Name":N,"CategoryId":C}',
  'true',
  '"{\\"name\\":N1,\\"categoryId\\":P}"',
  withStatus(false),
  withStatus('availabel'),
  withName(1.5),
  '{"categoryId":C,"status":"sold"}',
  withCategory('-9223372036854775809'),
  withCategory('18446744073709551617'),
  withName(['Rex']),
  withStatus([]),
  ' ',
  withCategory('[]'),
  withStatus('0'),
  withCategory('"P.0"'),
  '{"name":N,"status":"available"}',
  '{"status":"sold"}',
  "{'name':'N1','categoryId':P}",
  withStatus('sold '),
  '{"name":N,"categoryId":C} x',
  withCategory('" P "'),
  withStatus('sold\n'),
  'x',
  '{name:N,categoryId:P}',
  '{"name":N,"categoryId":NaN}',
  `${'['.repeat(500)}${']'.repeat(500)}`,
  withStatus('Available'),
  withStatus('Pending'),
  withStatus('PENDING'),
  withStatus('AVAILABLE'),
  withStatus('toString'),
  withCategory('0.1'),
  withName({ first: 'Rex' }),
  withName(-1n),
  '{"name":N /* one */,"categoryId":P}',
  '// one\n{"name":N,"categoryId":C}',
  '0',
  '""',
  'false',
  '{"name":N,"categoryId":0P}',
  '{"name":N,"categoryId":C}{"name":N,"categoryId":C}',
  '{"name":N "categoryId":C}',
  ...words('. 0x1 +P P. .5 1_0 Infinity Pe-1 -0.5').slice(1).map(withCategory),
  ...[two63 * 2n - 1n, 10n ** 30n, two63 + 1n, -two63 * 2n, -(10n ** 30n), 10n ** 25n + 1n].map((one) =>
    withCategory(String(one)),
  ),
  ...[
    '" "',
    '"0"',
    '"-1"',
    '"null"',
    '"true"',
    '"NaN"',
    '"0x1"',
    '"+P"',
    '"1e3"',
    '[P,P]',
    '{"id":P}',
    '["1"]',
    '1e-7',
  ].map(withCategory),
  ...[
    ' ',
    'null',
    'so',
    's',
    'solds',
    'available,sold',
    'available|pending',
    'constructor',
    '__proto__',
    'reserved',
    'sold\u0000',
    '\u017fold',
    '1',
    'true',
  ].map(withStatus),
  withStatus(1.5),
  withStatus(-1n),
  withStatus(['available', 'sold']),
  withStatus({ is: 'sold' }),
  '{"name":null,"categoryId":null,"status":null}',
  '{"name":7,"categoryId":P,"status":"lost"}',
  '{"name":{},"categoryId":[],"status":0}',
  '{"pet":{"name":N,"categoryId":P}}',
  '{"name":N,"category":{"id":P,"name":"dogs"},"photoUrls":[],"tags":[],"status":"available"}',
  '[["name",N],["categoryId",P]]',
  '{" name":N,"categoryId":C}',
  '{"name":N,"category-id":P}',
  '{"name":N,"categoryid":P}',
  '{"NAME":N,"CATEGORYID":P}',
  `${'{"name":'.repeat(60)}1${'}'.repeat(60)}`,
  `{"name":${'['.repeat(200)}${']'.repeat(200)},"categoryId":P}`,
  '{"name":"a\tb","categoryId":C}',
  '{"name":"a\nb","categoryId":C}',
  '{"name":"a\u0001b","categoryId":C}',
  '{"name":N,"categoryId":1e999999999}',
  `{"name":N,"categoryId":${'9'.repeat(400)}}`,
  '{"name":N,"categoryId":P,"status":sold}',
  '{"name":N,"categoryId":P,"status":undefined}',
  '{"name":N,"categoryId":P,"status":None}',
  '{"name":N,,"categoryId":C}',
  '{,"name":N,"categoryId":C}',
  '{"name"=N,"categoryId"=P}',
  '{"name":N,"categoryId":C}]',
  '{"name":N,"categoryId":C};',
  '{"name":N,"categoryId":C},',
  '({"name":N,"categoryId":C})',
  '# one\n{"name":N,"categoryId":C}',
  '\u00a0{"name":N,"categoryId":C}',
  '\f{"name":N,"categoryId":C}',
  ')]}\',\n{"name":N,"categoryId":C}',
  '{"name":"N1 \\x41","categoryId":C}',
  '{"name":"N1 \\u12","categoryId":C}',
  '<pet/>',
  'undefined',
  '{"__proto__":{"name":N},"categoryId":P}',
  '[[{"name":N,"categoryId":C}]]',
  '[{"name":N,"categoryId":C},{"name":N,"categoryId":C}]',
];

/** Bodies with bytes that are not UTF-8; a service may accept some of them. */
export const bytesBeyondUtf8: readonly string[] = [
  ...[rawBytes(0xe9), rawBytes(0x80), rawBytes(0xf0, 0x9f, 0x90), rawBytes(0xc0, 0xaf)].map(
    (bytes) => `{"name":"N1${bytes}x","categoryId":P}`,
  ),
  inUtf16('\ufeff{"name":N,"categoryId":P}', 'little-endian'),
];

// Queries.

export const limits: readonly string[] = words(
  '1 20 2 10 5 50 3 99 19 25 30 21 15 7 13 51 37 64 98 49 11 75 40 60 90 32 16 12 33 70 80 48',
);
export const wrongLimits: readonly string[] = [
  ...words('0 101 -1 abc 1.5 1000'),
  '',
  ...words(
    '9223372036854775808 10abc null 1e2 -100 0x10 NaN 2147483648 -0 00 true Infinity undefined 4294967297 constructor [] 1_0',
  ),
  '99999999999999999999',
  ' ',
  '100.5',
  '9'.repeat(60),
  `-${'9'.repeat(60)}`,
  '\u0000',
  '\n',
  '\u0663',
  `'"\`\\<>()|^~*$#?&=+;:,@!%41é漢🦄`,
  'x'.repeat(300),
];
/** Several mistakes in one query: a service fails, or answers with no page, by the first that it looks at. */
export const firstWrongQueries: readonly string[] = [
  'limit=0',
  'status=unknown',
  'limit=abc&status=sold&status=pending',
  'limit=-1&status=AVAILABLE',
  'limit=9223372036854775808',
  'limit=1.5&status=',
  'limit=101',
  'limit=&status=sold,pending',
];
export const wrongStatuses: readonly string[] = [
  'unknown',
  'SOLD',
  '',
  'available,sold',
  'null',
  'sold ',
  ...words(
    'avail * % 0 [] constructor __proto__ undefined true 1 -1 sold|pending {} toString length soId _ AVAILABLE Available',
  ),
  "sold' or '1'='1",
  '9'.repeat(60),
  '\u0000',
  '\n',
  `'"\`\\<>()|^~*$#?&=+;:,@!%41é漢🦄`,
  'x'.repeat(300),
];
/** Queries about which the interface says nothing: no server error. */
export const openQueries: readonly string[] = [
  'limit=1&limit=2',
  'colour=brown',
  'status=sold&status=pending',
  'page=2&q=%F0%9F%A6%84&sort&offset=3&cursor=x&order=desc',
  'limit[]=1&status[]=sold&LIMIT=1&Status=sold&limit%20=1&status[$ne]=sold',
  'constructor=1&__proto__=1&toString=x&null=null&q%20=%20&page[size]=2&=x&sort&x;y=1',
  'limit=2&q=%27%22%60%5C%3C%3E()%7C%5E~*$%23%3F%26%3D%2B;:,@!%25&caf%C3%A9=1',
  `limit=2&${'n'.repeat(200)}=1&q=${'a'.repeat(1_000)}`,
];

// Ids of no animal, and texts that are no id, from the id of one.

export const unknownIds: readonly ((id: bigint) => bigint)[] = [
  (id) => id + 1_000_003n,
  () => 0n,
  (id) => id + two32,
  () => -1n,
  () => two63 - 1n,
  (id) => -id,
  (id) => id + two53,
  () => 9_007_199_254_740_993n,
  () => -two63,
  (id) => id * 10n,
  () => two31,
  (id) => id - two32,
  (id) => id * 10n + 7n,
  (id) => id + two31,
  (id) => id + 65_536n,
  (id) => id / 10n,
  (id) => id + 256n,
  (id) => BigInt(Number(id)),
  (id) => BigInt.asIntN(53, id),
  (id) => id ^ 1n,
];
export const wrongIds: readonly ((id: bigint) => string)[] = [
  () => 'abc',
  (id) => `${id}abc`,
  () => '9223372036854775808',
  (id) => `${id}.5`,
  () => 'null',
  () => '1.5',
  (id) => String(two63 * 2n + id),
  (id) => `a${id}`,
  () => 'latest',
  () => '1e400',
  () => '__proto__',
  (id) => `${id}-`,
  (id) => `${id},${id}`,
  () => '9'.repeat(400),
  () => 'NaN',
  () => 'undefined',
  () => 'true',
  () => '-',
  (id) => `${id}*`,
  (id) => `${id}@x`,
  (id) => `${id}&x=1`,
  (id) => `${id}%23x`,
  (id) => `${id}%20or%201`,
  (id) => `${id}%00`,
  (id) => `${id}!`,
  (id) => `${id}~`,
  (id) => `${id}:1`,
  (id) => `${id}n`,
  (id) => String(two63 + BigInt.asUintN(63, id)),
  (id) => String(-two63 * 2n - BigInt.asUintN(63, id)),
  (id) => `%22${id}%22`,
  (id) => `'${id}'`,
  (id) => `(${id})`,
  (id) => `%5B${id}%5D`,
  (id) => `id=${id}`,
  (id) => `${id}.${id}`,
  (id) => `${id}e-1`,
  (id) => `--${id}`,
  (id) => `${id}$`,
  () => '*',
  () => '%25',
  () => 'constructor',
  () => 'a'.repeat(1_500),
  () => '%F0%9F%A6%84',
  () => '%0A',
  () => `1-1:1;a=1,2@3!$&'()*+~_`,
  () => '-9223372036854775809',
];

/** What nobody wrote down: drawn by fast-check, and crossed. */
export const drawn = {
  name: fc.oneof(
    { weight: 3, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }) },
    {
      weight: 2,
      arbitrary: fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).filter((text) => text.isWellFormed()),
    },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 600 }).map((length) => 'd'.repeat(length)) },
    { weight: 3, arbitrary: fc.constantFrom(...names) },
  ),
  category: fc.oneof(
    fc.bigInt({ min: -two63, max: two63 - 1n }),
    fc.bigInt({ min: -100_000n, max: 100_000n }),
    fc
      .integer({ min: 7, max: 62 })
      .chain((bits) => fc.constantFrom(2n ** BigInt(bits) + 1n, -(2n ** BigInt(bits)), 2n ** BigInt(bits) - 1n))
      .filter(isInt64),
  ),
  limit: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 100 }).map(String)),
  status: fc.constantFrom<PetStatus | undefined>(undefined, ...petStatuses),
  writing: fc.constantFrom(...writings),
  wrongBody: fc.constantFrom(...wrongBodies),
};
