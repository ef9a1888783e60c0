/** `run [BASE_URL]`: judges a target and writes the reports, whatever ends the run. */

import type { Invocation } from '../configuration.ts';
import { judgeTarget } from '../judge-target.ts';
import { writeOutputs } from '../outputs.ts';

/** Resolves with the exit code of the report. */
export async function run({ values }: Invocation<'run'>, interruption: AbortSignal): Promise<number> {
  const report = await judgeTarget(values, interruption);
  await writeOutputs(report, values);
  return report.exitCode;
}
