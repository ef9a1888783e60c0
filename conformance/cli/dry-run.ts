/** `run --dry-run`: rehearses a run on the reference server and shows what it would send and cost; sends nothing to the target. */

import { type Plan, planLimits } from '../../spec/facts.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Values } from '../options/options.ts';
import { runInProcess, trialSettings } from '../proof/trial.ts';
import { untriedValues } from '../reporters/summary.ts';
import { budgetFor } from '../run/budget.ts';
import { isDisposable } from '../run/judge.ts';
import { handleOf } from '../services/index.ts';
import { counted } from '../verdict/reasons.ts';

/** How long a key of a plan needs for so many requests; empty if the interface states no limits for the plan (§8). */
function costAt(plan: Plan, requests: number): readonly string[] {
  const { perMinute, perDay } = planLimits[plan];
  if (perMinute === undefined || perDay === undefined) return [];
  const share = ((100 * requests) / perDay).toFixed(requests < perDay ? 1 : 0);
  return [`${plan}: ${counted(Math.ceil(requests / perMinute), 'minute')}, ${share} % of the day`];
}

/** The requests that the run would send at most, to an empty service that accepts everything. */
export async function rehearse(values: Values<'run'>): Promise<string> {
  const { isReadOnly, seed = 1, only, plan } = values;
  const { raisedBudget, ...usual } = budgetFor(values);
  const { maxRequests, maxCreates } = raisedBudget ?? usual;
  const exchanges: Exchange[] = [];
  const changes = { maxCreates, isReadOnly, seed, isDisposable: isDisposable(values), hasRateLimitKey: false };
  const rehearsal = trialSettings(maxRequests, changes);
  await runInProcess(handleOf({ id: 'rehearsal', perMinute: 1_000_000 }), rehearsal, {
    onExchange: (exchange) => exchanges.push(exchange),
    ...(only && { verdictOptions: { requiresAll: false, only } }),
  });
  const row = (name: string, sent: readonly Exchange[]): string => {
    const created = sent.filter(({ response }) => response?.status === 201).length;
    return `${name.padEnd(9)}${String(sent.length).padStart(5)} requests${String(created).padStart(5)} creations`;
  };
  const rows = [...Map.groupBy(exchanges, ({ operation }) => operation)].map(([name, sent]) => row(name, sent));
  const total = row('at most', exchanges);
  const plans = plan === undefined ? (Object.keys(planLimits) as Plan[]) : [plan];
  const costs = plans.flatMap((one) => costAt(one, exchanges.length));
  return `${[...rows, total, ...costs, ...untriedValues(rehearsal)].join('\n')}\n`;
}
