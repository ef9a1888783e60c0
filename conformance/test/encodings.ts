/** The ways in which a target may echo a secret: each is a function from the secret to the text that is sent back. */

type Encode = (secret: string) => string;

const hex = (code: number, length = 2): string => code.toString(16).padStart(length, '0');
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const eachCharacter = (write: (code: number) => string): Encode => {
  return (secret) => [...secret].map((character) => write(character.charCodeAt(0))).join('');
};
const percent = eachCharacter((code) => `%${hex(code)}`);

export const encodings: Readonly<Record<string, Encode>> = {
  plain: (secret) => secret,
  'in upper case': (secret) => secret.toUpperCase(),
  'in lower case': (secret) => secret.toLowerCase(),
  'without its first character': (secret) => secret.slice(1),
  'without its last character': (secret) => secret.slice(0, -1),
  'percent-encoded': encodeURIComponent,
  'percent-encoded whole': percent,
  'percent-encoded whole in upper case': (secret) => percent(secret).toUpperCase(),
  'percent-encoded in part': (secret) => secret.slice(0, 4) + percent(secret.slice(4, 7)) + secret.slice(7),
  'in base64': base64,
  'in base64 without padding': (secret) => base64(secret).replace(/=+$/, ''),
  'in base64 for URLs': (secret) => Buffer.from(secret).toString('base64url'),
  'in base64 with its scheme': (secret) => base64(`Bearer ${secret}`),
  'in base64 as a password': (secret) => base64(`user:${secret}`),
  'in base64 as a user': (secret) => base64(`${secret}:`),
  'in base64 as user and password': (secret) => base64(`${secret}:${secret}`),
  'in base64 within JSON': (secret) => base64(JSON.stringify({ authorization: secret, at: 1 })),
  'in base64 and percent-encoded': (secret) => encodeURIComponent(base64(`xy:${secret}`)),
};

/** The same within a string of JSON. */
export const escapesOfJson: Readonly<Record<string, Encode>> = {
  'as .NET writes JSON': (secret) =>
    secret.replace(/[^A-Za-z0-9]/g, (one) => `\\u${hex(one.charCodeAt(0), 4).toUpperCase()}`),
  'as PHP writes JSON': (secret) => secret.replaceAll('/', '\\/'),
  'as escapes of JSON': eachCharacter((code) => `\\u${hex(code, 4)}`),
};

/** The parts of a secret that a text discloses in any of the encodings, found without the redaction's own means. */
export function disclosuresIn(text: string, secret: string): readonly string[] {
  const inBase64 = ['', 'x', 'xy'].map((before) => base64(`${before}:${secret}`).slice(5, -4));
  const parts = [secret.slice(0, -2), secret.slice(2), base64(secret).slice(0, -4), ...inBase64];
  const code = (digits: string): string => String.fromCharCode(Number.parseInt(digits, 16));
  const decoded = text
    .replace(/\\+u([\da-f]{4})/gi, (_all, digits: string) => code(digits))
    .replace(/%([\da-f]{2})/gi, (_all, digits: string) => code(digits));
  const views = [text, decoded].map((view) => view.toLowerCase());
  return parts.filter((part) => views.some((view) => view.includes(part.toLowerCase())));
}
