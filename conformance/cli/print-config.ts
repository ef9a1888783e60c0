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
  const rows = options.map((name) => {
    const { texts, source } = entryFor(name, configuration);
    return [flagOf(name), texts.map(withoutSecret).join(', ') || `(${optionOf(name).otherwise ?? 'none'})`, source];
  });
  const keys = (keysOf[command] ?? []).map((variable) => {
    const state = { undefined: '(not set)', '': '(empty)' }[String(environment[variable])] ?? '(set, not shown)';
    return [variable.replace('PETSTORE_', '').replaceAll('_', '-').toLowerCase(), state, variable];
  });
  const lines = [...rows, ...keys].map(
    ([name = '', value = '', source]) => `${name.padEnd(16)}  ${value.padEnd(36)}  ${source}\n`,
  );
  return ownRedactor(environment)(lines.join(''));
}
