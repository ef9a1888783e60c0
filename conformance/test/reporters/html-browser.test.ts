/** The HTML page in Chromium: what a reader sees at a desk, on a phone and in print. Pictures are kept. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reporters } from '../../reporters/index.ts';
import type { Report } from '../../verdict/report.ts';
import { runForReadme } from '../pages/shown-output.ts';
import { launchChromium } from './chromium.ts';
import { sampleReport } from './sample-report.ts';

const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
/** How long a busy machine may take for one step, milliseconds. */
const patience = 60_000;

const browser = await launchChromium();
const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-page-'));
const pictures = new URL('../../../build/pages/', import.meta.url).pathname;
mkdirSync(pictures, { recursive: true });

/** What the pages ask for and say, which is nothing. */
const complaints: string[] = [];

async function open(name: string, html: string, viewport = desk): Promise<Page> {
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(patience);
  const address = pathToFileURL(join(folder, `${name}.html`)).href;
  writeFileSync(new URL(address), html);
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== address) complaints.push(request.url());
  });
  await page.goto(address);
  return page;
}

const countVisible = (page: Page, selector: string): Promise<number> => page.locator(`${selector}:visible`).count();

const faulty: Report = await runForReadme();
const sample = await open('sample', reporters.html(sampleReport));
const broken = await open('faulty', reporters.html(faulty));

test('verdict, failure and evidence are on the first screen', async () => {
  for (const page of [sample, broken]) {
    assert.match(await page.locator('h1').innerText(), /^✗\s*Does not conform\s+\(\d+ of \d+ requirements fail/);
    const box = await page.locator('h1').boundingBox();
    assert.ok(box !== null && box.y + box.height < desk.height / 2);
  }
  const evidence = await broken.locator('article details[open]').first().boundingBox();
  assert.ok(evidence !== null && evidence.y < desk.height, JSON.stringify(evidence));
});

test('no script would run', async () => {
  const script = '<main><script>document.title = "owned"</script>';
  const forged = await browser.newPage();
  await forged.setContent(reporters.html(sampleReport).replace('<main>', script));
  assert.match(await forged.title(), /^Does not conform/);
});

test('evidence is opened by keyboard, and a link in it leads to its exchange and opens it', async () => {
  assert.is(await countVisible(sample, '#cause-3 details .command'), 0);
  await sample.locator('#cause-3 summary').focus();
  await sample.keyboard.press('Enter');
  assert.is(await countVisible(sample, '#cause-3 details .command'), 2);
  assert.not.ok(await sample.locator('#exchange-4').isVisible());
  await sample.locator('#cause-3 a[href="#exchange-4"]').click();
  await sample.locator('#exchange-4').waitFor();
});

test('in print the evidence is open, and the navigation is gone', async () => {
  await broken.emulateMedia({ media: 'print' });
  assert.is(await countVisible(broken, '.sides'), await broken.locator('.sides').count());
  assert.is(await countVisible(broken, 'nav'), 0);
  await broken.emulateMedia({ media: 'screen' });
});

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

test('with all of it opened, light and dark, at a desk and on a phone, axe finds nothing grave and nothing scrolls sideways', async () => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await sample.locator('details').evaluateAll((all) => {
    for (const one of all) one.setAttribute('open', '');
  });
  await sample.evaluate(axe);
  for (const viewport of [desk, phone]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await sample.setViewportSize(viewport);
      await sample.emulateMedia({ colorScheme });
      const found: readonly Violation[] = await sample.evaluate('axe.run().then(({ violations }) => violations)');
      const grave = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      assert.is(grave.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`).join(), '');
      assert.is(await sample.evaluate('document.documentElement.scrollWidth'), viewport.width);
      await broken.setViewportSize(viewport);
      await broken.emulateMedia({ colorScheme });
      await broken.screenshot({ path: join(pictures, `report-${viewport.width}-${colorScheme}.png`), fullPage: true });
    }
  }
  // The picture of the README is a copy of this one.
  const readme = await open('readme', reporters.html(faulty), { width: 1000, height: 1000 });
  await readme.screenshot({ path: join(pictures, 'readme.png') });
});

test('nothing was loaded, run or complained about meanwhile', () => assert.equal(complaints, []));

test.after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

test.run();
