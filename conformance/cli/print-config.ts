/** Shows every option of a command with its value and its origin. Of a key it names only the variable. */

import type { CommandName } from './commands.ts';
import type { Configuration, Sources } from './configuration.ts';
import { textsFor } from './configuration.ts';
import { flagOf, type OptionName, optionOf, optionsOf } from './options.ts';
import { apiKeyVariable, ownRedactor, rateLimitKeyVariable } from './own-secrets.ts';

/** A longer value takes its own row out of the columns, and no other. */
const widestColumn = 36;

type Row = readonly [name: string, value: string, source: string];

function rowOf(name: OptionName, configuration: Configuration): Row {
  const { otherwise = 'none', show = (text: string) => text } = optionOf(name);
  const texts = textsFor(name, configuration).map(({ text }) => show(text));
  const value = texts.length === 0 ? `(${otherwise})` : texts.join(', ');
  return [flagOf(name), value, configuration.get(name)?.source ?? 'default'];
}

function keyRow(name: string, variable: string, environment: Sources['environment']): Row {
  const key = environment[variable];
  const state = key === undefined ? '(not set)' : key === '' ? '(empty)' : '(set, not shown)';
  return [name, state, variable];
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
    keyRow('api-key', apiKeyVariable, environment),
    keyRow('rate-limit-key', rateLimitKeyVariable, environment),
  ];
  const widths = [0, 1].map((column) => Math.min(widestColumn, Math.max(...rows.map((row) => row[column]!.length))));
  const redact = ownRedactor(environment);
  return rows
    .map(([name, value, source]) => redact(`${name.padEnd(widths[0]!)}  ${value.padEnd(widths[1]!)}  ${source}\n`))
    .join('');
}
