/** What the pages say holds: links lead somewhere, commands and options exist, sentences that are quoted are said. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { findCommand } from '../command-line/commands.ts';
import { flagOf, flagsOf, optionNames, variableOf } from '../command-line/options.ts';

const root = new URL('../..', import.meta.url).pathname;
const files = ['*.md', '.github/*.md', '{spec,pacts,conformance,reference-server}/*.md', 'conformance/ci/*.md'];
const pages = files.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}

/** As GitHub makes the address of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');
}

function anchorsIn(page: string): readonly string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

test('links between pages and to files of the project lead somewhere', () => {
  assert.ok(pages.length >= 8, pages.join(' '));
  for (const page of pages) {
    for (const [, link = ''] of read(page).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(link)) continue;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      assert.ok(existsSync(join(root, target)), `${page}: ${link}`);
      if (anchor !== undefined) assert.ok(anchorsIn(target).includes(anchor), `${page}: ${link}`);
    }
  }
});

/** Blocks of code of some language. */
function blocks(page: string, language: string): readonly string[] {
  return [...read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(([, code = '']) => code);
}

/** What is called in a page: the words behind the name of the kit, in blocks of a shell and in lines. */
function calls(page: string): readonly (readonly string[])[] {
  const kit = /^(?:npx )?petstore-conformance (.*)$|^npm run (?:-s )?kit -- (.*)$|^npm run conformance -- (.*)$/;
  const lines = blocks(page, 'sh').flatMap((code) => code.replaceAll(/ *\\\n */g, ' ').split('\n'));
  const inline = [...read(page).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...lines, ...inline].flatMap((line) => {
    const [, own, ofClone, ofRun] = kit.exec(line.trim()) ?? [];
    const text = own ?? ofClone ?? (ofRun === undefined ? undefined : `run ${ofRun}`);
    return text === undefined ? [] : [text.replace(/ +#.*$/, '').split(/ +/)];
  });
}

test('every command in a page is one, with options that it has', () => {
  let found = 0;
  for (const words of pages.flatMap(calls)) {
    if (/^(--|[A-Z]+$)/.test(words[0] ?? '')) continue;
    const command = findCommand(words);
    assert.ok('command' in command, words.join(' '));
    const flags = new Set([...flagsOf(command.command).map(flagOf), 'help']);
    // What stands behind -- is the command of somebody else.
    const [own = ''] = command.rest.join(' ').split(/(?:^| )-- /);
    for (const word of own.split(' ').filter((one) => one.startsWith('--'))) {
      assert.ok(flags.has(word.replace(/^--|=.*$/g, '')), words.join(' '));
    }
    found += 1;
  }
  assert.ok(found > 10, String(found));
});

test('every option and variable that a page names in its text exists somewhere', () => {
  const flags = new Set<string>(optionNames.map(flagOf));
  const elsewhere =
    /^--(help|version|port|gaps|surprise|check|keys|key-env|window-seconds|experimental-vm-modules|\w+)$/;
  const variables = new Set([...optionNames.map(variableOf), 'PETSTORE_API_KEY', 'PETSTORE_RATE_LIMIT_KEY']);
  for (const page of ['README.md', 'conformance/README.md', 'conformance/ci/README.md']) {
    for (const [, flag = ''] of read(page).matchAll(/`(--[a-z-]+)/g)) {
      assert.ok(flags.has(flag.slice(2)) || elsewhere.test(flag), `${page}: ${flag}`);
    }
    for (const [name] of read(page).matchAll(/PETSTORE_[A-Z_]+/g)) {
      assert.ok(variables.has(name) || name === 'PETSTORE_STAGING_KEY', `${page}: ${name}`);
    }
  }
});

test('a configuration that a page shows holds options that exist', () => {
  const flags = new Set<string>(optionNames.map(flagOf));
  const shown = blocks('conformance/README.md', 'yaml')
    .map((code) => parse(code) as unknown)
    .filter((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
  assert.ok(shown.length > 0);
  for (const value of shown) for (const flag of Object.keys(value as object)) assert.ok(flags.has(flag), flag);
});

test('every sentence that troubles are found by is said by the kit', () => {
  const folders = 'conformance/{engine,checks,command-line}/**/*.ts';
  const sources = globSync(folders, { cwd: root })
    .map(read)
    .join('\n')
    .replaceAll(/\$\{what\}/g, 'requests');
  const table = read('conformance/README.md').split('## When it does not work')[1]?.split('## Questions')[0] ?? '';
  const symptoms = [...table.matchAll(/^\| "([^"]+)"/gm)].map(([, symptom = '']) => symptom);
  assert.ok(symptoms.length >= 5, symptoms.join('; '));
  for (const symptom of symptoms) assert.ok(sources.includes(symptom), symptom);
});

test.run();
