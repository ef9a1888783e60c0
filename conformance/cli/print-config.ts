/** Shows every option of a command with its value and its origin. Of a key it names only the variable. */

import { isSecretName } from '../http/secret-names.ts';
import { flagOf, optionOf, optionsOf } from '../options/options.ts';
import type { CommandName } from './commands.ts';
import { type Configuration, entryFor, type Sources } from './configuration.ts';
import { apiKeyVariable, ownRedactor, rateLimitKeyVariable } from './own-secrets.ts';

/** The keys that a command reads, by their variables. */
const keysOf: Partial<Record<CommandName, readonly string[]>> = {
  run: [apiKeyVariable, rateLimitKeyVariable],
  'pact verify': [apiKeyVariable, rateLimitKeyVariable],
  observe: [apiKeyVariable],
};

/** A header as it is given, without the value of a secret one. */
function withoutSecret(text: string): string {
  return isSecretName(text.split(':')[0]!) ? text.replace(/:.*/s, ': (not shown)') : text;
}

export function showConfiguration(
  command: CommandName,
  configuration: Configuration,
  environment: Sources['environment'],
): string {
  const options = optionsOf(command).filter((name) => name !== 'printsConfiguration');
  const redact = ownRedactor(environment);
  const row = (name: string, value: string, source: string): string =>
    redact(`${name.padEnd(16)}  ${value.padEnd(36)}  ${source}\n`);
  return [
    ...options.map((name) => {
      const { texts, source } = entryFor(name, configuration);
      const { otherwise = 'none' } = optionOf(name);
      return row(flagOf(name), texts.map(withoutSecret).join(', ') || `(${otherwise})`, source);
    }),
    ...(keysOf[command] ?? []).map((variable) => {
      const key = environment[variable];
      const state = key === undefined ? '(not set)' : key === '' ? '(empty)' : '(set, not shown)';
      return row(variable.replace('PETSTORE_', '').replaceAll('_', '-').toLowerCase(), state, variable);
    }),
  ].join('');
}
