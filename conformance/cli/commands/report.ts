/** `report REPORT`: writes an earlier report in other formats; sends nothing. */

import type { Invocation } from '../configuration.ts';
import { checkOutputs, writeOutputs } from '../outputs.ts';
import { readReport } from '../saved-report.ts';

/** Resolves with 0 whatever the run found, since nothing is judged now. */
export async function report({ values, words: [file = ''] }: Invocation<'report'>): Promise<number> {
  const saved = await readReport(file);
  await checkOutputs(values);
  await writeOutputs(saved, values, file);
  return 0;
}
