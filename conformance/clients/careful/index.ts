/** All careful clients: no world may fail one. */

import type { Example } from '../example.ts';
import { clientsWithFetch } from './with-fetch.ts';
import { clientsWithNode } from './with-node.ts';
import { workedConsumer } from './worked-consumer.ts';

export const carefulClients: readonly Example[] = [...clientsWithFetch, ...clientsWithNode, workedConsumer];
