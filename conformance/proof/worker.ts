/** A thread of the self-test. */

import { parentPort, workerData } from 'node:worker_threads';
import { type Part, tryPart } from './self-test.ts';

parentPort?.postMessage(await tryPart(workerData as Part));
