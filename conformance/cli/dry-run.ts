/** `run --dry-run`: rehearses a run on the reference server and shows what it would send and cost; sends nothing to the target. */

import { type Plan, planLimits } from '../../spec/facts.ts';
import { requirements } from '../../spec/requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Values } from '../options/options.ts';
import { runInProcess, trialSettings } from '../proof/trial.ts';
import { untriedValues } from '../reporters/summary.ts';
import { isDisposable } from '../run/judge.ts';
import { budgetFor } from '../run/raised-budget.ts';
import { checks } from '../sections/index.ts';
import { handleOf } from '../services/index.ts';
import { counted } from '../verdict/counts.ts';
import type { BudgetSize } from '../verdict/settings.ts';

/** The section of the first requirement that a check verifies; the preflight is a listing. */
function sectionOf(check: string): string {
  const [first] = checks.flatMap((one) => (('run' in one || 'probes' in one) && one.id === check ? one.verifies : []));
  return requirements.find(({ id }) => id === first)?.section ?? '4.1';
}

/** What so many requests take with a key of a plan. */
function costAt(plan: Plan, requests: number): string {
  const { perMinute, perDay } = planLimits[plan];
  if (perMinute === undefined || perDay === undefined) return `${plan}: custom limits`;
  const share = ((100 * requests) / perDay).toFixed(requests < perDay ? 1 : 0);
  return `${plan}: ${counted(Math.ceil(requests / perMinute), 'minute')}, ${share} % of the day`;
}

const show = ({ maxRequests, maxCreates }: BudgetSize): string => `${maxRequests} requests, ${maxCreates} creations`;

export function describeBudget(values: Values<'run'>): string {
  const { raisedBudget, ...size } = budgetFor(values);
  if (raisedBudget === undefined) return `budget: ${show(size)}`;
  return isDisposable(values)
    ? `budget: ${show(raisedBudget)}, since the target is disposable; ${show(size)} if it is slow or its rate limit has no room`
    : `budget: ${show(size)}; ${show(raisedBudget)} if the target is fast and its X-RateLimit headers show room`;
}

/** The requests that the run would send to an empty service that accepts everything. */
export async function rehearse(values: Values<'run'>): Promise<string> {
  const { isReadOnly, seed = 1, only, plan } = values;
  const { raisedBudget, ...usual } = budgetFor(values);
  const isTargetDisposable = isDisposable(values);
  const { maxRequests, maxCreates } = (isTargetDisposable ? raisedBudget : undefined) ?? usual;
  const exchanges: Exchange[] = [];
  const changes = { maxCreates, isReadOnly, seed, isDisposable: isTargetDisposable, hasRateLimitKey: false };
  const rehearsal = trialSettings(maxRequests, changes);
  const report = await runInProcess(handleOf({ id: 'rehearsal', perMinute: 1_000_000 }), rehearsal, {
    onExchange: (exchange) => exchanges.push(exchange),
    ...(only && { verdictOptions: { requiresAll: false, only } }),
  });
  const row = (name: string, requests: number, creations: number): string =>
    `${name.padEnd(6)}${String(requests).padStart(5)} requests${String(creations).padStart(5)} creations`;
  const rows = [...Map.groupBy(exchanges, ({ check }) => `§${sectionOf(check)}`)]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([section, sent]) => row(section, sent.length, sent.filter((one) => one.response?.status === 201).length));
  const total = row('total', report.requests, report.created.length);
  const plans = plan === undefined ? (Object.keys(planLimits) as Plan[]) : [plan];
  const costs = plans.map((one) => costAt(one, report.requests));
  return `${[...rows, total, describeBudget(values), ...costs, ...untriedValues(rehearsal)].join('\n')}\n`;
}
