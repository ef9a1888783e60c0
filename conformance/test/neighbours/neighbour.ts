/** Servers of the interface in different styles, each with legal choices of its own, as neighbour teams write them. */

import type { Server } from 'node:http';
import { listening } from '../http/servers.ts';

/** Starts one, which reads the time from `now`, Unix milliseconds; resolves with its base address. It ends with the process. */
export type Neighbour = (now: () => number) => Promise<string>;

export const listen = async (server: Server): Promise<string> => `http://127.0.0.1:${await listening(server)}/v1`;
