/** The golden reports: what every reporter makes of the sample. `npm run generate` writes them, a test compares them. */

import { type ReporterName, reporters } from '../../reporters/index.ts';
import { inColour } from '../../reporters/styled-lines.ts';
import { reportTerminal } from '../../reporters/terminal.ts';
import { sampleReport } from './sample-report.ts';

/** Where they lie, relative to the root. */
export const goldenFolder = 'conformance/test/golden/';

/** How the name of a file ends, where it is no plain text. */
const extensions: Partial<Record<ReporterName, string>> = {
  json: 'json',
  junit: 'xml',
  html: 'html',
  markdown: 'md',
  har: 'har',
};

/** Path, relative to the root → what it must hold. */
export function goldenReports(): ReadonlyMap<string, string> {
  const names = Object.keys(reporters) as readonly ReporterName[];
  return new Map([
    ...names.map(
      (name) => [`${goldenFolder}${name}.${extensions[name] ?? 'txt'}`, reporters[name](sampleReport)] as const,
    ),
    [`${goldenFolder}terminal-in-colour.txt`, reportTerminal(sampleReport, inColour)],
  ]);
}
