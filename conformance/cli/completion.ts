/** Completion scripts for shells, made from the tables of commands and options. */

import { clientRequirements } from '../../spec/client-requirements.ts';
import { failureCodes } from '../../spec/failure-codes.ts';
import { gaps } from '../../spec/gaps.ts';
import { requirements } from '../../spec/requirements.ts';
import { type CommandName, commandNames, describe } from './commands.ts';
import { flagOf, flagsOf, optionOf } from './options.ts';

const program = 'petstore-conformance';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

/** The words that may stand first: commands of one word, and the families of those of two. */
const firstWords = [...new Set(commandNames.map((name) => name.split(' ')[0]!))];

function secondWords(first: string): readonly string[] {
  return commandNames.filter((name) => name.startsWith(`${first} `)).map((name) => name.split(' ')[1]!);
}

const families = firstWords.filter((first) => secondWords(first).length > 0);

interface Word {
  readonly text: string;
  readonly help: string;
}

function flagWords(command: CommandName): readonly Word[] {
  return [
    ...flagsOf(command).map((name) => ({ text: `--${flagOf(name)}`, help: optionOf(name).help })),
    { text: '--help', help: 'explains the command' },
  ];
}

/** The words that a command takes from a known set. */
function knownWords(command: CommandName): readonly Word[] {
  if (command === 'completion') return shells.map((text) => ({ text, help: `for ${text}` }));
  if (command !== 'explain') return [];
  return [
    ...[...requirements, ...clientRequirements].map(({ id, text }) => ({ text: id, help: text })),
    ...gaps.map(({ id, question }) => ({ text: id, help: question })),
    ...Object.entries(failureCodes).map(([text, help]) => ({ text, help })),
  ];
}

function wordsOf(command: CommandName): readonly Word[] {
  return [...knownWords(command), ...flagWords(command)];
}

function textsOf(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ');
}

function completeInBash(): string {
  const cases = commandNames.map((name) => `    "${name}") words="${textsOf(wordsOf(name))}" ;;`);
  const second = families.map((first) => `    "${first}") words="${secondWords(first).join(' ')}" ;;`);
  return `_petstore_conformance() {
  local command="\${COMP_WORDS[1]}" words=""
  case "$command" in
${families.map((first) => `    "${first}") if (( COMP_CWORD > 2 )); then command="$command \${COMP_WORDS[2]}"; fi ;;`).join('\n')}
  esac
  if (( COMP_CWORD == 1 )); then words="${firstWords.join(' ')} --help --version"
  else case "$command" in
${[...second, ...cases].join('\n')}
  esac; fi
  COMPREPLY=( $(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}") )
}
complete -o default -F _petstore_conformance ${program}
`;
}

/** zsh runs the script of bash. The first completion loads the script, and is completed by it too. */
function completeInZsh(): string {
  return `#compdef ${program}
autoload -U +X bashcompinit && bashcompinit
${completeInBash()}if [[ \${funcstack[1]} == _${program} ]]; then _bash_complete -o default -F _petstore_conformance; fi
`;
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function completeInFish(): string {
  const lineFor = (condition: string, { text, help }: Word): string =>
    `complete -c ${program} -n ${quote(condition)} -a ${quote(text)} -d ${quote(help)}`;
  const hasWords = (name: string): string =>
    name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
  const ofCommands = commandNames.flatMap((name) => wordsOf(name).map((word) => lineFor(hasWords(name), word)));
  const first = firstWords.map((text) => {
    const help = commandNames.includes(text as CommandName)
      ? describe(text as CommandName).summary
      : secondWords(text).join(', ');
    return lineFor('__fish_use_subcommand', { text, help });
  });
  const second = families.flatMap((family) =>
    secondWords(family).map((text) =>
      lineFor(hasWords(family), { text, help: describe(`${family} ${text}` as CommandName).summary }),
    ),
  );
  return `${[...first, ...second, ...ofCommands].join('\n')}\n`;
}

/** A text in single quotes for PowerShell, on one line. */
function quoteForPowerShell(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** PowerShell passes the words typed so far; the longest command that they begin with decides. */
function completeInPowerShell(): string {
  const table = (words: readonly Word[]): string =>
    words.map(({ text, help }) => `${quoteForPowerShell(text)} = ${quoteForPowerShell(help)}`).join('; ');
  const first = firstWords.map((text) => ({ text, help: text }));
  const second = families.map((family) => [family, secondWords(family).map((text) => ({ text, help: text }))] as const);
  const own = commandNames.map((name) => [name, wordsOf(name)] as const);
  const cases = [['', first] as const, ...second, ...own];
  const rows = cases.map(([name, words]) => `    ${quoteForPowerShell(name)} = [ordered]@{ ${table(words)} }`);
  return `Register-ArgumentCompleter -Native -CommandName ${program} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @{
${rows.join('\n')}
  }
  $typed = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.ToString() })
  if ($wordToComplete -ne '' -and $typed.Count -gt 0) { $typed = @($typed | Select-Object -SkipLast 1) }
  $command = ''
  if ($typed.Count -gt 0 -and $words.ContainsKey($typed[0])) { $command = $typed[0] }
  if ($typed.Count -gt 1 -and $words.ContainsKey("$($typed[0]) $($typed[1])")) { $command = "$($typed[0]) $($typed[1])" }
  foreach ($entry in $words[$command].GetEnumerator()) {
    if ($entry.Key -like "$wordToComplete*") {
      [System.Management.Automation.CompletionResult]::new($entry.Key, $entry.Key, 'ParameterValue', $entry.Value)
    }
  }
}
`;
}

/** Shell → its script. */
export const completions: Readonly<Record<Shell, () => string>> = {
  bash: completeInBash,
  zsh: completeInZsh,
  fish: completeInFish,
  powershell: completeInPowerShell,
};
