/** The golden reports: what every reporter but json makes of the sample. `npm run generate` writes them, a test compares them. */

import { reporters } from '../../reporters/index.ts';
import type { ReporterName } from '../../reporters/names.ts';
import { inPlainText, type Presentation, reportTerminal } from '../../reporters/terminal.ts';
import { viewOf } from '../../reporters/view.ts';
import { sampleReport } from './sample-report.ts';

/** Where they lie, relative to the root. */
export const goldenFolder = 'conformance/test/golden/';

/** How the name of a file ends, where it is no plain text. */
const extensions: Partial<Record<ReporterName, string>> = {
  junit: 'xml',
  html: 'html',
  markdown: 'md',
  profile: 'yaml',
  waivers: 'yaml',
};

/** What a terminal may ask for beside what a file gets. */
const presentations: Readonly<Record<string, Partial<Presentation>>> = {
  'terminal-of-60-columns': { width: 60 },
  'terminal-verbose': { detail: 'full' },
  'terminal-quiet': { detail: 'line' },
};

/** Path, relative to the root → what it must hold. */
export function goldenReports(): ReadonlyMap<string, string> {
  const names = (Object.keys(reporters) as ReporterName[]).filter((name) => name !== 'json');
  return new Map([
    ...names.map(
      (name) => [`${goldenFolder}${name}.${extensions[name] ?? 'txt'}`, reporters[name](sampleReport)] as const,
    ),
    ...Object.entries(presentations).map(
      ([name, changes]) =>
        [`${goldenFolder}${name}.txt`, reportTerminal(viewOf(sampleReport), { ...inPlainText, ...changes })] as const,
    ),
  ]);
}
