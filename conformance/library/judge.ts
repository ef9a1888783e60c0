/** Judges a target for a program: prints nothing, reads no key from the environment, sets no exit code. */

import { judgeOpened, type Watch } from '../cli/judge-target.ts';
import { complaintOfNode } from '../cli/node-version.ts';
import { createStop, realTime } from '../cli/stop.ts';
import { openAddress, startEmbedded } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';
import type { Report } from '../verdict/report.ts';
import { type JudgeOptions, keysOf, valuesOf } from './judge-options.ts';

function watchFor({ onProgress = () => undefined }: JudgeOptions): Watch {
  let requests = 0;
  let maxRequests = 0;
  return {
    onBudget: (most) => {
      maxRequests = most;
    },
    onScenario: ({ id, title }) => onProgress({ kind: 'scenario', id, title }),
    onExchange: () => {
      requests += 1;
      onProgress({ kind: 'exchange', requests, maxRequests });
    },
    onWait: (ms, why) => onProgress({ kind: 'wait', ms, why }),
  };
}

/**
 * Judges a target, and resolves with the report: a target that does not answer and a signal that aborts make it
 * inconclusive. Rejects with a UsageError, before any request, where an option cannot be used. Creates
 * animals at the target unless `isReadOnly` is set.
 */
export async function judge(options: JudgeOptions = {}): Promise<Report> {
  const complaint = complaintOfNode();
  if (complaint !== undefined) throw new UsageError(complaint);
  const values = valuesOf(options);
  const { baseUrl, timeoutMs, deadlineMs } = values;
  const interruption = options.signal ?? new AbortController().signal;
  const stop = createStop(deadlineMs, { interruption, time: realTime });
  const target =
    baseUrl === undefined
      ? await startEmbedded(timeoutMs)
      : openAddress(baseUrl, keysOf(options), values, realTime.clock(stop.signal));
  return judgeOpened(values, target, { ...watchFor(options), ...stop });
}
