/** Writes the interface as one page for readers: openapi.yaml, with the requirements and gaps of spec/README.md beside it. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, parseDocument, visit } from 'yaml';

const root = new URL('../..', import.meta.url).pathname;

/** What the page may do: run what stands in it, and ask nobody for anything. */
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
].join('; ');

/** The logo of Redoc, which its script would load from elsewhere. */
const logo = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="14"><text y="11" font-family="sans-serif" font-size="11">Redoc</text></svg>',
)}`;

/** The page of the interface without what leads to other files: it stands alone. */
function readSentences(): string {
  return readFileSync(`${root}spec/README.md`, 'utf8')
    .replaceAll(/<!--.*?-->\n*/g, '')
    .replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, '$1');
}

/** Redoc shows bounds of int64 as doubles, in other digits; the format says as much. */
function dropBoundsOfInt64(description: Document): void {
  visit(description, {
    Map: (_key, map) => {
      if (map.get('format') !== 'int64') return;
      map.delete('minimum');
      map.delete('maximum');
    },
  });
}

/** The description with all sentences in its introduction, where Redoc makes a menu of headings. */
function describeInSentences(): string {
  const description = parseDocument(readFileSync(`${root}spec/openapi.yaml`, 'utf8'));
  dropBoundsOfInt64(description);
  const introduction = ['info', 'description'];
  description.setIn(introduction, `${description.getIn(introduction)}\n${readSentences()}`);
  return String(description);
}

function renderWithRedoc(source: string, page: string): void {
  const tool = `${root}node_modules/@redocly/cli/bin/cli.js`;
  const choices = ['--inlineBundle', '--openapi.disableTelemetry', '--openapi.hideDownloadButtons'];
  execFileSync(process.execPath, [tool, 'build-docs', source, '--output', page, ...choices], {
    cwd: root,
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    stdio: 'pipe',
  });
}

/** Makes sure that nothing is asked of anybody, whatever the script of Redoc wants. */
function seal(page: string): string {
  return page
    .replace('<head>', `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replaceAll(/https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g, logo);
}

/** Writes the page into a file of a folder that exists. Throws what Redoc says where it cannot. */
export function writeInterfacePage(file: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-docs-'));
  const [source, page] = [join(folder, 'openapi.yaml'), join(folder, 'page.html')];
  try {
    writeFileSync(source, describeInSentences());
    renderWithRedoc(source, page);
    writeFileSync(file, seal(readFileSync(page, 'utf8')));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
