/** Judges a target for a program: prints nothing, reads no key from the environment, sets no exit code. */

import { defined } from '../../spec/defined.ts';
import { judge as judgeTarget, type Watch } from '../run/judge.ts';
import { complaintOfNode } from '../run/node-version.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Report } from '../verdict/report.ts';
import { type JudgeOptions, settingsOf } from './judge-options.ts';

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
  const { apiKey, rateLimitKey, signal = new AbortController().signal } = options;
  return judgeTarget({
    settings: settingsOf(options),
    keys: defined({ api: apiKey, rateLimit: rateLimitKey }),
    keyNames: { api: 'apiKey', rateLimit: 'rateLimitKey' },
    signal,
    watch: watchFor(options),
  });
}
