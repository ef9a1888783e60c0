/**
 * Which requests find which faults: the fewest requests that find the most faults come first. `node
 * conformance/test/proof/cover.ts` prints the table, by which the order of the first sixty requests was chosen.
 */

import { runSelfTest } from '../../proof/self-test.ts';

/** A fault, and the requests that show it. */
export interface ShownFault {
  readonly id: string;
  readonly shownBy: readonly string[];
}

/** One step of a cover: the faults that these requests find together with those of earlier steps. */
export interface CoverStep {
  readonly requests: readonly string[];
  readonly faults: readonly string[];
}

/** The greedy cover: each step takes the requests that find the most faults per request. */
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

/** The cover as a table: requests so far, faults so far, and the faults that each step adds. */
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

if (import.meta.main) process.stdout.write(showCover(coverOf((await runSelfTest(0)).faults)));
