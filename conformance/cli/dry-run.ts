/** `run --dry-run`: rehearses a run on the reference server and shows what it would send and cost; sends nothing to the target. */

import { defined } from '../../spec/defined.ts';
import { type Plan, planLimits } from '../../spec/facts.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Values } from '../options/options.ts';
import { runInProcess, trialSettings } from '../proof/trial.ts';
import { untriedValues } from '../reporters/summary.ts';
import { budgetFor } from '../run/budget.ts';
import { isDisposable } from '../run/judge.ts';
import { namedByInterface } from '../sections/coverage.ts';
import { handleOf } from '../services/index.ts';
import { counted } from '../verdict/reasons.ts';
import { largeBudget, type Settings } from '../world/settings.ts';
import { readWorld } from '../world/world.ts';

/** How long a key of a plan needs for so many requests; empty if the interface states no limits for the plan (§8). */
function costAt(plan: Plan, requests: number): readonly string[] {
  const { perMinute, perDay } = planLimits[plan];
  if (perMinute === undefined || perDay === undefined) return [];
  const share = ((100 * requests) / perDay).toFixed(requests < perDay ? 1 : 0);
  return [`${plan}: ${counted(Math.ceil(requests / perMinute), 'minute')}, ${share} % of the day`];
}

/** What a run with these settings sends to an empty service that accepts everything. */
async function rehearseWith(settings: Settings, only: Values<'run'>['only']): Promise<readonly Exchange[]> {
  const exchanges: Exchange[] = [];
  const onExchange = (exchange: Exchange): void => void exchanges.push(exchange);
  const verdictOptions = only && { requiresAll: false, only };
  const service = handleOf({ id: 'rehearsal', perMinute: 1_000_000 });
  await runInProcess(service, settings, defined({ onExchange, verdictOptions }));
  return exchanges;
}

/** What of the interface the requests ask about, and what they leave out. */
function coverageOf(exchanges: readonly Exchange[], settings: Settings): readonly string[] {
  const world = readWorld(exchanges, settings);
  const { covered = [], left = [] } = Object.groupBy(namedByInterface, (one) =>
    one.isCovered(world) ? 'covered' : 'left',
  );
  const title = `covers ${covered.length} of ${namedByInterface.length} things that the interface names`;
  if (left.length === 0) return [title];
  return [`${title}; leaves out:`, ...left.map((one) => `  ${one.title}`)];
}

/** The tables of values, by the checks that send them, in words. */
const valueTables: Readonly<Record<string, string>> = {
  creations: 'ordinary and unusual animals',
  'open-creations': 'bodies that the interface does not describe',
  'invalid-bodies': 'invalid bodies',
  listings: 'listings',
  'wrong-queries': 'queries that are not allowed',
  reads: 'reads of animals',
  'unknown-ids': 'reads of ids that no animal has',
  keys: 'requests with other credentials',
};

/** Of each table of values, how many rows are sent, and how many the largest budget sends. */
function sharesOf(exchanges: readonly Exchange[], whole: readonly Exchange[]): readonly string[] {
  return Object.entries(valueTables).flatMap(([check, title]) => {
    const countIn = (all: readonly Exchange[]): number => all.filter((one) => one.check === check).length;
    const sent = countIn(exchanges);
    const most = Math.max(countIn(whole), sent);
    return most === 0 ? [] : [`  ${String(sent).padStart(4)} of ${String(most).padStart(3)}  ${title}`];
  });
}

/** The requests that the run would send at most, and what they cover. */
export async function rehearse(values: Values<'run'>): Promise<string> {
  const { isReadOnly, seed = 1, only, plan } = values;
  const { raisedBudget, ...usual } = budgetFor(values);
  const { maxRequests, maxCreates } = raisedBudget ?? usual;
  const changes = { maxCreates, isReadOnly, seed, isDisposable: isDisposable(values), hasRateLimitKey: false };
  const rehearsal = trialSettings(maxRequests, changes);
  const exchanges = await rehearseWith(rehearsal, only);
  const whole = await rehearseWith({ ...rehearsal, ...largeBudget }, only);
  const row = (name: string, sent: readonly Exchange[]): string => {
    const created = sent.filter(({ response }) => response?.status === 201).length;
    return `${name.padEnd(9)}${String(sent.length).padStart(5)} requests${String(created).padStart(5)} creations`;
  };
  const rows = [...Map.groupBy(exchanges, ({ operation }) => operation)].map(([name, sent]) => row(name, sent));
  const total = row('at most', exchanges);
  const plans = plan === undefined ? (Object.keys(planLimits) as Plan[]) : [plan];
  const costs = plans.flatMap((one) => costAt(one, exchanges.length));
  const covered = only === undefined ? coverageOf(exchanges, rehearsal) : [];
  const shares = ['values, of those that the largest budget sends:', ...sharesOf(exchanges, whole)];
  return `${[...rows, total, ...costs, ...covered, ...shares, ...untriedValues(rehearsal)].join('\n')}\n`;
}
