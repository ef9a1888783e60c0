/** The HTML page in Chromium: what a reader sees and does, by mouse, keyboard, phone and print. Pictures are kept. */

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPetStore } from '../../../reference-server/index.ts';
import type { Report } from '../../engine/report.ts';
import { faults } from '../../faults/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../faults/trial.ts';
import { reportHtml } from '../../reporters/html.ts';
import { launchChromium } from './chromium.ts';
import { hostile, sampleReport } from './sample-report.ts';
import { close, countVisible, desk, openAll, phone, type Visit, visit } from './visits.ts';

const browser = await launchChromium();
const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-page-'));
const pictures = new URL('../../../build/pages/', import.meta.url).pathname;
mkdirSync(pictures, { recursive: true });

const faulty = faults.find(({ id }) => id === 'default-limit-25')!;
const names = ['sample', 'faulty'] as const;
const reports: Readonly<Record<(typeof names)[number], Report>> = {
  sample: sampleReport,
  faulty: await runInProcess(faulty.wrap(createPetStore({ keys: trialKeys }).handle), trialSettings(300)),
};
for (const name of names) writeFileSync(join(folder, `${name}.html`), reportHtml(reports[name]));

function open(name: (typeof names)[number], options: BrowserContextOptions = {}): Promise<Visit> {
  return visit(browser, join(folder, `${name}.html`), options);
}

test('the verdict is to be seen at once, and nothing is loaded, run or complained about', async () => {
  for (const name of names) {
    const visited = await open(name);
    const { page } = visited;
    assert.match(await page.locator('h1').innerText(), /^✗\s*Does not conform\s+in \d+ of \d+ statements/);
    const box = await page.locator('h1').boundingBox();
    assert.ok(box !== null && box.y + box.height < desk.height / 2);
    await openAll(page);
    await close(visited);
  }
});

test('nothing that a target says becomes an element or runs', async () => {
  const visited = await open('sample');
  const { page } = visited;
  await openAll(page);
  assert.is(await page.locator('img, b, iframe, a[href^="javascript"]').count(), 0);
  assert.is(await page.evaluate('document.scripts.length'), 1);
  assert.ok((await page.locator('.reason').innerText()).includes(hostile.split(' ')[0]!));
  await close(visited);
});

test('a script that is not ours would be refused', async () => {
  const forged = join(folder, 'forged.html');
  const page = await browser.newPage();
  writeFileSync(forged, reportHtml(sampleReport).replace('<main>', '<main><script>document.title = "owned"</script>'));
  await page.goto(pathToFileURL(forged).href);
  assert.match(await page.title(), /^Does not conform/);
  await page.close();
});

test('statements and causes are filtered by verdict', async () => {
  const visited = await open('sample');
  const { page } = visited;
  assert.is(await countVisible(page, '.statement'), 12);
  assert.is(await countVisible(page, '.cause'), 4);
  assert.is(await page.locator('#shown').innerText(), '12 of 12 statements shown');
  await page.locator('#show-fail').uncheck();
  assert.is(await countVisible(page, '.statement'), 9);
  assert.is(await countVisible(page, '.cause'), 0);
  assert.is(await countVisible(page, '#causes'), 0);
  assert.is(await countVisible(page, '.statement.fail'), 0);
  assert.is(await page.locator('#shown').innerText(), '9 of 12 statements shown');
  await page.locator('#show-fail').check();
  assert.is(await countVisible(page, '.cause'), 4);
  await close(visited);
});

test('statements and causes are filtered by text, with the sections that hold them', async () => {
  const visited = await open('sample');
  const { page } = visited;
  await page.getByLabel('Text').fill('  Invalid-KEY');
  assert.equal(await page.locator('.statement:visible').evaluateAll((all) => all.map(({ id }) => id)), [
    'statement-auth-invalid-key',
  ]);
  assert.equal(await page.locator('#statements h3:visible').allInnerTexts(), ['§5 Authentication']);
  assert.is(await countVisible(page, '.cause'), 1);
  await page.getByLabel('Text').fill('');
  assert.is(await countVisible(page, '.statement'), 12);
  await close(visited);
});

test('a failure is opened by keyboard', async () => {
  const visited = await open('faulty');
  const { page } = visited;
  assert.is(await countVisible(page, '.cause .sides'), 0);
  const isThere = 'document.activeElement.matches(".cause summary")';
  for (let presses = 0; presses < 200 && !(await page.evaluate(isThere)); presses += 1)
    await page.keyboard.press('Tab');
  assert.ok(await page.evaluate(isThere));
  await page.keyboard.press('Enter');
  assert.is(await countVisible(page, '.cause .sides'), 1);
  assert.match(await page.locator('.cause details').first().innerText(), /body: 25 entries/);
  await close(visited);
});

test('a link to an exchange opens it', async () => {
  const visited = await open('sample');
  const { page } = visited;
  assert.not.ok(await page.locator('#exchange-4').isVisible());
  await page.locator('#statement-pet-name-kept a[href="#exchange-4"]').click();
  await page.locator('#exchange-4').waitFor();
  await close(visited);
});

test('curl and replay are copied as they stand in the report', async () => {
  const visited = await open('sample');
  const { page } = visited;
  const [cause] = await page.locator('.cause').all();
  await cause!.locator('summary').click();
  const [curl, replay] = await cause!.locator('.copy').all();
  await curl!.click();
  await curl!.filter({ hasText: 'Copied' }).waitFor();
  assert.is(await page.evaluate('navigator.clipboard.readText()'), sampleReport.requirements[3]!.failures[0]!.curl);
  await replay!.press('Enter');
  await replay!.filter({ hasText: 'Copied' }).waitFor();
  assert.is(
    await page.evaluate('navigator.clipboard.readText()'),
    'petstore-conformance replay report.json pet-name-kept',
  );
  await close(visited);
});

test('where nothing may be copied, the command is selected', async () => {
  const visited = await open('sample', { permissions: [] });
  const { page } = visited;
  await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())');
  const [cause] = await page.locator('.cause').all();
  await cause!.locator('summary').click();
  await cause!.locator('.copy').first().click();
  await cause!.locator('.copy').first().filter({ hasText: 'Selected' }).waitFor();
  assert.is(await page.evaluate('String(getSelection())'), sampleReport.requirements[3]!.failures[0]!.curl);
  await close(visited);
});

test('without scripts the page reads well, and is filtered by verdict', async () => {
  const visited = await open('sample', { javaScriptEnabled: false });
  const { page } = visited;
  assert.is(await countVisible(page, '#search'), 0);
  assert.is(await countVisible(page, '.copy'), 0);
  await page.locator('#show-pass').uncheck();
  assert.is(await countVisible(page, '.statement'), 10);
  assert.is(await countVisible(page, '.statement.pass'), 0);
  await page.locator('.cause summary').first().click();
  assert.ok(await countVisible(page, '.cause .command'));
  await close(visited);
});

test('on a phone nothing scrolls sideways, with all of it opened', async () => {
  for (const name of names) {
    const visited = await open(name, { viewport: phone });
    const { page } = visited;
    await openAll(page);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), phone.width, name);
    await close(visited);
  }
});

test('in print the evidence is opened, and what only a screen needs is gone', async () => {
  const visited = await open('faulty');
  const { page } = visited;
  await page.emulateMedia({ media: 'print' });
  assert.ok(await countVisible(page, '.cause .sides'));
  assert.is(await countVisible(page, '.sides'), await page.locator('.sides').count());
  assert.is(await countVisible(page, ':is(nav, .filter, .copy)'), 0);
  writeFileSync(join(pictures, 'faulty.pdf'), await page.pdf({ format: 'A4' }));
  await close(visited);
});

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What keeps people out of the page, gravely. */
async function graveFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  const violations: readonly Violation[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.length} times, ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

for (const [device, viewport] of Object.entries({ desk, phone })) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing serious: ${device}, ${colorScheme}`, async () => {
      const visited = await open('sample', { viewport, colorScheme });
      await openAll(visited.page);
      assert.equal(await graveFindings(visited.page), []);
      await close(visited);
    });

    test(`pictures are kept: ${device}, ${colorScheme}`, async () => {
      for (const name of names) {
        const visited = await open(name, { viewport, colorScheme });
        const { page } = visited;
        await page
          .locator('.cause details')
          .first()
          .evaluate((one) => one.setAttribute('open', ''));
        const path = join(pictures, `${name}-${viewport.width}-${colorScheme}.png`);
        assert.ok((await page.screenshot({ path, fullPage: true })).length > 10_000);
        await close(visited);
      }
    });
  }
}

test.after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

test.run();
