/** The page of the interface in Chromium, without a network: all operations, requirements and gaps are on it. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clientRequirements } from '../../../spec/client-requirements.ts';
import { gaps } from '../../../spec/gaps.ts';
import { requirements } from '../../../spec/requirements.ts';
import { sections } from '../../../spec/sections.ts';
import { writeInterfacePage } from '../../packaging/interface-page.ts';
import { launchChromium } from '../reporters/chromium.ts';

const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-interface-'));
const file = join(folder, 'index.html');
writeInterfacePage(file);
const address = pathToFileURL(file).href;

const browser = await launchChromium();
const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
const complaints: string[] = [];

/** The script greets on the console; what it complains of is noted, and what it asks for beside the page itself. */
function listen(to: Page): void {
  to.on('console', (message) => {
    if (message.type() !== 'info') complaints.push(`${message.type()}: ${message.text()}`);
  });
  to.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  to.on('request', (request) => {
    const url = request.url();
    if (url.split('#')[0] !== address && !/^(blob|data):/.test(url)) complaints.push(`request: ${url}`);
  });
}

listen(page);
await page.goto(address);
await page.getByRole('heading', { level: 1, name: 'Pet Store Service Interface' }).waitFor();

function textOf(of: Page): Promise<string> {
  return of.evaluate('document.body.innerText');
}

test('every requirement and every open question is on it, by its id and in words', async () => {
  const codes = new Set(await page.locator('td code').allInnerTexts());
  const text = await textOf(page);
  const stated = [...requirements, ...clientRequirements.filter(({ id }) => !id.startsWith('any-'))];
  for (const { id } of [...stated, ...gaps]) assert.ok(codes.has(id), id);
  for (const requirement of requirements)
    assert.ok(text.includes(requirement.text.replaceAll('`', '')), requirement.id);
  for (const { question } of gaps) assert.ok(text.includes(question), question);
  assert.not.match(text, /<!--|generated:|\]\(/);
});

test('its menu leads to every section and every operation', async () => {
  await page.getByRole('link', { name: 'The interface, sentence by sentence' }).first().click();
  for (const { id } of sections) {
    assert.ok((await page.getByRole('link', { name: new RegExp(`^§${id.replace('.', '\\.')} `) }).count()) > 0, id);
  }
  await page.getByText('pets', { exact: true }).first().click();
  for (const [name, path] of [
    ['List all animals (§4.1)', '/pets'],
    ['Add an animal (§4.2)', '/pets'],
    ['Get an animal (§4.3)', '/pets/{petId}'],
  ] as const) {
    await page.getByText(name).first().click();
    await page.getByRole('heading', { name }).first().waitFor();
    assert.ok((await textOf(page)).includes(path));
  }
});

test('it shows schemas and examples, and no number in other digits', async () => {
  const text = await textOf(page);
  for (const field of ['categoryId', 'integer, (int64)', 'X-RateLimit-Remaining', '"name": "Rex"']) {
    assert.ok(text.includes(field), field);
  }
  assert.not.match(text, /9223372036854776000/);
});

test('the page refuses to load or run foreign scripts', async () => {
  const forged = join(folder, 'forged.html');
  const script = 'fetch("http://127.0.0.1:9/").catch(() => document.title = "refused")';
  writeFileSync(forged, readFileSync(file, 'utf8').replace('<body>', `<body><script>${script}</script>`));
  const visited = await browser.newPage();
  const requests: string[] = [];
  visited.on('request', (request) => requests.push(request.url()));
  await visited.goto(pathToFileURL(forged).href);
  await visited.waitForFunction('document.title === "refused"');
  assert.not.ok(requests.some((url) => url.startsWith('http')));
  await visited.close();
});

test('nothing was complained about or asked for meanwhile', () => {
  assert.equal(complaints, []);
});

test.after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

test.run();
