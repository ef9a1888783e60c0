#!/usr/bin/env node
/** The command petstore-server: the reference server for developers of clients, with the faults and services of the kit. */

import { petstoreServer } from '../../reference-server/twin/cli.ts';
import { kit } from '../verdict/report.ts';
import { endWithNpm } from './end-with-npm.ts';
import { readYaml } from './files.ts';

endWithNpm();
await petstoreServer({
  version: kit.version,
  loadFaults: async () => (await import('../faults/index.ts')).findFault,
  loadServices: async () => (await import('./services.ts')).findServerOptions,
  listServices: async () => (await import('./services.ts')).listedServices,
  listFaults: async () =>
    (await import('../faults/index.ts')).faults.map(({ id, breaks }) => [id, `breaks ${breaks[0]}`]),
  readYaml,
});
