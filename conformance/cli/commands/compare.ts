/** `compare REPORT REPORT…`: shows what changed against the first report; sends nothing. */

import { type Comparison, compareReports, comparisonReporters, countChanges } from '../../reporters/compare.ts';
import { UsageError } from '../../run/usage-error.ts';
import type { Command } from '../configuration.ts';
import { checkOutputs, screenOfStandardOutput, writeTexts } from '../outputs.ts';
import { readReport } from '../saved-report.ts';

/** A report that could not be judged must not make the comparison green. */
function exitCodeOf(comparison: Comparison): 0 | 1 | 3 {
  if (countChanges(comparison, 'regression') > 0) return 1;
  return comparison.reports.some(({ exitCode }) => exitCode === 3 || exitCode === 4) ? 3 : 0;
}

export const compare: Command<'compare'> = async ({ values, words: files }) => {
  const outputs = values.reporters.map(({ name, file }) => {
    if (name !== 'terminal' && name !== 'markdown') {
      throw new UsageError(`compare has the reporters terminal, markdown, not ${name}.`);
    }
    return { file, show: comparisonReporters[name] };
  });
  await checkOutputs(values);
  const comparison = compareReports(await Promise.all(files.map(readReport)));
  await writeTexts(
    outputs.map(({ file, show }) => ({
      file,
      render: () => show(comparison, file === undefined ? screenOfStandardOutput() : undefined),
    })),
  );
  return exitCodeOf(comparison);
};
