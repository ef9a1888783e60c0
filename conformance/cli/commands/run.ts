/** `run [BASE_URL]`: judges a target by all that the kit has, and writes its reports, whatever ends the run. */

import type { Invocation } from '../configuration.ts';
import { judgeTarget } from '../judge-target.ts';
import { writeOutputs } from '../outputs.ts';

/** Resolves with the exit code that the report has. */
export async function run({ values }: Invocation<'run'>, interruption: AbortSignal): Promise<number> {
  const report = await judgeTarget(values, interruption);
  await writeOutputs(report, values);
  return report.exitCode;
}
