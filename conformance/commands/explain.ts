/** Tells what the kit judges without sending anything: all statements, one of them, or what a run would cost. */

import { type Plan, planLimits } from '../../spec/facts.ts';
import { type Requirement, type RequirementId, requirements } from '../../spec/requirements.ts';
import { checks } from '../checks/index.ts';
import type { Exchange } from '../engine/exchange.ts';
import type { Settings } from '../engine/settings.ts';
import { faults } from '../faults/index.ts';
import { runInProcess, trialSettings } from '../faults/trial.ts';
import { handleOf } from '../faults/variants.ts';

/** A line for each statement of the interface. */
export function listRequirements(): string {
  const width = Math.max(...requirements.map(({ id }) => id.length));
  const lines = requirements.map(
    ({ section, id, level, statement }) =>
      `§${section.padEnd(4)}${id.padEnd(width + 2)}${level.padEnd(10)}${statement}`,
  );
  return `${lines.join('\n')}\n`;
}

function titlesOf(kind: 'invariant' | 'scenario', id: RequirementId): readonly string[] {
  return checks.flatMap((check) =>
    check.kind === kind && check.verifies.includes(id) ? [`  ${check.id}: ${check.title}`] : [],
  );
}

/** What one statement says, how it is judged, and which faults prove that it is; undefined for an unknown id. */
export function explainRequirement(id: string): string | undefined {
  const requirement: (Requirement & { readonly id: RequirementId }) | undefined = requirements.find(
    (one) => one.id === id,
  );
  if (requirement === undefined) return undefined;
  const heading = `§${requirement.section} ${id} (${requirement.level})\n${requirement.statement}\n`;
  if (requirement.untested !== undefined) return `${heading}\nNot tested: ${requirement.untested}\n`;
  const proofs = faults.filter(({ breaks }) => breaks[0] === requirement.id).map((fault) => `  ${fault.id}`);
  const sent = titlesOf('scenario', requirement.id);
  const parts = [
    ['Judged by', titlesOf('invariant', requirement.id)],
    ['Shown by what these send', sent.length === 0 ? ['  every request of a run'] : sent],
    [`Proven by ${proofs.length} faults`, proofs],
  ] as const;
  return `${[heading, ...parts.map(([title, lines]) => `${title}:\n${lines.join('\n')}\n`)].join('\n')}`;
}

/** The section that a check mainly belongs to; the preflight is a listing. */
function sectionOf(check: string): string {
  const found = checks.find((candidate) => candidate.kind === 'scenario' && candidate.id === check);
  const [first] = found?.kind === 'scenario' ? found.verifies : [];
  return requirements.find(({ id }) => id === first)?.section ?? '4.1';
}

function costAt(plan: Plan, requests: number): string {
  const { perMinute, perDay } = planLimits[plan];
  if (perMinute === undefined || perDay === undefined) return `${plan}: custom limits`;
  const minutes = Math.ceil(requests / perMinute);
  const share = ((100 * requests) / perDay).toFixed(requests < perDay ? 1 : 0);
  return `${plan}: ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}, ${share} % of the day`;
}

/**
 * What a run with these settings would send to an empty service that accepts everything: rehearsed on the reference
 * server, without a socket.
 */
export async function planRun(
  settings: Pick<Settings, 'maxRequests' | 'maxCreates' | 'isReadOnly' | 'seed'> & { readonly plan?: Plan },
): Promise<string> {
  const exchanges: Exchange[] = [];
  const rehearsal = trialSettings(settings.maxRequests, {
    maxCreates: settings.maxCreates,
    isReadOnly: settings.isReadOnly,
    seed: settings.seed,
    hasRateLimitKey: false,
  });
  const report = await runInProcess(handleOf({ id: 'rehearsal', perMinute: 1_000_000 }), rehearsal, {
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const bySection = Map.groupBy(exchanges, (exchange) => sectionOf(exchange.check));
  const rows = [...bySection]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([section, sent]) => {
      const creations = sent.filter(({ response }) => response?.status === 201).length;
      return `§${section.padEnd(5)}${String(sent.length).padStart(5)} requests${String(creations).padStart(5)} creations`;
    });
  const plans = settings.plan === undefined ? (Object.keys(planLimits) as Plan[]) : [settings.plan];
  const total = `total ${String(report.requests).padStart(5)} requests${String(report.created.length).padStart(5)} creations`;
  return `${[...rows, total, ...plans.map((plan) => costAt(plan, report.requests))].join('\n')}\n`;
}
