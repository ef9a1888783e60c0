/**
 * Measures the server beside others, and the kit as whole processes; prints a table and writes benchmark.json: node
 * conformance/test/benchmark.ts [peers|growth|start|kit|long]… (all where nothing is said)
 */

import { measureAgainstPeers } from '../../reference-server/test/benchmark/against-peers.ts';
import {
  describeMachine,
  type Figure,
  printTable,
  writeFigures,
} from '../../reference-server/test/benchmark/figures.ts';
import { measureGrowth } from '../../reference-server/test/benchmark/growth.ts';
import { tool } from '../../reference-server/test/benchmark/load.ts';
import { measureStarts } from '../../reference-server/test/benchmark/start.ts';
import { measureKit, measureLongRuns } from './benchmark/kit.ts';

const parts: Readonly<Record<string, () => Promise<readonly Figure[]>>> = {
  peers: measureAgainstPeers,
  growth: measureGrowth,
  start: measureStarts,
  kit: measureKit,
  long: measureLongRuns,
};

// What was started ends with it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const asked = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(parts);
const machine = describeMachine(tool);
const figures: Figure[] = [];
for (const name of asked) {
  console.error(`Measuring: ${name}`);
  figures.push(...((await parts[name]?.()) ?? []));
  // What has been measured is not lost when something after it fails.
  writeFigures(machine, figures);
}
printTable(machine, figures);
