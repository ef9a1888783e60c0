/** Recognises secrets by the names of headers, parameters, fields and variables that hold them. */

import { unescape as decode } from 'node:querystring';
import { shortestSecret } from './redact.ts';

/** An Idempotency-Key names a request and opens nothing. */
const secretName =
  /(?<!idempotency[-_]?)key|token|secret|auth|cookie|pass|pwd|signature|credential|session|assertion|bearer|(?<![a-z])(?:sig|jwt|sid|otp|pin)(?![a-z])|[a-z](?:Sig|Jwt)(?![a-z])/i;

export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

export const hiddenValue = '[secret]';

/** Parameters of a query are secret by these names too: `code` is that of an OAuth redirect. */
function isSecretParameter(name: string): boolean {
  return isSecretName(decode(name)) || /^(code|state)$/i.test(name);
}

/** A text with the secrets in its URLs and forms hidden: user information, and secret parameters. */
export function hideInUrls(text: string): string {
  return text
    .replace(/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#@"'<>]{1,300}@/gi, `$1${hiddenValue}@`)
    .replace(/(^|[?&#;,\s])([\w.~%[\]-]{1,60})=([^&#;,\s"'<>]+)/g, (whole, before: string, name: string) =>
      isSecretParameter(name) ? `${before}${name}=${hiddenValue}` : whole,
    );
}

/** Texts that are secrets on their own look like this: long, and of letters and digits. */
const looksRandom = /^(?=.*\d)(?=.*[A-Za-z])[\w.~+/=-]{20,}$/;

/** Headers that describe a body or what is accepted: the boundary of a multipart body looks random, and is no secret. */
const describesContent = /^(content-.*|accept.*|transfer-encoding|user-agent)$/i;

/** An integer may be an id or a category of the interface, which a report has to show. */
const isInteger = /^-?\d{1,19}$/;

/** The parts of a header that may be a secret each: the values of cookies, else the whole value, its words and theirs. */
function partsOf(name: string, value: string): readonly string[] {
  if (name.toLowerCase() === 'cookie') return value.split(';').map((cookie) => cookie.replace(/[^=]*=/, '').trim());
  const words = value.split(/[\s;,]/);
  return [value.trim(), ...words, ...words.map((word) => word.replace(/[^=]*=/, ''))];
}

/** The secrets in some headers that a target could echo. An integer is none. */
export function secretsInHeaders(headers: Readonly<Record<string, string>>): readonly string[] {
  const found = Object.entries(headers).flatMap(([name, value]) =>
    partsOf(name, value).filter(
      (part) => isSecretName(name) || (looksRandom.test(part) && !describesContent.test(name)),
    ),
  );
  return [...new Set(found.filter((part) => part.length >= shortestSecret && !isInteger.test(part)))];
}

export function secretsInQuery(target: string): readonly string[] {
  const query = /\?(.*)/s.exec(target)?.[1];
  const secret = [...new URLSearchParams(query)].filter(([name]) => isSecretName(name));
  return secret.map(([, value]) => value).filter((value) => value.length >= shortestSecret);
}

/** The variables with the keys of a run. */
export const keyVariables: readonly string[] = ['PETSTORE_API_KEY', 'PETSTORE_RATE_LIMIT_KEY'];

/** The variables with the secrets that the kit itself uses: the keys of a run, and those for a broker of pacts. */
const ownVariables = [...keyVariables, 'PACT_BROKER_TOKEN', 'PACT_BROKER_PASSWORD'];

/** The secrets that the kit uses. Any other variable is nothing that a target or a report could have from the kit. */
export function keysInEnvironment(environment: NodeJS.ProcessEnv): readonly string[] {
  return ownVariables.flatMap((name) => environment[name] || []);
}

/** The last word of the name of a variable with a secret: API_KEY, PACT_BROKER_TOKEN, NPM_PASSWORD. */
const secretVariable = /(?:^|_)(?:[A-Z]*KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|JWT)$/i;

/** The secrets of all variables: what a command prints that got the environment may hold any of them. */
export function secretsInEnvironment(environment: NodeJS.ProcessEnv): readonly string[] {
  const found = Object.entries(environment).flatMap(([name, value = '']) => (secretVariable.test(name) ? [value] : []));
  return [...new Set(found)].filter((value) => value.length >= shortestSecret);
}
