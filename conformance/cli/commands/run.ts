/** `run [BASE_URL]`: judges a target, whatever ends the run. */

import type { Command } from '../configuration.ts';
import { print } from '../files.ts';
import { judgeTarget } from '../judge-target.ts';

/** Loads --dry-run and --last-failed only when they are used: reading a report, for example, compiles its schema. */
export const run: Command<'run'> = async ({ values, signOfGate }, host) => {
  if (values.isDryRun) {
    await print(await (await import('../dry-run.ts')).rehearse(values));
    return 0;
  }
  const { lastFailed } = values;
  const again =
    lastFailed === undefined ? undefined : await (await import('../last-failed.ts')).readLastFailed(lastFailed, values);
  return judgeTarget(again?.values ?? values, host, signOfGate, again?.run);
};
