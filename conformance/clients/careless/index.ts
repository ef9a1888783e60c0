/** All careless clients: each has one bad habit, and a tour must find and name it. */

import type { CarelessClient } from '../example.ts';
import { resourceClients } from './2-resources.ts';
import { endpointClients } from './4-endpoints.ts';
import { keyClients } from './5-keys.ts';
import { limitClients } from './8-limits.ts';

export const carelessClients: readonly CarelessClient[] = [
  ...resourceClients,
  ...endpointClients,
  ...keyClients,
  ...limitClients,
];
