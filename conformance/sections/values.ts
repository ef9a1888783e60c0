/**
 * The values that a run sends, as tables by rank: what a first version forgets comes first, and a run sends the lowest ranks
 * first. Ranks below 2 fit into twenty requests, below 3 into sixty, up to 5 into three hundred, and the rest into a thousand.
 * What the interface names comes first: each status and each end of limit, alone and together, and the first wrong value of
 * each kind. Rank 2.6 has the second ones, as far as sixty requests carry them.
 */

import { pageLimit } from '../../spec/operations.ts';
import { rawBytes } from '../http/body-bytes.ts';

export interface ValueRow {
  readonly rank: number;
  readonly text: string;
  /** Whether only a disposable target gets it, by a `!` after the rank: a service that accepts it stores it. */
  readonly isHazardous: boolean;
}

/** A control picture stands for the character that it shows (␠, ␊, ␀), `\u{…}` for a code point, and `∅` for no text. */
function decode(text: string): string {
  if (text === '∅') return '';
  return text
    .replace(/[\u2400-\u2420]/g, (picture) => String.fromCodePoint(picture.codePointAt(0)! - 0x2400))
    .replace(/\\u\{([0-9a-f]+)\}/g, (_escape, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
}

/** Splits a text at its blanks. */
function splitWords({ raw }: TemplateStringsArray): readonly string[] {
  return raw[0]!.trim().split(/\s+/).map(decode);
}

/** Reads a table: each line has a rank and values. */
function valueTable(strings: TemplateStringsArray, ...inserted: readonly (string | number)[]): readonly ValueRow[] {
  const lines = String.raw(strings, ...inserted)
    .trim()
    .split('\n');
  return lines.flatMap((line) => {
    const [rank = '', ...texts] = line.trim().split(/\s+/);
    const isHazardous = rank.endsWith('!');
    return texts.map((text) => ({ rank: Number.parseFloat(rank), text: decode(text), isHazardous }));
  });
}

/**
 * Wrong values of each field, as JSON; `%C` stands for a category that the target accepts. A row sends each of them once; drawn
 * requests put them beside every status, and into every way of writing.
 */
export const wrongValues = {
  name: valueTable`
    2.5 123 null
    2.6 []
    3.5 true
    4   {} false 0 1.5 ["Rex"]`,
  categoryId: valueTable`
    1   "%C"
    2.5 1.5 null 9223372036854775808
    2.6 true
    3.5 "" [%C]
    4   false {} "abc" [] 1e300 "12abc"
    5   1e400
    7   -9223372036854775809 -0.5 1e-7 "1e3" "0x1" "%C.0" {"id":%C}`,
  status: valueTable`
    1.9 "SOLD"
    2.5 null
    2.58 0 ["sold"]
    2.6 "" "pending␠"
    3.5 "unknown" "Sold" "␠sold" {} "avail"
    4   true "unsold" 1 false [] "availabel" "available,sold"
    6   "toString" "sold\n"
    7   "AVAILABLE" "null" "0" -1 "sold\u0000"`,
};

/** Puts each value of a table into a body in place of `%V`. */
const inPlaceOfValue = (body: string, rows: readonly ValueRow[]): readonly ValueRow[] =>
  rows.map((row) => ({ ...row, text: body.replace('%V', () => row.text) }));

/**
 * Invalid bodies. `%N` stands for a new name, `%T` for one without its quotes, `%C` for a category that the target accepts,
 * `%M` for one that marks a body without a name, `%P` for a valid animal, and `%J` for one as a string.
 */
export const invalidBodies = {
  // A lenient service looks for a field under other names, too, or for all of them within another object. That names of
  // fields are compared without case, as in .NET and Go, breaks no sentence.
  missingFields: valueTable`
    1   {"categoryId":%M,"status":"sold"} {"name":%N}
    2.4 {}
    2.5 ∅
    4   {"status":"pending"} {"name":%N,"status":"pending","category_id":%C,"category":%C}
    4   {"pet":%P,"data":%P}
    6   {"id":%I}
    7   {"␠name":%N,"categoryId":%M} {"name":%N,"category-id":%C} {"__proto__":{"name":%N},"categoryId":%C}
    7   {"name":%N,"category":{"id":%C,"name":"dogs"},"photoUrls":[],"tags":[],"status":"available"}`,
  wrongFields: [
    ...inPlaceOfValue('{"name":%V,"categoryId":%M}', wrongValues.name),
    ...inPlaceOfValue('{"name":%N,"categoryId":%V}', wrongValues.categoryId),
    ...inPlaceOfValue('{"name":%N,"categoryId":%C,"status":%V}', wrongValues.status),
  ],
  // No JSON, or no object; lenient readers accept some of them, such as NaN where nothing checks the field. A parser may fail by
  // the depth. The last ones have raw control characters, and a number whose digits fill the memory of a service that writes
  // them out.
  malformed: valueTable`
    2.4 {"name":%N,"categoryId":%C,}
    2.5 [%P] null
    2.6 "x"
    3.5 7
    4   [] %J ␠ {"name":%N,"categoryId":%C %P␠x {"name":%N,"categoryId":%C␠/*␠one␠*/} name=%T&categoryId=%C
    5   {"weight":NaN,%p {name:%N,categoryId:%C} false
    7   {'name':'%T','categoryId':%C} %P%P %P␀ {"name":%N␠"categoryId":%C}
    7   {"name":%N,"categoryId":0%C} {"name":%N,"categoryId":+%C} {"name":%N,"categoryId":0x1}
    4   ${'['.repeat(2_000)}${']'.repeat(2_000)}
    4!  {"name":"%T␉x","categoryId":%C}
    7!  {"name":"%T␊x","categoryId":%C} {"name":%N,"categoryId":1e999999999}`,
  // Latin-1, and a cut emoji.
  notUtf8: valueTable`
    4.4! {"name":"%T␠${rawBytes(0xe9)}x","categoryId":%C}
    7!   {"name":"%T␠${rawBytes(0xf0, 0x9f, 0x90)}x","categoryId":%C}`,
};

/** Fields of one value, as JSON. */
const eachWith = (value: string, names: string): string =>
  names
    .split(' ')
    .map((name) => `"${name}":${value}`)
    .join();

/**
 * Creations that the interface does not describe; `%p` stands for a valid animal without its brace in front. Unknown fields
 * are of every JSON type, with odd names, and with names of ids. Names are hazardous if they are no text, if they hold a
 * character that ends one or is half of one, and if they are very long.
 */
export const openBodies: readonly ValueRow[] = valueTable`
  2   {"id":%I,"status":"sold",%p
  4   {"name":%N,"categoryId":%C.0}
  6   {"name":%N,%p
  7   {"id":null,%p {"id":"5",%p
  4   {"colour":"brown","keeper":null,"isTame":true,"ageInYears":3,"weightInKg":1.5,"toys":["a",{"name":"Ann","id":1}],%p
  7   {${eachWith('1', 'a.b $set @type a[b] a/b - 0 größe 色 🦄 __proto__ constructor toString')},"":1,"␠":1,%p
  7   {${eachWith('%I', 'petId _id pet_id ID uuid key')},%p
  4!  {"name":"","categoryId":%C} {"name":"%T␠\u0000","categoryId":%C} {"name":"%T␠\ud83e","categoryId":%C}
  6!  {"name":"%T␠${'long␠name␠'.repeat(900)}","categoryId":%C}`;

const { least, most, usual } = pageLimit;
const tooMany = most + 1;
const farTooMany = 10 * most;

/** Queries with a limit or a filter that §4.1 does not allow. Where one of them fails, the other parameter hardly matters. */
export const wrongQueries: readonly ValueRow[] = valueTable`
  2.4 limit=0 status=unknown
  2.5 limit=abc
  2.6 limit=-1 limit=1.5
  3.5 limit=9223372036854775808
  4   limit=2&status= limit=${least}&status=sold&status=pending limit=
  4   limit=${tooMany} limit=${tooMany}&status=available limit=2&limit=3
  4   status=available,sold status=AVAILABLE
  4   limit=10abc limit=-1&status=sold status=null
  6   limit=2147483648 status=%27%22%C3%A9%00,sold status=Sold limit=null limit=0x10 limit=1e1
  7   limit=NaN limit=all status=avail status=available%20
  7   limit=2&status=__proto__ limit=2&status=* limit=2&status=sold%27%20or%20%271%27=%271`;

/** Queries of listings that need no number of animals, wrong ones in between; some come again later. One has unknown parameters. */
export const listings: readonly ValueRow[] = valueTable`
  1   limit=${most}
  2   limit=${least}
  2.2 limit=${most}&status=available limit=${most} ∅
  2.2 status=sold&limit=${most} limit=${most}&status=pending limit=${least}&status=sold status=pending&limit=${least}
  2.2 status=available status=pending status=sold
  2.55 limit=${most}
  4   limit=${most} ∅ limit=${most} status=sold status=pending&limit=${most}
  4.8 status=available&limit=${most} status=pending&limit=${most} status=sold&limit=${most} limit=${most}
  4.8 limit=${usual} ∅ status=available limit=${usual}&status=available limit=0 limit=abc limit=${farTooMany}
  5   limit=10 limit=25
  7   limit=2&page=2&offset=1&sort=name&q=a&tag=1&tag=1&a.b=1&limit[]=1&status[$ne]=sold&LIMIT=1&__proto__=1&=x&x;y`;

/** Path segments that are no int64; `%I` is an id of an animal, to which a careless parser cuts, wraps or strips them. */
export const wrongIds: readonly ValueRow[] = valueTable`
  1.5 %I.!
  3.5 abc
  4   null 9223372036854775808 1-1:1;a=1,2@3!$&'()*+~_ %Iabc
  6   %I.5 __proto__
  7   %I,1 %I%00 %I%23 %I%3Fx=1 %I%20or%201 latest Infinity
  4   ${'9'.repeat(400)}`;

/** Categories at the ends of number types, and beyond what a double holds, the likeliest to be changed first. */
export const boundaries: readonly bigint[] = splitWords`
  0 -9223372036854775808 -1 4294967301 -9007199254740993 2147483648 2147483647 -2147483649 9007199254740991
  1000000000000000007 4294967295 -9007199254740992 4611686018427387905 -9223372036854775807 9223372036854775806 65536
  -2147483648 9007199254740992 256 -32768 -4294967301 16777217 128 1099511627775 72057594037927937`.map(BigInt);

/** Parts of names. Each of the common ones reveals one common change; the first name holds all of them. */
export const commonParts: readonly string[] = splitWords`🦄 e\u{301}␠\u{e9} "quoted"␠'single'␠\␠/ <b>&amp;</b> %20+ \u{fb01}␠\u{200d} two␠␠spaces ÄßŒ`;

/** Each reveals a rarer change; the long name holds all of them, behind the common ones. */
export const rareParts: readonly string[] = [
  ...splitWords`\u{a0}␠\u{ad}␠\u{2028}␠\u{2029}␠\u{feff}␠\u{e000}␠\u{200b}␠\u{200e}␠\u{2011}␠\u{3000}␠\u{212b}
    \u{85}␠\u{7f} \u{202e}right &#65; %s␠%d␠%%␠$&␠$1␠$$␠{{x}}␠{y} <%=␠z␠%> https://example.com/?a=b
    one␍␊two␍three␋four␌ \n␠\u0041␠\\␠%u0041`,
  'Щука straße İı ❤️ 👍🏽 Ｆｕｌｌ Σίσυφος カナ 한글 العربية 𠮷 🇫🇷 1️⃣ “a” ‘b’ – — €',
  '... -- -> (c) #a @b =1 +2 ~ ^ ` | *c* _d_ [e] f: :g, h; null!.',
  '👩‍👩‍👧 🏴󠁧󠁢󠁷󠁬󠁳󠁿 נַ ลี กำ 각 ǅ ﬀ Å',
];

/** Pieces of which names are drawn: templates, escapes, words of languages, blanks, and other scripts. */
export const pieces: readonly string[] = splitWords`
    {{7*7}} #{7*7} {0} {} %n %1$s :name ?x $(id) [[x]] *{x} ~{x} $name %(name)s !x &x
    \t \x41 \" \/ \0 %41 %2B %25 =41 a&b &lt '' "" /*x*/ -- # :// O' :name: &copy; \b
    {%␠7␠%} <?=␠x␠?> drop␠table␠pets ␉ ␊ ␈ ␌ ␁ \u{2003} \u{2060} \u{fffd} \u{ffff} \u{100000}\u{fdd0}\u{e0041}
    əʒ ԱԲ אב سش अआ กข აბ አበ ḀỰ ‐‡ ₠₿ ←↔ ①Ⓐ ぁん ァヶ 一龥 가힣 ﬀﬆ ！～ 𐌰𐍊 𝐀𝑔 🌀🗿 😀🙏 𠀀𪛖 ñ̃ å̂ ọ̈`;

/** At the beginning or end of a name, the commonly trimmed ones first. */
export const edges: readonly (readonly string[])[] = [
  splitWords`\u{feff} \u{301} \u{a0} \u{200b} \u{ad} ' " 0 . / = -- \u{3000} É`,
  splitWords`\ # _ ... 🦄 @ ␉ ␊ - , ( \u{2028} + % ! \u{200d} ß`,
];

/** Whole names that resemble another type or syntax, the likeliest to be misread first. They carry no tag. */
export const lookAlikes: readonly (readonly string[])[] = [
  splitWords`0 90071992547409931 007 1.50 null true constructor yes 2030-12-05 ␠ 1e3 None "Rex"`,
  splitWords`{"name":"Rex"} ␊Rex␍␊ cmV4IHJleA== - available 12:30 name ſ 12 {} 52657820526578 1/2`,
  splitWords`0042 3.10 false toString no on off \u{a0} \u{200b} \u{3000} undefined NaN NULL 'Rex' (Rex) .. / % pending İ ß ␠12␠ [1]
    2030-12-05T10:00:00Z 6f2c8f5e-7d0b-4c39-9a57-2f8f3f8b2a11 0x1F 1_000 Infinity`,
];
