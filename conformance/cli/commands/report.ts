/** `report REPORT`: writes an earlier report in other formats; sends nothing. */

import type { Command } from '../configuration.ts';
import { checkOutputs, writeOutputs } from '../outputs.ts';
import { readReport } from '../saved-report.ts';

/** Resolves with 0 whatever the run found, since nothing is judged now. */
export const report: Command<'report'> = async ({ values, words: [file = ''] }) => {
  const saved = await readReport(file);
  const waived = saved.requirements.filter(({ waiver }) => waiver !== undefined);
  await checkOutputs(
    values,
    waived.map(({ id }) => id),
  );
  await writeOutputs(saved, values, { readFrom: file });
  return 0;
};
