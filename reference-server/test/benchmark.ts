/** Measures the server: node reference-server/test/benchmark.ts [PART OF A NAME] */

import { measureAgainstPeers } from './benchmark/against-peers.ts';
import { describeMachine, printTable, writeFigures } from './benchmark/figures.ts';
import { tool } from './benchmark/load.ts';

const machine = describeMachine(tool);
const figures = await measureAgainstPeers(process.argv[2] ?? '');
printTable(machine, figures);
writeFigures(machine, figures);
