/** The golden reports: what every reporter but json makes of the sample. `npm run generate` writes them, a test compares them. */

import { compareReports, comparisonReporters } from '../../reporters/compare.ts';
import { reporters } from '../../reporters/index.ts';
import { reporterExtensions, reporterNames } from '../../reporters/names.ts';
import { inPlainText, type Presentation, reportTerminal } from '../../reporters/terminal.ts';
import { viewOf } from '../../reporters/view.ts';
import type { Report } from '../../verdict/report.ts';
import { sampleReport } from './sample-report.ts';

/** Where they lie, relative to the root. */
export const goldenFolder = 'conformance/test/golden/';

/** What a terminal may ask for beside what a file gets. */
const presentations: Readonly<Record<string, Partial<Presentation>>> = {
  'terminal-of-60-columns': { width: 60 },
  'terminal-verbose': { detail: 'full' },
  'terminal-quiet': { detail: 'line' },
};

const { reason: _reason, ...sample } = sampleReport;

/** The sample as if another service had been judged: each verdict is that of the requirement behind, one is missing, and gaps differ. */
const other: Report = {
  ...sample,
  requirements: sample.requirements
    .map((one, at, all) => {
      const { verdict, failures, waiver: _waiver, ...rest } = { ...all[(at + 1) % all.length]! };
      return { ...one, ...(rest.reason && { reason: rest.reason }), verdict, failures };
    })
    .filter(({ id }) => id !== 'auth-invalid-key'),
  gaps: sample.gaps.map((gap) => (gap.observed.length === 0 ? gap : { ...gap, observed: ['other'] })),
};
const comparison = compareReports([sample, other]);

/** Path, relative to the root → what it must hold. */
export function goldenReports(): ReadonlyMap<string, string> {
  const names = reporterNames.filter((name) => name !== 'json');
  return new Map([
    ...names.map(
      (name) => [`${goldenFolder}${name}.${reporterExtensions[name]}`, reporters[name](sampleReport)] as const,
    ),
    ...Object.entries(presentations).map(
      ([name, changes]) =>
        [`${goldenFolder}${name}.txt`, reportTerminal(viewOf(sampleReport), { ...inPlainText, ...changes })] as const,
    ),
    [`${goldenFolder}comparison.txt`, comparisonReporters.terminal(comparison)],
    [`${goldenFolder}comparison.md`, comparisonReporters.markdown(comparison)],
  ]);
}
