/** What the pages say holds: links lead somewhere, commands and options exist, outputs are those of the kit. */

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandNames } from '../../cli/commands.ts';
import { reporterNames } from '../../reporters/names.ts';
import { testCalls } from '../cli/command.ts';
import { helpOf } from '../cli/golden-help.ts';
import { anchorsIn, blocks, blocksOf, commands, linksIn, pages, readPage, root } from './blocks.ts';
import { shownOutputs, withoutDrawn } from './shown-output.ts';

test('links between pages and to files of the project lead somewhere', () => {
  assert.ok(pages.length >= 8, pages.join(' '));
  for (const page of pages) {
    for (const link of linksIn(readPage(page))) {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      assert.ok(existsSync(join(root, target)), `${page}: ${link}`);
      if (anchor !== undefined) assert.ok(anchorsIn(readPage(target)).includes(anchor), `${page}: ${link}`);
    }
  }
});

const helps = new Map(commandNames.map((name) => [name, helpOf(...name.split(' '), '--help')]));

/** The flags that a text names. */
function flagsIn(text: string): readonly string[] {
  return [...text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)].map(([flag]) => flag);
}

test('every command that a page shows is one, and has the options that stand behind it', () => {
  const shown = commands.flatMap(({ text }) => /^(?:npx --no -- )?petstore-conformance (.*)$/.exec(text)?.[1] ?? []);
  for (const text of shown) {
    const name = commandNames.find((one) => `${text} `.startsWith(`${one} `));
    assert.ok(name, text);
    // What stands behind -- is the command of somebody else.
    for (const flag of flagsIn(text.split(' -- ')[0]!)) assert.ok(helps.get(name)?.includes(flag), `${name} ${flag}`);
  }
  assert.ok(shown.length > 15, String(shown.length));
  const table = readPage('README.md').split('## Commands')[1]!.split('\n## ')[0]!;
  for (const name of commandNames) assert.match(table, `\`${name}`);
});

/** Flags of the server, of npm and of node, and variables that are no options. */
const elsewhere =
  /^--(no|version|help|experimental-vm-modules|keys|animals|service|fault|control|cors|host|log|gaps|follow-tags)$/;
const ownVariables = /^PETSTORE_(API_KEY|RATE_LIMIT_KEY|BASE_URL|CATEGORY_ID)$/;

test('every option, variable and reporter that a page names exists', () => {
  const help = [...helps.values()].join('\n');
  for (const page of pages.filter((one) => /README\.md$/.test(one))) {
    const text = readPage(page).replaceAll(/<!-- generated[\s\S]*?<!-- end/g, '');
    for (const [, code = ''] of text.matchAll(/`([^`\n]+)`/g)) {
      for (const flag of flagsIn(code)) assert.ok(help.includes(flag) || elsewhere.test(flag), `${page}: ${flag}`);
    }
    for (const [name] of text.matchAll(/PETSTORE_[A-Z_]+/g)) {
      const flag = `--${name.slice('PETSTORE_'.length).toLowerCase().replaceAll('_', '-')}`;
      assert.ok(ownVariables.test(name) || help.includes(flag), `${page}: ${name}`);
    }
  }
  for (const name of reporterNames) assert.match(readPage('conformance/README.md'), `\`${name}\``);
});

// The waivers of a page are read.
const files = { 'waivers.yaml': blocksOf('yaml')[0]!.code };
testCalls([{ words: 'run --dry-run --max-requests 1 --waivers waivers.yaml', code: 0, files }]);

for (const [name, show] of Object.entries(shownOutputs)) {
  test(`README.md shows the output of ${name}; npm run generate output writes it`, async () => {
    const [, shown = ''] = readPage('README.md').split(`<!-- generated: ${name} -->\n\n\`\`\`\n`);
    assert.is(withoutDrawn(shown.split('\n```')[0]!), withoutDrawn(await show()));
  });
}

test('the plan of the house names folders and files that there are, and pages are short', () => {
  const [house] = blocks.filter(({ page, language }) => page === 'CONTRIBUTING.md' && language === '');
  const entries = [...house!.code.matchAll(/^( *)([\w.-]+(?:\/[\w.-]*)*)(?: {2}|$)/gm)];
  let inside = '';
  for (const [, indent = '', name = ''] of entries) {
    if (indent === '') inside = name;
    assert.ok(existsSync(join(root, indent === '' ? name : join(inside, name))), name);
  }
  assert.ok(entries.length > 15, String(entries.length));
  const lengths = pages.map((page) => readPage(page).split('\n').length - 1);
  assert.ok(lengths.reduce((sum, one) => sum + one) <= 1_300, String(lengths));
  assert.ok(readPage('CONTRIBUTING.md').split('\n').length <= 300);
});

test.run();
