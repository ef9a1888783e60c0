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
import { faults } from '../../faults/index.ts';
import { runInProcess, trialKeys, trialSettings } from '../../proof/trial.ts';
import { reporters } from '../../reporters/index.ts';
import { withReferenceAnswers } from '../../run/reference-answers.ts';
import { keysOfTrials } from '../../services/wraps.ts';
import type { Report, ReportedRequirement } from '../../verdict/report.ts';
import { runForReadme } from '../pages/shown-output.ts';
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
  faulty: await withReferenceAnswers(
    await runInProcess(faulty.wrap(createPetStore({ keys: trialKeys }).handle, keysOfTrials), trialSettings(300)),
  ),
};
for (const name of names) writeFileSync(join(folder, `${name}.html`), reporters.html(reports[name]));

function open(name: (typeof names)[number], options: BrowserContextOptions = {}): Promise<Visit> {
  return visit(browser, join(folder, `${name}.html`), options);
}

// Each page is opened once, and looked at by many tests: each leaves it as it was, but for what it has opened.
const visits = { sample: await open('sample'), faulty: await open('faulty') };
const [sample, broken] = [visits.sample.page, visits.faulty.page];

/** A requirement whose failure is about a name with spaces. */
function withSpaces(requirement: ReportedRequirement): ReportedRequirement {
  const facts = { expected: 'name "a   b"', received: '"a b"' };
  return { ...requirement, failures: requirement.failures.map((failure) => ({ ...failure, ...facts })) };
}

test('the verdict is to be seen at once', async () => {
  for (const page of [sample, broken]) {
    assert.match(await page.locator('h1').innerText(), /^✗\s*Does not conform\s+\d+ of \d+ requirements fail/);
    const box = await page.locator('h1').boundingBox();
    assert.ok(box !== null && box.y + box.height < desk.height / 2);
  }
});

test('nothing that a target says becomes an element or runs', async () => {
  assert.is(await sample.locator('img, b, iframe, a[href^="javascript"]').count(), 0);
  assert.is(await sample.evaluate('document.scripts.length'), 1);
  assert.ok((await sample.locator('.reason').innerText()).includes(hostile.split(' ')[0]!));
});

test('a script that is not ours would be refused', async () => {
  const forged = join(folder, 'forged.html');
  const page = await browser.newPage();
  writeFileSync(
    forged,
    reporters.html(sampleReport).replace('<main>', '<main><script>document.title = "owned"</script>'),
  );
  await page.goto(pathToFileURL(forged).href);
  assert.match(await page.title(), /^Does not conform/);
  await page.close();
});

test('requirements and causes are filtered by verdict', async () => {
  assert.is(await countVisible(sample, '.requirement'), 12);
  assert.is(await countVisible(sample, '.cause'), 4);
  assert.is(await sample.locator('#shown').innerText(), '12 of 12 requirements shown');
  await sample.locator('#show-fail').uncheck();
  assert.is(await countVisible(sample, '.requirement'), 9);
  assert.is(await countVisible(sample, '.cause'), 0);
  assert.is(await countVisible(sample, '#failures'), 0);
  assert.is(await countVisible(sample, '.requirement.fail'), 0);
  assert.is(await sample.locator('#shown').innerText(), '9 of 12 requirements shown');
  await sample.locator('#show-fail').check();
  assert.is(await countVisible(sample, '.cause'), 4);
});

test('requirements and causes are filtered by text, with the sections that hold them', async () => {
  await sample.getByLabel('Search').fill('  Invalid-KEY');
  assert.equal(await sample.locator('.requirement:visible').evaluateAll((all) => all.map(({ id }) => id)), [
    'requirement-auth-invalid-key',
  ]);
  assert.equal(await sample.locator('#requirements h3:visible').allInnerTexts(), ['§5 Authentication']);
  assert.is(await countVisible(sample, '.cause'), 1);
  await sample.getByLabel('Search').fill('');
  assert.is(await countVisible(sample, '.requirement'), 12);
});

test('the evidence of up to three failures is open, and closed and opened by keyboard', async () => {
  const shown = await countVisible(broken, '.cause .sides');
  assert.ok(shown > 0);
  // The last link of the navigation stands in front of the failures.
  await broken.locator('nav a').last().focus();
  const isThere = 'document.activeElement.matches(".cause summary")';
  for (let presses = 0; presses < 10 && !(await broken.evaluate(isThere)); presses += 1)
    await broken.keyboard.press('Tab');
  assert.ok(await broken.evaluate(isThere));
  await broken.keyboard.press('Enter');
  assert.ok((await countVisible(broken, '.cause .sides')) < shown);
  await broken.keyboard.press('Enter');
  assert.is(await countVisible(broken, '.cause .sides'), shown);
  const evidence = await broken.locator('.cause details').first().innerText();
  const [failure] = reports.faulty.requirements.find(({ id }) => id === 'list-limit-default')!.failures;
  assert.match(evidence, `body: ${failure!.received.split(' ')[0]} entries`);
  assert.match(evidence, /The reference server.*body: 20 entries/s);
});

test('a link to an exchange opens it', async () => {
  assert.not.ok(await sample.locator('#exchange-4').isVisible());
  await sample.locator('#requirement-pet-name-kept a[href="#exchange-4"]').click();
  await sample.locator('#exchange-4').waitFor();
});

test('curl and replay are copied as they stand in the report', async () => {
  const cause = sample.locator('.cause').first();
  await cause.locator('summary').click();
  const [curl, replay] = await cause.locator('.copy').all();
  await curl!.click();
  await curl!.filter({ hasText: 'Copied' }).waitFor();
  assert.is(await sample.evaluate('navigator.clipboard.readText()'), sampleReport.requirements[3]!.failures[0]!.curl);
  await replay!.press('Enter');
  await replay!.filter({ hasText: 'Copied' }).waitFor();
  assert.is(
    await sample.evaluate('navigator.clipboard.readText()'),
    'petstore-conformance run http://127.0.0.1:8080/v1 --last-failed report.json --only pet-name-kept',
  );
});

test('where nothing may be copied, the command is selected', async () => {
  await sample.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error())');
  const [curl] = await sample.locator('.cause').first().locator('.copy').all();
  await curl!.click();
  await curl!.filter({ hasText: 'Selected' }).waitFor();
  assert.is(await sample.evaluate('String(getSelection())'), sampleReport.requirements[3]!.failures[0]!.curl);
});

test('without scripts the page reads well, and is filtered by verdict', async () => {
  const visited = await open('sample', { javaScriptEnabled: false });
  const { page } = visited;
  assert.is(await countVisible(page, '#search'), 0);
  assert.is(await countVisible(page, '.copy'), 0);
  await page.locator('#show-pass').uncheck();
  assert.is(await countVisible(page, '.requirement'), 10);
  assert.is(await countVisible(page, '.requirement.pass'), 0);
  await page.locator('.cause summary').first().click();
  assert.ok(await countVisible(page, '.cause .command'));
  await close(visited);
});

test('in print the evidence is open, and controls are gone', async () => {
  await broken.emulateMedia({ media: 'print' });
  assert.ok(await countVisible(broken, '.cause .sides'));
  assert.is(await countVisible(broken, '.sides'), await broken.locator('.sides').count());
  assert.is(await countVisible(broken, ':is(nav, .filter, .copy)'), 0);
  writeFileSync(join(pictures, 'report.pdf'), await broken.pdf({ format: 'A4' }));
  await broken.emulateMedia({ media: 'screen' });
});

/** What the page is looked at with. */
const looks = [desk, phone].flatMap((viewport) =>
  (['light', 'dark'] as const).map((scheme) => [viewport, scheme] as const),
);

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What keeps people out of the page, gravely. */
async function graveFindings(page: Page): Promise<readonly string[]> {
  const violations: readonly Violation[] = await page.evaluate('axe.run().then(({ violations }) => violations)');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.length} times, ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

test('axe finds nothing serious with all of it opened, light and dark, at a desk and on a phone', async () => {
  await openAll(sample);
  await sample.evaluate(axe);
  for (const [viewport, colorScheme] of looks) {
    await sample.setViewportSize(viewport);
    await sample.emulateMedia({ colorScheme });
    assert.equal(await graveFindings(sample), []);
  }
});

test('pictures are kept, light and dark, at a desk and on a phone', async () => {
  for (const [viewport, colorScheme] of looks) {
    await broken.setViewportSize(viewport);
    await broken.emulateMedia({ colorScheme });
    const path = join(pictures, `report-${viewport.width}-${colorScheme}.png`);
    assert.ok((await broken.screenshot({ path, fullPage: true })).length > 10_000);
  }
});

test('the page that the README shows has its failure and its evidence on the first screen', async () => {
  const file = join(folder, 'readme.html');
  writeFileSync(file, reporters.html(await withReferenceAnswers(await runForReadme())));
  const visited = await visit(browser, file, { viewport: { width: 1000, height: 1000 } });
  const evidence = await visited.page.locator('.cause details[open]').boundingBox();
  assert.ok(evidence !== null && evidence.y < 500, JSON.stringify(evidence));
  // The picture of the README is a copy of this one.
  await visited.page.screenshot({ path: join(pictures, 'readme.png') });
  await close(visited);
});

test('on a phone the first failure is on the first screen, and the spaces of a value are seen', async () => {
  const file = join(folder, 'spaces.html');
  const { reason: _reason, ...short } = sampleReport;
  const spaced = { ...short, requirements: sampleReport.requirements.map(withSpaces) };
  writeFileSync(file, reporters.html(spaced));
  const visited = await visit(browser, file, { viewport: phone });
  const cause = visited.page.locator('.cause').first();
  const received = await cause.locator('dl').boundingBox();
  assert.ok(received !== null && received.y + received.height < phone.height, JSON.stringify(received));
  assert.match(await cause.locator('dd').first().innerText(), /"a {3}b"/);
  await close(visited);
});

test('on a phone nothing scrolls sideways, with all of it opened', async () => {
  for (const page of [sample, broken]) {
    await page.setViewportSize(phone);
    await openAll(page);
    assert.is(await page.evaluate('document.documentElement.scrollWidth'), phone.width);
  }
});

test('nothing was loaded, run or complained about meanwhile', async () => {
  for (const visited of Object.values(visits)) await close(visited);
});

test.after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

test.run();
