/** Writes the interface as one page: openapi.yaml with the requirements and gaps of spec/README.md. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Document, parseDocument, visit } from 'yaml';

const root = new URL('../..', import.meta.url).pathname;

/** The page may run its own scripts and may load nothing. */
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline' blob:",
  'worker-src blob:',
  "style-src 'unsafe-inline'",
  'img-src data:',
  'font-src data:',
].join('; ');

/** The logo of Redoc, inlined, since its script would load it from the network. */
const logo = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="14"><text y="11" font-family="sans-serif" font-size="11">Redoc</text></svg>',
)}`;

/** spec/README.md without generator marks and without links to other files, since the page stands alone. */
function readSentences(): string {
  return readFileSync(`${root}spec/README.md`, 'utf8')
    .replaceAll(/<!--.*?-->\n*/g, '')
    .replaceAll(/\[([^\]]+)\]\((?!https?:)[^)]+\)/g, '$1');
}

/** Drops the bounds of int64 values: Redoc would print them as doubles, with wrong digits, and the format implies them. */
function dropBoundsOfInt64(description: Document): void {
  visit(description, {
    Map: (_key, map) => {
      if (map.get('format') !== 'int64') return;
      map.delete('minimum');
      map.delete('maximum');
    },
  });
}

/** openapi.yaml with all requirements in its introduction, whose headings Redoc turns into a menu. */
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

/** Adds the content security policy, and inlines the logo that the policy would block. */
function seal(page: string): string {
  return page
    .replace('<head>', `<head>\n<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replaceAll(/https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini(-full)?\.svg/g, logo);
}

/** Writes the page into a file of an existing folder. Throws the output of Redoc when Redoc fails. */
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
