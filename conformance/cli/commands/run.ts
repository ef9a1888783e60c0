/** `run [BASE_URL]`: judges a target and writes the reports, whatever ends the run. */

import type { Invocation } from '../configuration.ts';
import { judgeTarget } from '../judge-target.ts';
import { writeOutputs } from '../outputs.ts';
import type { Host } from '../stop.ts';

export async function run({ values }: Invocation<'run'>, host: Host): Promise<number> {
  const { lastFailed, only } = values;
  // Reading a report compiles its schema, which other runs need not wait for.
  const again =
    lastFailed === undefined ? undefined : (await import('../last-failed.ts')).readLastFailed(lastFailed, only);
  const chosen = again === undefined ? values : { ...values, only: again.only };
  const report = await judgeTarget(chosen, host, again?.judge);
  await writeOutputs(report, values);
  return report.exitCode;
}
