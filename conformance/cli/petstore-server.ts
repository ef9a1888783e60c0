#!/usr/bin/env node
/** The command petstore-server: the reference server for developers of clients, with the faults of the kit. */

import { petstoreServer } from '../../reference-server/twin/cli.ts';
import { kit } from '../verdict/kit.ts';
import { complaintOfNode } from './node-version.ts';

const complaint = complaintOfNode('petstore-server');
if (complaint === undefined) await petstoreServer(kit.version, () => import('../sections/faults.ts'));
else {
  console.error(complaint);
  process.exitCode = 2;
}
