/** All careful clients: no legal service may fail one. */

import type { ExampleClient } from '../example-client.ts';
import { clientsWithFetch } from './with-fetch.ts';
import { clientsWithNode } from './with-node.ts';

export const carefulClients: readonly ExampleClient[] = [clientsWithFetch, clientsWithNode]
  .flatMap((clients) => Object.entries(clients))
  .map(([id, run]) => ({ id, run }));
