/** Which requests find which faults, and the fewest that find the most: by this the first sixty are chosen. */

import type { Exchange } from '../http/exchange.ts';
import type { Finding } from '../verdict/finding.ts';

/** The place of each exchange in its run: the check that asked for it, and which of its requests it was. */
export function placesOf(exchanges: readonly Exchange[]): ReadonlyMap<Exchange, string> {
  const asked = new Map<string, number>();
  return new Map(
    exchanges.map((exchange) => {
      const count = (asked.get(exchange.check) ?? 0) + 1;
      asked.set(exchange.check, count);
      return [exchange, `${exchange.check} ${count}`];
    }),
  );
}

/** The places of the requests that show a fault first; none where nothing does. */
export function shownBy(exchanges: readonly Exchange[], findings: readonly Finding[]): readonly string[] {
  const places = placesOf(exchanges);
  const ends = findings.map((finding) => Math.max(...finding.exchanges.map(({ number }) => number)));
  const earliest = findings[ends.indexOf(Math.min(...ends))];
  return [...new Set((earliest?.exchanges ?? []).flatMap((exchange) => places.get(exchange) ?? []))];
}

/** A fault, and the places of the requests that show it. */
export interface ShownFault {
  readonly id: string;
  readonly shownBy: readonly string[];
}

/** One step of a cover: these requests beside those before them find so many more faults. */
export interface CoverStep {
  readonly requests: readonly string[];
  readonly faults: readonly string[];
}

/** The greedy cover: at each step the requests that find the most faults for each of their number. */
export function coverOf(trials: readonly ShownFault[]): readonly CoverStep[] {
  const steps: CoverStep[] = [];
  const chosen = new Set<string>();
  let open = trials.filter((trial) => trial.shownBy.length > 0);
  while (open.length > 0) {
    const byNew = Map.groupBy(open, (trial) =>
      JSON.stringify(trial.shownBy.filter((place) => !chosen.has(place)).sort()),
    );
    const worth = ([places, faults]: [string, unknown[]]): number =>
      faults.length / (JSON.parse(places) as unknown[]).length;
    const [best] = [...byNew].sort((one, other) => worth(other) - worth(one) || one[0].localeCompare(other[0]));
    const requests = JSON.parse(best![0]) as readonly string[];
    for (const place of requests) chosen.add(place);
    const isFound = (trial: (typeof open)[number]): boolean => trial.shownBy.every((place) => chosen.has(place));
    steps.push({ requests, faults: open.filter(isFound).map(({ id }) => id) });
    open = open.filter((trial) => !isFound(trial));
  }
  return steps;
}

const faultsShown = 4;

/** The cover as a table: requests so far, faults so far, what each step adds. */
export function showCover(steps: readonly CoverStep[]): string {
  let [requests, faults] = [0, 0];
  const lines = steps.map((step) => {
    requests += step.requests.length;
    faults += step.faults.length;
    const examples = step.faults.slice(0, faultsShown).join(', ');
    const more = step.faults.length > faultsShown ? ` and ${step.faults.length - faultsShown} more` : '';
    return `${String(requests).padStart(4)} ${String(faults).padStart(5)}  ${step.requests.join(' + ')}: ${examples}${more}`;
  });
  return `${['requests faults  what finds them', ...lines].join('\n')}\n`;
}
