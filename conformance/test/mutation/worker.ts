/** A thread that tries mutants, one after another: a mutant that hangs in a loop ends with its thread. */

import { parentPort } from 'node:worker_threads';
import { type TrialOrder, tryMutant } from './trial.ts';

parentPort!.on('message', async (order: TrialOrder) => parentPort!.postMessage(await tryMutant(order)));
