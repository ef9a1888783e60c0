/** Completion in shells, the version, and the sentence for a Node that is too old. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandNames } from '../../../cli/commands.ts';
import { completions, wordsAfter } from '../../../cli/completion.ts';
import { flagOf, flagsOf } from '../../../cli/options.ts';
import { program as command, run, temporaryFolder } from '../command.ts';

const folder = temporaryFolder();
const installed = join(folder, 'petstore-conformance');
writeFileSync(installed, `#!/bin/sh\nexec "${process.execPath}" "${command}" "$@"\n`);
chmodSync(installed, 0o755);
const env = { ...process.env, PATH: `${folder}${delimiter}${process.env['PATH']}` };

function linesOf(text: string): readonly string[] {
  return text.split('\n').filter(Boolean);
}

/** The words that bash offers for the last of these. */
function complete(...words: readonly string[]): readonly string[] {
  const script = `${completions.bash}
COMP_WORDS=(petstore-conformance "$@"); COMP_CWORD=$#
_petstore_conformance; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return linesOf(execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8', env }));
}

test('bash completes by what the command prints for the line, whatever stands there', () => {
  assert.equal(complete('com'), ['compare', 'completion']);
  assert.equal(complete('pact', 'verify', '--plan', 'free', '--help', '--pa'), ['--pact']);
});

function textsAfter(line: string): readonly string[] {
  return wordsAfter(line).map(([text]) => text);
}

test('a flag is followed by its values, or by what the shell completes', () => {
  assert.equal(textsAfter('petstore-conformance run --plan '), ['free', 'pro', 'business', 'enterprise']);
  assert.equal(textsAfter('petstore-conformance init https://host/v1 --ci '), ['github', 'gitlab', 'script']);
  assert.ok(textsAfter('petstore-conformance run --reporter ').includes('junit'));
  assert.ok(textsAfter('petstore-conformance compare --reporter ').includes('markdown'));
  assert.equal(textsAfter('petstore-conformance run --waivers '), []);
  assert.ok(textsAfter('petstore-conformance run --read-only ').includes('--plan'));
  assert.equal(complete('run', '--plan', 'e'), ['enterprise']);
});

test('the words that follow are commands, those of a family, and ids where a command takes one', () => {
  assert.ok(textsAfter('petstore-conformance ').includes('--version'));
  assert.is(textsAfter('petstore-conformance').filter((word) => word === 'pact').length, 1);
  assert.equal(textsAfter('petstore-conformance pact '), ['verify', 'lint']);
  assert.ok(textsAfter('petstore-conformance explain ').includes('pet-name-kept'));
  assert.equal(textsAfter('petstore-conformance completion '), ['bash', 'zsh', 'fish', 'powershell', '--help']);
});

const hasFish = spawnSync('fish', ['--version']).status === 0;

(hasFish ? test : test.skip)('fish completes with the help of each word', () => {
  const script = `${completions.fish}\ncomplete -C 'petstore-conformance run --max-r'`;
  const home = { ...env, HOME: folder };
  const lines = linesOf(execFileSync('fish', ['-c', script], { encoding: 'utf8', env: home }));
  assert.equal(lines, ['--max-requests\tthe most requests that the run sends']);
});

test('zsh takes the script of bash, also while it loads it', () => {
  assert.match(completions.zsh, /^#compdef petstore-conformance\n.*bashcompinit/);
  assert.match(completions.zsh, /\nif \[\[ .* == _petstore-conformance \]\]; then _bash_complete .*; fi\n$/);
});

test('every command is followed by its flags, each with its help on one line', () => {
  for (const name of commandNames) {
    const words = wordsAfter(`petstore-conformance ${name} `);
    const flags = words.map(([text]) => text).filter((text) => text.startsWith('--'));
    assert.equal(flags, [...flagsOf(name).map((option) => `--${flagOf(option)}`), '--help'], name);
    for (const [text, help] of words) assert.match(`${text}\t${help}`, /^\S+\t[^\t\n]+$/);
  }
});

test('the command prints the script of a shell, and knows no other shell', async () => {
  const [script, none] = await Promise.all([run(['completion', 'powershell']), run(['completion', 'fsh'])]);
  assert.is(script!.stdout, completions.powershell);
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
