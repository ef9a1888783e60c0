/** Completion in shells: the words that may come next, and scripts by which a shell asks the command for them. */

import { clientRequirements } from '../../spec/client-requirements.ts';
import { failureCodes } from '../../spec/failure-codes.ts';
import { gaps } from '../../spec/gaps.ts';
import { requirements } from '../../spec/requirements.ts';
import { type CommandName, commandNames, describe } from './commands.ts';
import { flagOf, flagsOf, type OptionName, optionOf } from './options.ts';

const program = 'petstore-conformance';

/** Stands where a shell does: prints the words that may come next, instead of a script. */
export const nextWords = 'words';

/** The scripts. Each passes the line up to the cursor in COMP_LINE, since a word there may be an option. */
const bash = `_petstore_conformance() {
  local IFS=$'\\n' line="\${COMP_WORDS[*]:0:$COMP_CWORD}"
  COMPREPLY=( $(compgen -W "$(COMP_LINE="$line" ${program} completion ${nextWords} | cut -f 1)" -- "\${COMP_WORDS[COMP_CWORD]}") )
}
complete -o default -F _petstore_conformance ${program}
`;

export const completions = {
  bash,
  // zsh runs the script of bash. The first completion loads the script, and is completed by it too.
  zsh: `#compdef ${program}
autoload -U +X bashcompinit && bashcompinit
${bash}if [[ \${funcstack[1]} == _${program} ]]; then _bash_complete -o default -F _petstore_conformance; fi
`,
  fish: `complete -c ${program} -a '(env COMP_LINE=(commandline -opc | string join " ") ${program} completion ${nextWords})'
`,
  powershell: `Register-ArgumentCompleter -Native -CommandName ${program} -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @($commandAst.CommandElements | ForEach-Object { $_.ToString() })
  if ($wordToComplete -ne '') { $typed = @($typed | Select-Object -SkipLast 1) }
  $env:COMP_LINE = $typed -join ' '
  ${program} completion ${nextWords} | ForEach-Object {
    $word, $help = $_ -split "\`t"
    if ($word -like "$wordToComplete*") {
      [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $help)
    }
  }
}
`,
} as const;

type Word = readonly [text: string, help: string];

function knownWords(command: CommandName): readonly Word[] {
  if (command === 'completion') return Object.keys(completions).map((shell) => [shell, `for ${shell}`]);
  if (command !== 'explain') return [];
  return [
    ...[...requirements, ...clientRequirements].map(({ id, text }): Word => [id, text]),
    ...gaps.map(({ id, question }): Word => [id, question]),
    ...Object.entries(failureCodes),
  ];
}

/** The values that an option may have; none where the shell itself completes them, such as the names of files. */
function valuesOf(name: OptionName): readonly Word[] {
  const { type, help } = optionOf(name);
  return (type.choices ?? []).map((value) => [value, help]);
}

/** The words that may follow those of a line, of which the first is the program. */
export function wordsAfter(line: string): readonly Word[] {
  const typed = line.trim().split(/\s+/);
  const [, first = '', second = ''] = typed;
  const command = commandNames.find((name) => name === `${first} ${second}` || name === first);
  if (command !== undefined) {
    const valued = flagsOf(command).find(
      (name) => `--${flagOf(name)}` === typed.at(-1) && !optionOf(name).type.isSwitch,
    );
    if (valued !== undefined) return valuesOf(valued);
    const flags = flagsOf(command).map((name): Word => [`--${flagOf(name)}`, optionOf(name).help]);
    return [...knownWords(command), ...flags, ['--help', 'explains the command']];
  }
  // A command of two words is completed word by word.
  const place = commandNames.some((name) => name.startsWith(`${first} `)) ? 1 : 0;
  const names = commandNames.filter((name) => place === 0 || name.startsWith(`${first} `));
  const words = new Map(names.map((name) => [name.split(' ')[place]!, describe(name).summary]));
  return place === 1
    ? [...words]
    : [...words, ['--help', 'explains the commands'], ['--version', 'prints the version']];
}
