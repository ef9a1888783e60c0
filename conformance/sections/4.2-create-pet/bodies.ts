/**
 * §4.2 The table of invalid bodies, as texts. `%N` stands for a new name, `%C` for a category that the target accepts, `%M`
 * for one that marks a body without a name, `%P` for a valid animal, `%J` for one as a string, and `%T` for a new name
 * without its quotes.
 */

import { inUtf16, rawBytes } from '../../http/body-bytes.ts';
import { type JsonObject, writeJson } from '../../http/json.ts';
import type { Session } from '../../run/session.ts';
import { plainCategory, plainPet } from '../requests.ts';
import { words } from '../strange-texts.ts';
import { acceptedIn, takesAnyCategory } from './accepted.ts';

type Rank = 1 | 2 | 2.5 | 3.5 | 4 | 6 | 7;

/** Bodies by the requirement that they break, and by rank: what anybody forgets comes first. */
export type Rows = Readonly<Partial<Record<Rank, readonly string[]>>>;

/** Values that are no name, no categoryId and no status, by how many services accept them. */
export const wrongValues = {
  name: {
    2.5: words('123 null'),
    3.5: words('true'),
    4: words('[] {} false 0 1.5'),
    7: words('["Rex"] {"first":"Rex"}'),
  },
  categoryId: {
    1: words('"%C"'),
    2.5: words('1.5 null true 9223372036854775808 {}'),
    3.5: words('""'),
    4: words('false [%C] "abc" [] 1e300 "12abc"'),
    6: words('18446744073709551617 -9223372036854775809 0.1 "%C.0" -0.5'),
    7: [
      ...words('1e-7 "0" "-1" "1e3" "null" "true" "NaN" "Infinity" "0x1" "+1" [%C,%C] ["1"] {"id":%C} {"value":%C}'),
      ...words('18446744073709551615 9223372036854775809 1000000000000000000000000000000 %Ce-1'),
      ...['-1000000000000000000000000000000', '" %C "', '" "', '9'.repeat(400)],
    ],
  },
  status: {
    2: words('"unknown"'),
    2.5: words('null "Sold" "" "available,sold"'),
    3.5: words('1 {} "avail" ["sold"]'),
    4: words('"SOLD" true "unsold" 0 false [] "availabel"').concat('" sold "'),
    6: words('"AVAILABLE" "Pending" "toString" "sold\\n"'),
    7: [
      ...words(
        '"PENDING" "Available" "constructor" "__proto__" "so" "s" "solds" "available|pending" "reserved" "null"',
      ),
      ...words('"true" "0" 1.5 -1 ["available","sold"] {"sold":true} {"is":"sold"} "\u017fold" "sold\\u0000" "xsoldx"'),
      ...['" sold"', '"sold "', '" "'],
    ],
  },
} as const satisfies Readonly<Record<'name' | 'categoryId' | 'status', Rows>>;

const fieldsWith = {
  name: (value: string) => `{"name":${value},"categoryId":%M}`,
  categoryId: (value: string) => `{"name":%N,"categoryId":${value}}`,
  status: (value: string) => `{"name":%N,"categoryId":%C,"status":${value}}`,
};

export const wrongFields: readonly Rows[] = (['name', 'categoryId', 'status'] as const).map((field) =>
  Object.fromEntries(Object.entries(wrongValues[field]).map(([rank, values]) => [rank, values.map(fieldsWith[field])])),
);

export const missingFields: Rows = {
  1: ['{"categoryId":%M,"status":"sold"}', '{"name":%N}'],
  2: ['{}'],
  2.5: [''],
  4: [
    '{"status":"pending"}',
    '{"name":%N,"status":"pending","category_id":%C,"category":%C}',
    // A lenient service looks for a field under other names, too, or for all of them within another object.
    '{"Name":%N,"CategoryId":%C,"pet":%P,"data":%P}',
  ],
  6: ['{"Name":%N,"categoryId":%M}', '{"colour":"brown","id":1}'],
  7: [
    '{" name":%N,"categoryId":%M}',
    '{"name":%N,"category-id":%C}',
    '{"__proto__":{"name":%N},"categoryId":%C}',
    '{"NAME":%N,"CATEGORYID":%C}',
    // An animal as other pet stores write it.
    '{"name":%N,"category":{"id":%C,"name":"dogs"},"photoUrls":[],"tags":[],"status":"available"}',
    '{"name":%N,"categoryid":%C}',
  ],
};

/** Texts that are no JSON, or no object; lenient readers accept some of them. */
export const malformed: Rows = {
  2: ['{"name":%N,"categoryId":%C,}'],
  2.5: ['null', '"x"', '[%P]'],
  3.5: ['7'],
  4: [
    '[]',
    '%J',
    ' ',
    '{"name":%N,"categoryId":%C',
    '%P x',
    '{"name":%N,"categoryId":%C /* one */}',
    'name=%T&categoryId=%C',
    `${'['.repeat(500)}${']'.repeat(500)}`,
  ],
  6: [
    '[%P,%P]',
    '""',
    '{name:%N,categoryId:%C}',
    "{'name':'%T','categoryId':%C}",
    '{"name":%N,"categoryId":NaN}',
    'true',
    'false',
    '0',
    '{',
  ],
  7: [
    ...['%P\n%P', '{"name":%N,"categoryId":0%C}', '\f%P', '// one\n%P', '%P%P', '# one\n%P', '\u00a0%P', '\v%P'],
    ...['%P,', '%P]', '%P;', '%P\u0000', '(%P)', '[%P', ")]}',\n%P", '[[%P]]', '[["name",%N],["categoryId",%C]]'],
    ...[
      '+%C',
      '0x1',
      '%C.',
      '.5',
      '1_0',
      'Infinity',
      '%C,"status":sold',
      '%C,"status":undefined',
      '%C,"status":None',
    ].map((text) => `{"name":%N,"categoryId":${text}}`),
    ...['"%T \\x41"', '"%T \\u12"', '"%T \\\'"', '`%T`'].map((text) => `{"name":${text},"categoryId":%C}`),
    '{"name":%N "categoryId":%C}',
    '{"name":%N,,"categoryId":%C}',
    '{,"name":%N,"categoryId":%C}',
    '{"name"=%N,"categoryId"=%C}',
    `{"name":${'['.repeat(200)}${']'.repeat(200)},"categoryId":%C}`,
    `${'{"name":'.repeat(60)}1${'}'.repeat(60)}`,
  ],
};

/**
 * Bodies for disposable targets: bytes within a name that are not UTF-8 (Latin-1, a lone continuation, a cut emoji, "/" in two
 * bytes, and CESU-8) and UTF-16, which a service that accepts them stores; raw control characters; and a number whose
 * digits fill the memory of a service that writes them out.
 */
export const hazardous: Rows = {
  4: ['{"name":"%T\tx","categoryId":%C}'],
  7: [
    ...[[0xe9], [0x80], [0xf0, 0x9f, 0x90], [0xc0, 0xaf], [0xed, 0xa0, 0xbd, 0xed, 0xb0, 0xbe]].map(
      (bytes) => `{"name":"%T ${rawBytes(...bytes)}x","categoryId":%C}`,
    ),
    ...['\n', '\u0001'].map((control) => `{"name":"%T${control}x","categoryId":%C}`),
    '{"name":%N,"categoryId":1e999999999}',
  ],
};

/** %P in UTF-16, which is open. */
export const utf16Bodies: readonly ((pet: string) => string)[] = [
  (pet) => inUtf16(`\ufeff${pet}`, 'little-endian'),
  (pet) => inUtf16(pet, 'big-endian'),
];

/** A category by which the animal of a body without a name is known, if the target accepts any category. */
function markOf(session: Session): bigint {
  if (!takesAnyCategory(acceptedIn(session))) return plainCategory(session);
  return 2n ** 40n + BigInt(Math.floor(session.random() * 2 ** 40));
}

/** Writes a body of the table with the names and categories of a run. */
export function fillBody(session: Session, template: string): string {
  return template.replace(/%[NTPJCM]/g, (token) => {
    if (token === '%N') return writeJson(session.newName());
    if (token === '%T') return session.newName();
    if (token === '%P') return writeJson(plainPet(session));
    if (token === '%J') return writeJson(writeJson(plainPet(session)));
    return String(token === '%C' ? plainCategory(session) : markOf(session));
  });
}

/** Fields that no NewPet lists, of every JSON type and with every kind of name. */
export const unknownFields: readonly string[] = [
  '"colour":"brown"',
  '"keeper":null,"isTame":true,"ageInYears":3,"weightInKg":1.5',
  '"toys":["a",null,1,{}],"shelter":{"name":"Ann","categoryId":1,"status":"sold","id":1,"keeper":{"tags":[[]]}}',
  ['null', 'true', '""', '[]', '{}', '0', '-0.0', '1e400', '1E-400', '9223372036854775808', `0.${'1'.repeat(30)}`]
    .map((value, at) => `"field${at}":${value}`)
    .join(),
  [...words('a.b $set $ne @type a[b] a/b - 0 colour\\u0000 größe 色 🦄 __proto__ constructor toString class'), '', ' ']
    .map((field) => `"${field}":1`)
    .join(),
  `"${'f'.repeat(300)}":1,"deep":${'['.repeat(40)}${']'.repeat(40)},"long":"${'x'.repeat(1_500)}"`,
  `"list":[${'7,'.repeat(200)}7]`,
  words('petId _id pet_id ID Id uuid key')
    .map((field) => `"${field}":2305843009213693951`)
    .join(),
  words('type version price photoUrls metadata')
    .map((field) => `"${field}":{"a":{}}`)
    .join(),
];

export const reversed = (pet: JsonObject): JsonObject => Object.fromEntries(Object.entries(pet).reverse());
