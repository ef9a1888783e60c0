/** `report REPORT`: writes an earlier report in other formats, or opens it in the browser; sends nothing. */

import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reportHtml } from '../../reporters/html.ts';
import type { Report } from '../../verdict/report.ts';
import type { Invocation } from '../configuration.ts';
import { print, writeText } from '../files.ts';
import { checkOutputs, writeOutputs } from '../outputs.ts';
import { readReport } from '../saved-report.ts';

const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens the report as a page; where there is no browser, its file is named all the same. */
async function openPage(report: Report): Promise<void> {
  const file = join(mkdtempSync(join(tmpdir(), 'petstore-report-')), 'report.html');
  writeText(file, reportHtml(report));
  await print(`${file}\n`);
  const [program, ...words] = openers[process.platform] ?? ['xdg-open'];
  const browser = spawn(program, [...words, file], { stdio: 'ignore', detached: true });
  browser.on('error', () => undefined);
  browser.unref();
}

/** Resolves with 0 whatever the run found, since nothing is judged now. */
export async function report({ values, words: [file = ''] }: Invocation<'report'>): Promise<number> {
  const saved = readReport(file);
  checkOutputs(values);
  if (values.opens) await openPage(saved);
  else await writeOutputs(saved, values);
  return 0;
}
