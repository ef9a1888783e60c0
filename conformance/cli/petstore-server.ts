#!/usr/bin/env node
/** The command petstore-server: the reference server for developers of clients, with the faults and services of the kit. */

import { petstoreServer } from '../../reference-server/twin/cli.ts';
import { complaintOfNode } from '../run/node-version.ts';
import { kit } from '../verdict/kit.ts';

async function serveOneService(words: readonly string[]): Promise<number> {
  const { listenToProcess } = await import('./stop.ts');
  const { interruption } = listenToProcess();
  const { reportError } = await import('./last-resort.ts');
  const { serveService } = await import('./serve-service.ts');
  return serveService(words, interruption).catch(reportError);
}

const complaint = complaintOfNode('petstore-server');
const words = process.argv.slice(2);
if (complaint !== undefined) {
  console.error(complaint);
  process.exitCode = 2;
} else if (words.some((word) => /^--service(?:=|$)/.test(word))) process.exitCode = await serveOneService(words);
else await petstoreServer(kit.version, () => import('../sections/faults.ts'));
