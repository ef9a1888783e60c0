/** The ways in which a target may echo a secret: each is a function from the secret to the text that is sent back. */

type Encode = (secret: string) => string;

const eachCharacter = (write: (code: number) => string): Encode => {
  return (secret) => [...secret].map((character) => write(character.charCodeAt(0))).join('');
};
const hex = (code: number, length = 2): string => code.toString(16).padStart(length, '0');
const hexadecimal = (secret: string): string => Buffer.from(secret).toString('hex');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const percent = eachCharacter((code) => `%${hex(code)}`);
const punctuation = (secret: string, write: (code: number) => string): string =>
  secret.replace(/[^A-Za-z0-9]/g, (character) => write(character.charCodeAt(0)));

export const encodings: Readonly<Record<string, Encode>> = {
  plain: (secret) => secret,
  'in upper case': (secret) => secret.toUpperCase(),
  'in lower case': (secret) => secret.toLowerCase(),
  'without its first character': (secret) => secret.slice(1),
  'without its last character': (secret) => secret.slice(0, -1),
  'as .NET writes JSON': (secret) => punctuation(secret, (code) => `\\u${hex(code, 4).toUpperCase()}`),
  'as PHP writes JSON': (secret) => secret.replaceAll('/', '\\/'),
  'as escapes of JSON': eachCharacter((code) => `\\u${hex(code, 4)}`),
  'as a JSON string within a JSON string': (secret) => JSON.stringify(JSON.stringify(secret.replace('+', '\\u002b'))),
  'as escapes with braces': eachCharacter((code) => `\\u{${hex(code)}}`),
  'as escapes of eight digits': eachCharacter((code) => `\\U${hex(code, 8)}`),
  'as hexadecimal escapes': eachCharacter((code) => `\\x${hex(code)}`),
  'as octal escapes': eachCharacter((code) => `\\${code.toString(8).padStart(3, '0')}`),
  'with escaped punctuation': (secret) => secret.replace(/[^A-Za-z0-9]/g, '\\$&'),
  'percent-encoded': encodeURIComponent,
  'percent-encoded whole': percent,
  'percent-encoded whole in upper case': (secret) => percent(secret).toUpperCase(),
  'percent-encoded in part': (secret) => secret.slice(0, 4) + percent(secret.slice(4, 7)) + secret.slice(7),
  'percent-encoded twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'percent-encoded whole twice': (secret) => percent(secret).replaceAll('%', '%25'),
  'as decimal references of HTML': eachCharacter((code) => `&#${code};`),
  'as hexadecimal references of HTML': eachCharacter((code) => `&#x${hex(code)};`),
  'as long references without semicolon': eachCharacter((code) => `&#${String(code).padStart(7, '0')}`),
  'as named references of HTML': (secret) =>
    secret.replaceAll('+', '&plus;').replaceAll('/', '&sol;').replaceAll('=', '&equals;').replaceAll('_', '&lowbar;'),
  'in base64': base64,
  'in base64 without padding': (secret) => base64(secret).replace(/=+$/, ''),
  'in base64 for URLs': (secret) => Buffer.from(secret).toString('base64url'),
  'in base64 in lower case': (secret) => base64(secret).toLowerCase(),
  'in base64 in upper case': (secret) => base64(secret).toUpperCase(),
  'in base64 with its scheme': (secret) => base64(`Bearer ${secret}`),
  'in base64 as a password': (secret) => base64(`user:${secret}`),
  'in base64 as a user': (secret) => base64(`${secret}:`),
  'in base64 as user and password': (secret) => base64(`${secret}:${secret}`),
  'in base64 within JSON': (secret) => base64(JSON.stringify({ authorization: secret, at: 1 })),
  'in base64 and percent-encoded': (secret) => encodeURIComponent(base64(`xy:${secret}`)),
  'in base64 as PHP writes JSON': (secret) => base64(secret).replaceAll('/', '\\/'),
  'in base64 twice': (secret) => base64(base64(secret)),
  'in base64 twice with its scheme': (secret) => base64(base64(`Bearer ${secret}`)),
  'in base64 twice as a password': (secret) => base64(`Basic ${base64(`user:${secret}`)}`),
  'in base64 of UTF-16': (secret) => Buffer.from(secret, 'utf16le').toString('base64'),
  'in hexadecimal with colons': (secret) => hexadecimal(secret).replace(/..(?!$)/g, '$&:'),
  'in hexadecimal as a dump': (secret) => hexadecimal(secret).replace(/..(?!$)/g, '$& '),
  'in hexadecimal as literals': (secret) => hexadecimal(secret).replace(/..(?=..)/g, '$&, 0x'),
  'in hexadecimal': hexadecimal,
  'in hexadecimal in upper case': (secret) => hexadecimal(secret).toUpperCase(),
  'with a zero behind each character': eachCharacter((code) => `${String.fromCharCode(code)}\0`),
  'with characters without width': eachCharacter((code) => `${String.fromCharCode(code)}\u200b`),
};

const backwards: readonly (readonly [RegExp, (digits: string) => string])[] = [
  [/%([\da-f]{2})/gi, (digits) => String.fromCharCode(Number.parseInt(digits, 16))],
  [/&#x0*([\da-f]{1,4});?/gi, (digits) => String.fromCharCode(Number.parseInt(digits, 16))],
  [/&#0*(\d{1,4});?/g, (digits) => String.fromCharCode(Number(digits))],
  [/&(?:amp);/g, () => '&'],
  [/\\+u\{?(?:0000)?([\da-f]{2,4})\}?/gi, (digits) => String.fromCharCode(Number.parseInt(digits, 16))],
  [/\\+x([\da-f]{2})/gi, (digits) => String.fromCharCode(Number.parseInt(digits, 16))],
  [/\\+([0-3][0-7]{2})/g, (digits) => String.fromCharCode(Number.parseInt(digits, 8))],
  [/\\+([^A-Za-z0-9\s])/g, (character) => character],
  [/[\0\u200b]()/g, () => ''],
];

/** The parts of a secret that a text discloses in any of the encodings, found without the redaction's own means. */
export function disclosuresIn(text: string, secret: string): readonly string[] {
  const core = base64(`xy:${secret}`).slice(5, -4);
  const parts = [
    secret.slice(0, -2),
    secret.slice(2),
    base64(secret).slice(0, -4),
    core,
    base64(`x${secret}`).slice(3, -4),
  ];
  const wanted = [...parts, hexadecimal(secret)].map((part) => part.toLowerCase());
  const found = new Set<string>();
  let view = text;
  for (let layer = 0; layer < 5; layer += 1) {
    const lower = view.toLowerCase();
    for (const part of wanted) if (lower.includes(part)) found.add(part);
    for (const [pattern, decode] of backwards) view = view.replace(pattern, (_all, digits: string) => decode(digits));
  }
  return [...found];
}
