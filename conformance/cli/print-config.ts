/** Shows every option of a command with its value and its origin. Of a key it names only the variable. */

import { flagOf, type OptionName, optionOf, optionsOf } from '../options/options.ts';
import type { CommandName } from './commands.ts';
import { type Configuration, entryFor, type Sources } from './configuration.ts';
import { apiKeyVariable, ownRedactor, rateLimitKeyVariable } from './own-secrets.ts';

/** A longer value takes its own row out of the columns, and no other. */
const widestColumn = 36;

type Row = readonly [name: string, value: string, source: string];

function rowOf(name: OptionName, configuration: Configuration): Row {
  const {
    otherwise = 'none',
    type: { show = (text: string) => text },
  } = optionOf(name);
  const { texts, source } = entryFor(name, configuration);
  return [flagOf(name), texts.length === 0 ? `(${otherwise})` : texts.map(show).join(', '), source];
}

/** The keys that a command reads, by their variables. */
const keysOf: Partial<Record<CommandName, readonly string[]>> = {
  run: [apiKeyVariable, rateLimitKeyVariable],
  'pact verify': [apiKeyVariable, rateLimitKeyVariable],
  observe: [apiKeyVariable],
};

function keyRow(variable: string, environment: Sources['environment']): Row {
  const key = environment[variable];
  const state = key === undefined ? '(not set)' : key === '' ? '(empty)' : '(set, not shown)';
  return [variable.replace('PETSTORE_', '').replaceAll('_', '-').toLowerCase(), state, variable];
}

export function showConfiguration(
  command: CommandName,
  configuration: Configuration,
  environment: Sources['environment'],
): string {
  const rows = [
    ...optionsOf(command)
      .filter((name) => name !== 'printsConfiguration')
      .map((name) => rowOf(name, configuration)),
    ...(keysOf[command] ?? []).map((variable) => keyRow(variable, environment)),
  ];
  const widths = [0, 1].map((column) => Math.min(widestColumn, Math.max(...rows.map((row) => row[column]!.length))));
  const redact = ownRedactor(environment);
  return rows
    .map(([name, value, source]) => redact(`${name.padEnd(widths[0]!)}  ${value.padEnd(widths[1]!)}  ${source}\n`))
    .join('');
}
