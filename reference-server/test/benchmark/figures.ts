/** Figures of a benchmark with their spread and goal, printed as a table and written to a file. */

import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';

export interface Goal {
  readonly is: 'at least' | 'at most';
  readonly value: number;
}

export interface Figure {
  readonly name: string;
  /** The unit or the quantity, such as `CPU time` or `bytes`. */
  readonly measure: string;
  readonly median: number;
  /** The quartiles. */
  readonly spread: readonly [number, number];
  /** The number of measurements. */
  readonly rounds: number;
  /** Undefined for a figure that only explains another one. */
  readonly goal?: Goal;
}

export const atLeast = (value: number): Goal => ({ is: 'at least', value });
export const atMost = (value: number): Goal => ({ is: 'at most', value });

/** Summarises measurements as a figure. */
export function summarise(about: Pick<Figure, 'name' | 'measure' | 'goal'>, values: readonly number[]): Figure {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (part: number): number => sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN;
  return { ...about, median: at(0.5), spread: [at(0.25), at(0.75)], rounds: values.length };
}

function isReached({ median, goal }: Figure): boolean | undefined {
  return goal && (goal.is === 'at least' ? median >= goal.value : median <= goal.value);
}

function rowOf(figure: Figure): string {
  const { name, measure, median, spread, goal } = figure;
  const digits = (value: number): string => value.toPrecision(3);
  const aim = goal === undefined ? '' : `${goal.is === 'at least' ? '≥' : '≤'} ${goal.value}`;
  const verdict = { true: 'yes', false: 'no', undefined: '' }[`${isReached(figure)}`];
  return `| ${name} | ${measure} | ${digits(median)} | ${spread.map(digits).join('–')} | ${aim} | ${verdict} |`;
}

/** Describes the machine. */
export function describeMachine(): string {
  const [first] = cpus();
  const memory = Math.round(totalmem() / 2 ** 30);
  const load = loadavg()[0]?.toFixed(1);
  const day = new Date().toISOString().slice(0, 10);
  return `${day}, ${cpus().length} × ${first?.model}, ${memory} GiB, Node ${process.version}, load average ${load}`;
}

export function printTable(machine: string, figures: readonly Figure[]): void {
  const head = ['| figure | measure | median | quartiles | goal | reached |', '|---|---|---|---|---|---|'];
  console.log([`\n${machine}\n`, ...head, ...figures.map(rowOf)].join('\n'));
}

/** Writes benchmark.json into the working directory. */
export function writeFigures(machine: string, figures: readonly Figure[]): void {
  const judged = figures.map((figure) => ({ ...figure, reached: isReached(figure) }));
  writeFileSync('benchmark.json', `${JSON.stringify({ machine, figures: judged }, undefined, 2)}\n`);
}
