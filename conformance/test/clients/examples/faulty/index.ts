/** All faulty clients: each must be found, and named by a requirement that it breaks. */

import type { FaultyClient } from '../example-client.ts';
import { resourceClients } from './2-resources.ts';
import { endpointClients } from './4-endpoints.ts';
import { keyClients } from './5-keys.ts';
import { limitClients } from './8-limits.ts';

export const faultyClients: readonly FaultyClient[] = [resourceClients, endpointClients, keyClients, limitClients]
  .flatMap((clients) => Object.entries(clients))
  .map(([id, [breaks, run]]) => ({ id, breaks, run }));
