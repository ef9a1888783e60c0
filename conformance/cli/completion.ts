/** Scripts that complete the words of a command line in a shell, made of the tables of commands and options. */

import { clientRequirements } from '../../spec/client-requirements.ts';
import { gaps } from '../../spec/gaps.ts';
import { requirements } from '../../spec/requirements.ts';
import { type CommandName, commandNames, describe } from './commands.ts';
import { flagOf, flagsOf, optionOf } from './options.ts';

const program = 'petstore-conformance';

/** What may stand first, and what behind the name of a family of commands. */
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
    { text: '--help', help: 'what the command does' },
  ];
}

/** Words of a command that are known beforehand. */
function knownWords(command: CommandName): readonly Word[] {
  if (command === 'completion') return ['bash', 'zsh', 'fish'].map((text) => ({ text, help: `for ${text}` }));
  if (command !== 'explain') return [];
  return [
    ...[...requirements, ...clientRequirements].map(({ id, text }) => ({ text: id, help: text })),
    ...gaps.map(({ id, question }) => ({ text: id, help: question })),
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

/** The completion of zsh reads that of bash. It is loaded by the first word to complete, which it completes too. */
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
  const seen = (name: string): string =>
    name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
  const ofCommands = commandNames.flatMap((name) => wordsOf(name).map((word) => lineFor(seen(name), word)));
  const first = firstWords.map((text) => {
    const help = commandNames.includes(text as CommandName)
      ? describe(text as CommandName).summary
      : secondWords(text).join(', ');
    return lineFor('__fish_use_subcommand', { text, help });
  });
  const second = families.flatMap((family) =>
    secondWords(family).map((text) =>
      lineFor(seen(family), { text, help: describe(`${family} ${text}` as CommandName).summary }),
    ),
  );
  return `${[...first, ...second, ...ofCommands].join('\n')}\n`;
}

/** Shell → its script. */
export const completions: Readonly<Record<string, () => string>> = {
  bash: completeInBash,
  zsh: completeInZsh,
  fish: completeInFish,
};
