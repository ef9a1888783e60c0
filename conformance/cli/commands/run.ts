/** `run [BASE_URL]`: judges a target, whatever ends the run. */

import type { Command } from '../configuration.ts';
import { print } from '../files.ts';
import { judgeTarget } from '../judge-target.ts';

/** Loads --dry-run and --last-failed only when they are used: reading a report, for example, compiles its schema. */
export const run: Command<'run'> = async ({ values, signOfGate }, host) => {
  if (values.isDryRun) {
    const { rehearse } = await import('../dry-run.ts');
    await print(await rehearse(values));
    return 0;
  }
  if (values.lastFailed === undefined) return judgeTarget(values, host, signOfGate);
  const { readLastFailed } = await import('../last-failed.ts');
  const again = await readLastFailed(values.lastFailed, values);
  return judgeTarget(again.values, host, signOfGate, again.run);
};
