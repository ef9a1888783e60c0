/** Completion in shells, the version, and the sentence for a Node that is too old. */

import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandNames } from '../../../cli/commands.ts';
import { completions } from '../../../cli/completion.ts';
import { flagOf, flagsOf } from '../../../cli/options.ts';
import { run } from '../command.ts';

/** The words that bash offers for the last of these. */
function complete(...words: readonly string[]): readonly string[] {
  const script = `${completions.bash()}
COMP_WORDS=(petstore-conformance "$@"); COMP_CWORD=$#
_petstore_conformance; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

test('bash completes commands, those of a family, and the flags of each', () => {
  assert.equal(complete('com'), ['compare', 'completion']);
  assert.equal(complete('pact', ''), ['verify', 'lint']);
  assert.equal(complete('run', '--max-r'), ['--max-requests']);
  assert.equal(complete('pact', 'verify', '--pa'), ['--pact']);
  assert.equal(complete('list', '--read'), []);
  assert.equal(complete('explain', 'pet-name-'), ['pet-name-kept']);
  assert.equal(complete('completion', 'z'), ['zsh']);
});

test('every command has its flags in each script', () => {
  for (const name of commandNames.filter((one) => !one.includes(' '))) {
    const flags = flagsOf(name).map((option) => `--${flagOf(option)}`);
    assert.equal(complete(name, '--'), [...flags, '--help'], name);
    for (const flag of flags)
      assert.match(completions.fish(), `-n '__fish_seen_subcommand_from ${name}' -a '${flag}' -d '`);
  }
  assert.match(completions.zsh(), /^#compdef petstore-conformance\n.*bashcompinit/);
  assert.match(completions.zsh(), /\nif \[\[ .* == _petstore-conformance \]\]; then _bash_complete .*; fi\n$/);
});

test('quotes in a help text end no word of fish', () => {
  const lines = completions.fish().trimEnd().split('\n');
  for (const line of lines) {
    assert.match(
      line,
      /^complete -c petstore-conformance -n '(?:[^'\\]|\\.)*' -a '(?:[^'\\]|\\.)*' -d '(?:[^'\\]|\\.)*'$/,
    );
  }
});

/** The words that the script of PowerShell offers for a command. */
function powershellWords(command: string): readonly string[] {
  const row = completions
    .powershell()
    .split('\n')
    .find((line) => line.startsWith(`    '${command}' = [ordered]@{ `));
  return [...(row ?? '').matchAll(/(?:@\{|;) '((?:[^']|'')*)' = '(?:[^']|'')*'(?=;| \})/g)].map(
    ([, word = '']) => word,
  );
}

test('PowerShell completes commands, those of a family, and the flags of each, and quotes end no word', () => {
  assert.ok(powershellWords('').includes('compare'));
  assert.equal(powershellWords('pact'), ['verify', 'lint']);
  for (const name of commandNames) {
    const flags = flagsOf(name).map((option) => `--${flagOf(option)}`);
    assert.equal(
      powershellWords(name).filter((word) => word.startsWith('--')),
      [...flags, '--help'],
      name,
    );
  }
});

test('the command prints the script of a shell, and knows no other shell', async () => {
  const [bash, none] = await Promise.all([run(['completion', 'bash']), run(['completion', 'fsh'])]);
  assert.is(bash!.stdout, completions.bash());
  assert.is(none!.code, 2);
  assert.match(none!.stderr, 'completion takes one of bash, zsh, fish, powershell, not "fsh". Did you mean fish?');
});

test('the version is printed wherever it is asked for', async () => {
  for (const words of [['--version'], ['run', '--version']]) {
    const { code, stdout } = await run(words);
    assert.equal([code, /^\d+\.\d+\.\d+\n$/.test(stdout)], [0, true]);
  }
});

/** Program → its file and a word that it answers at once. */
const programs = {
  'petstore-conformance': ['conformance/cli.ts', 'list'],
  'petstore-server': ['conformance/cli/petstore-server.ts', '--help'],
} as const;

for (const [name, [file, word]] of Object.entries(programs)) {
  test(`${name} tells a Node that is too old in one sentence, whatever is asked`, () => {
    const older = (version: string) => {
      const versions = `{value:{...process.versions,node:'${version}'}}`;
      const preload = `data:text/javascript,Object.defineProperty(process,'versions',${versions})`;
      const path = new URL(`../../../../${file}`, import.meta.url).pathname;
      return spawnSync(process.execPath, ['--import', preload, path, word], { encoding: 'utf8' });
    };
    const { status, stdout, stderr } = older('20.19.0');
    assert.equal([status, stdout, stderr], [2, '', `${name} needs Node 22.18 or newer, and this is 20.19.0.\n`]);
    assert.is(older('22.17.1').status, 2);
    assert.is(older('22.18.0').status, 0);
  });
}

test.run();
