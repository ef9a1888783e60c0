/** The variables of the environment that hold secrets. */

import { shortestSecret } from '../http/redact.ts';

/** The variables with the keys of the target: a key is never an argument. */
export const apiKeyVariable = 'PETSTORE_API_KEY';
export const rateLimitKeyVariable = 'PETSTORE_RATE_LIMIT_KEY';

/** The last word of the name of a variable with a secret: API_KEY, PACT_BROKER_TOKEN, NPM_PASSWORD. */
const secretVariable = /(?:^|_)(?:[A-Z]*KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|AUTH|JWT)$/i;

/** The secrets in the variables of an environment, by their names. */
export function environmentSecrets(environment: NodeJS.ProcessEnv): readonly string[] {
  const found = Object.entries(environment).flatMap(([name, value = '']) => (secretVariable.test(name) ? [value] : []));
  return [...new Set(found)].filter((value) => value.length >= shortestSecret);
}
