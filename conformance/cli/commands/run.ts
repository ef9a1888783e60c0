/** `run [BASE_URL]`: judges a target and writes the reports, whatever ends the run. */

import type { Invocation } from '../configuration.ts';
import { print } from '../files.ts';
import type { Host } from '../host.ts';
import { judgeTarget } from '../judge-target.ts';
import { writeOutputs } from '../outputs.ts';

/** Modules that only one of the ways needs are loaded with it: reading a report compiles its schema. */
export async function run({ values }: Invocation<'run'>, host: Host): Promise<number> {
  if (values.isDryRun) {
    await print(await (await import('../dry-run.ts')).rehearse(values));
    return 0;
  }
  const { lastFailed } = values;
  const again =
    lastFailed === undefined ? undefined : await (await import('../last-failed.ts')).readLastFailed(lastFailed, values);
  const report = await judgeTarget(again?.values ?? values, host, again?.judge);
  await writeOutputs(report, values);
  return report.exitCode;
}
