/**
 * Measures the server beside others, and the kit as whole processes; prints a table and writes benchmark.json: node
 * conformance/test/benchmark.ts [peers|kit]…
 */

import { measureAgainstPeers } from '../../reference-server/test/benchmark/against-peers.ts';
import {
  describeMachine,
  type Figure,
  printTable,
  writeFigures,
} from '../../reference-server/test/benchmark/figures.ts';
import { measureKit } from './benchmark/kit.ts';

const parts: Readonly<Record<string, { readonly what: string; readonly measure: () => Promise<readonly Figure[]> }>> = {
  peers: { what: 'the server beside bare node:http', measure: measureAgainstPeers },
  kit: { what: 'the kit as whole processes', measure: measureKit },
};

// What was started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const machine = describeMachine();
const figures: Figure[] = [];
for (const name of asked) {
  const part = parts[name];
  if (part === undefined) throw new Error(`There is no part ${name}; there are ${Object.keys(parts).join(', ')}.`);
  console.error(`Measuring ${name}: ${part.what}`);
  const beganAt = performance.now();
  figures.push(...(await part.measure()));
  console.error(`  ${Math.round((performance.now() - beganAt) / 1000)} s`);
  // What has been measured is not lost when something after it fails.
  writeFigures(machine, figures);
}
printTable(machine, figures);
