/** Visits to a page in Chromium: what it asks for, says and shows is noted, and nothing of that is expected. */

import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import * as assert from 'uvu/assert';

export const desk = { width: 1280, height: 900 };
export const phone = { width: 390, height: 844 };

/** How long a busy machine may take for one step, milliseconds. */
const patience = 60_000;

/** A page, and all that it should not have done. */
export interface Visit {
  readonly page: Page;
  readonly complaints: readonly string[];
}

/** Opens a file, as a reader does who was sent it. */
export async function visit(browser: Browser, file: string, options: BrowserContextOptions = {}): Promise<Visit> {
  const permissions = ['clipboard-read', 'clipboard-write'];
  const context = await browser.newContext({ viewport: desk, permissions, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(patience);
  const complaints: string[] = [];
  const address = pathToFileURL(file).href;
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('dialog', async (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    await dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== address) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(address);
  return { page, complaints };
}

/** Opens everything that can be opened. */
export async function openAll(page: Page): Promise<void> {
  await page.locator('details').evaluateAll((all) => {
    for (const one of all) one.setAttribute('open', '');
  });
}

/** Ends a visit, on which nothing was to be complained about. */
export async function close({ page, complaints }: Visit): Promise<void> {
  await page.context().close();
  assert.equal(complaints, []);
}

/** How many of the elements are to be seen. */
export async function countVisible(page: Page, selector: string): Promise<number> {
  return page.locator(`${selector}:visible`).count();
}
