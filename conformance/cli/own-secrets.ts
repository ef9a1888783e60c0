/** Keeps the secrets of the environment and of the command line out of what the kit prints about itself. */

import { unescape as decode } from 'node:querystring';
import { canBeRedacted, type Redact, redactor, shortestSecret } from '../http/redact.ts';
import { hiddenValue, hideInUrls } from '../http/secret-names.ts';

/** The variables with the keys of the target: a key is never an argument. */
export const apiKeyVariable = 'PETSTORE_API_KEY';
export const rateLimitKeyVariable = 'PETSTORE_RATE_LIMIT_KEY';

/** The last word of the name of a variable with a secret: API_KEY, PACT_BROKER_TOKEN, NPM_PASSWORD. */
const secretVariable = /(?:^|_)(?:[A-Z]*KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|JWT)$/i;
const proxyVariable = /^(?:https?|all)_proxy$/i;

/** The password in the address of a proxy, which may have no scheme. */
function passwordIn(address: string): string {
  return decode(URL.parse(address.includes('://') ? address : `http://${address}`)?.password ?? '');
}

/** The secrets in the variables of an environment, by their names. */
export function environmentSecrets(environment: NodeJS.ProcessEnv): readonly string[] {
  const found = Object.entries(environment).flatMap(([name, value = '']) => {
    if (proxyVariable.test(name)) return [passwordIn(value)];
    return secretVariable.test(name) ? [value] : [];
  });
  return [...new Set(found)].filter((value) => value.length >= shortestSecret && canBeRedacted(value));
}

/** Redacts a text of our own, such as an error that repeats an argument. */
export function ownRedactor(environment: NodeJS.ProcessEnv): Redact {
  const redact = redactor(environmentSecrets(environment));
  // A password in an address may hold characters that would have to be escaped there.
  return (text) => hideInUrls(redact(text).replace(/(:\/\/)[^\s"'<>]*:[^\s"'<>]*@/g, `$1${hiddenValue}@`));
}
