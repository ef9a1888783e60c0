/** Ends a run after so many failures: judges what was exchanged before each scenario starts. */

import { requirements } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { RunOptions } from '../run/run.ts';
import { isFailing } from '../verdict/finding.ts';
import { createJudge, createJudging } from '../verdict/findings.ts';

/** The required requirements that the exchanges break, without those that are waived or not asked for. */
function countFailures(
  { verdictOptions }: RunOptions,
  judge: ReturnType<typeof createJudge>,
  exchanges: readonly Exchange[],
): number {
  const { only, waivers } = verdictOptions ?? {};
  const failing = new Set<string>(
    judge(exchanges)
      .filter(isFailing)
      .map(({ requirement }) => requirement),
  );
  const counts = ({ id, level }: (typeof requirements)[number]): boolean =>
    failing.has(id) &&
    level === 'required' &&
    waivers?.has(id) !== true &&
    (only === undefined || only === 'shown' || only.has(id));
  return requirements.filter(counts).length;
}

/** The same options, with a signal that aborts when `most` requirements fail. */
export function limitFailures<Options extends RunOptions & { readonly signal: AbortSignal }>(
  options: Options,
  most: number,
): Options {
  const judge = createJudge(options.suite, options.settings, createJudging());
  const exchanges: Exchange[] = [];
  const limit = new AbortController();
  return {
    ...options,
    signal: AbortSignal.any([options.signal, limit.signal]),
    onExchange: (exchange) => {
      exchanges.push(exchange);
      options.onExchange?.(exchange);
    },
    onScenario: (scenario) => {
      options.onScenario?.(scenario);
      if (countFailures(options, judge, exchanges) >= most) limit.abort(`--max-failures ${most} was reached.`);
    },
  };
}
