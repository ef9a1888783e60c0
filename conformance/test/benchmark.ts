/** Measures the server beside another, and the kit as whole processes: node conformance/test/benchmark.ts [peers|kit]… */

import { measureAgainstPeers } from '../../reference-server/test/benchmark/against-peers.ts';
import { type Figure, printTable } from '../../reference-server/test/benchmark/figures.ts';
import { measureKit } from './benchmark/kit.ts';

const parts: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  peers: measureAgainstPeers,
  kit: measureKit,
};

// What was started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

for (const name of process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts)) {
  const measure = parts[name];
  if (measure === undefined) throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(', ')}.`);
  printTable(await measure());
}
