/** Figures of a benchmark with their spread and goal, printed as a table. */

import { cpus, loadavg, totalmem } from 'node:os';

export interface Figure {
  readonly name: string;
  /** The unit or the quantity, such as `CPU time` or `bytes`. */
  readonly measure: string;
  readonly values: readonly number[];
  /** Undefined for a figure that only explains another one. */
  readonly goal?: { readonly atLeast: number } | { readonly atMost: number };
}

function rowOf({ name, measure, values, goal }: Figure): string {
  const sorted = values.toSorted((one, other) => one - other);
  const [low, median, high] = [0.25, 0.5, 0.75].map((part) => sorted[Math.floor(part * (sorted.length - 1))]!);
  const cells = [name, measure, median!.toPrecision(3), `${low!.toPrecision(3)}–${high!.toPrecision(3)}`];
  if (goal === undefined) return `| ${[...cells, '', ''].join(' | ')} |`;
  const [aim, isReached] =
    'atLeast' in goal ? [`≥ ${goal.atLeast}`, median! >= goal.atLeast] : [`≤ ${goal.atMost}`, median! <= goal.atMost];
  return `| ${[...cells, aim, isReached ? 'yes' : 'no'].join(' | ')} |`;
}

/** Prints the machine and its figures with their medians and quartiles. */
export function printTable(figures: readonly Figure[]): void {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[0]?.toFixed(1);
  const machine = `${cpus().length} × ${first?.model}, ${memory} GiB, Node ${process.version}, load average ${load}`;
  const head = ['| figure | measure | median | quartiles | goal | reached |', '|---|---|---|---|---|---|'];
  console.log([`\n${machine}\n`, ...head, ...figures.map(rowOf)].join('\n'));
}
