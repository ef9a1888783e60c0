/** `run [BASE_URL]`: judges a target and writes the reports, whatever ends the run. */

import { isRequirementId } from '../../../spec/requirements.ts';
import type { Invocation } from '../configuration.ts';
import { judgeTarget } from '../judge-target.ts';
import type { Values } from '../options.ts';
import { writeOutputs } from '../outputs.ts';
import { shown } from '../readers.ts';
import type { Host } from '../stop.ts';
import { UsageError } from '../usage-error.ts';

/** The requirements that fail in a report, and that --only allows. */
async function failedIn(file: string, only: Values<'run'>['only']): Promise<NonNullable<Values<'run'>['only']>> {
  // Reading a report compiles its schema, which other runs need not wait for.
  const { readReport } = await import('../saved-report.ts');
  const failed = readReport(file).requirements.filter(({ verdict }) => verdict === 'fail');
  const ids = failed.map(({ id }) => id).filter(isRequirementId);
  const wanted = ids.filter((id) => only === undefined || only.has(id));
  if (wanted.length > 0) return new Set(wanted);
  throw new UsageError(`${shown(file)} has no requirement that failed, so there is nothing to judge again.`);
}

export async function run({ values }: Invocation<'run'>, host: Host): Promise<number> {
  const { lastFailed, only } = values;
  const chosen = lastFailed === undefined ? values : { ...values, only: await failedIn(lastFailed, only) };
  const report = await judgeTarget(chosen, host);
  await writeOutputs(report, chosen);
  return report.exitCode;
}
