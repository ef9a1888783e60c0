/** The help: every command and option with its default, in the width of the terminal. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type CommandName, commandNames, describe } from '../../cli/commands.ts';
import { helpFor, overview, wrapHelp } from '../../cli/help.ts';
import { flagsOf, type OptionName, optionNames, optionOf } from '../../cli/options.ts';

/** What the help of a command says of an option, undefined where it says nothing. */
function helpLine(command: CommandName, name: OptionName): string | undefined {
  return helpFor(command)
    .split('\n')
    .find((line) => line.startsWith(`  --${optionOf(name).flag} `));
}

test('the help of a command has its options, each with its default, and no others', () => {
  for (const command of commandNames) {
    for (const name of optionNames) {
      const { kind, help, type, default: usual } = optionOf(name);
      const line = helpLine(command, name);
      const isWord = kind === 'word' && describe(command).words.some((word) => /^\[?BASE_URL/.test(word));
      const isShown = optionOf(name).commands.includes(command) && !isWord;
      assert.is(line !== undefined, isShown, `${command} ${name}`);
      if (line === undefined) continue;
      assert.match(line, help);
      if (type.unit !== undefined) assert.match(line, `, ${type.unit} (`);
      if (usual !== undefined && kind !== 'switch') assert.match(line, `(${usual}`);
      assert.is(/repeatable\)$/.test(line), kind === 'list', line);
    }
    for (const example of describe(command).examples)
      assert.match(helpFor(command), `petstore-conformance ${example}\n`);
    assert.ok(helpFor(command).startsWith(`  petstore-conformance ${describe(command).examples[0]}\n`));
  }
});

test('help shows the groups, the places where options may be given, and the exit codes of the command', () => {
  const help = helpFor('run');
  assert.match(help, /\n\nJudges a service; .*\nUsage: petstore-conformance run \[BASE_URL\] \[options\]\n\nTarget\n/);
  const groups = help
    .split('\n')
    .filter((line) => /^(Target|Budget and pace|What is judged|Reports|Pacts)$/.test(line));
  assert.equal(groups, ['Target', 'Budget and pace', 'What is judged', 'Reports']);
  assert.match(help, /petstore-conformance\.config\.yaml \(max-requests: 60\)/);
  assert.match(
    help,
    /^Exit codes: 0 conforms, 1 does not conform, 2 usage or configuration, 3 could not judge, 4 our/m,
  );
  assert.match(
    helpFor('client'),
    /^Exit codes: 0 it works with every service .*, 1 it does not, 2 usage .*, 3 it fails with the reference/m,
  );
  assert.match(helpFor('explain'), /\nUsage: petstore-conformance explain \[ID\]\n\nExit codes/);
  assert.not.match(helpFor('explain'), 'config.yaml');
});

test('help keeps to the width of the terminal, and to the words of its lines; commands to copy stay whole', () => {
  for (const help of [overview(), ...commandNames.map(helpFor)]) {
    for (const width of [60, 80, 120]) {
      const wrapped = wrapHelp(help, width);
      assert.equal(wrapped.split(/\s+/), help.split(/\s+/));
      for (const line of wrapped.split('\n')) {
        assert.ok(line.length <= width || help.split('\n').includes(line), `${width}: ${line}`);
      }
    }
  }
  assert.match(wrapHelp(helpFor('run'), 80), /\n {2}--rate N .*\n {26}limit allows\)\n {2}--timeout MS .*\n/);
});

test('the overview names every command with its words, and the options of run', () => {
  for (const name of flagsOf('run')) assert.match(overview(), `\n  --${optionOf(name).flag} `);
  for (const command of commandNames) {
    const { words, summary } = describe(command);
    const line = overview()
      .split('\n')
      .find((one) => one.startsWith(`  ${[command, ...words].join(' ')} `));
    assert.match(line ?? '', summary);
  }
});

test.run();
