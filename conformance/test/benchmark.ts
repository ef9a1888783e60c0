/** Measures the server beside another, and the kit as whole processes: node conformance/test/benchmark.ts [peers|kit]… */

import { cpus, loadavg } from 'node:os';
import { measureKit } from './benchmark/kit.ts';
import { type Figure, measureAgainstPeers } from './benchmark/peers.ts';

const parts: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  peers: measureAgainstPeers,
  kit: measureKit,
};

/** A row of the table: the median, its goal, and whether it is reached. */
function rowOf({ name, measure, values, goal }: Figure): object {
  const median = values.toSorted((one, other) => one - other)[Math.floor((values.length - 1) / 2)]!;
  const row = { figure: name, measure, median: Number(median.toPrecision(3)) };
  if (goal === undefined) return row;
  if ('atLeast' in goal) return { ...row, goal: `≥ ${goal.atLeast}`, reached: median >= goal.atLeast };
  return { ...row, goal: `≤ ${goal.atMost}`, reached: median <= goal.atMost };
}

// What was started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)) {
  const measure = parts[name];
  if (measure === undefined) throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(', ')}.`);
  console.table((await measure()).map(rowOf));
  console.log(
    `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, load average ${loadavg()[0]?.toFixed(1)}`,
  );
}
