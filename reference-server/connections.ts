/** The open connections: no more than a number, and of each how far its client has come. */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Connection {
  /** The request whose body is on its way. */
  reading: IncomingMessage | undefined;
  /** Set with the last answer: what still comes is no request any more. */
  isOver: boolean;
  /** The number of the event, its coming or its last complete request. */
  renewed: number;
}

export interface Connections {
  readonly add: (socket: Duplex) => void;
  /** Undefined for a connection that was closed, dropped, or given its last answer. */
  readonly find: (socket: Duplex) => Connection | undefined;
  /** Says that a complete request has come. */
  readonly renew: (connection: Connection) => void;
}

/**
 * Beyond `most` connections the one goes that has been without a complete request for the longest: those who connect
 * and say nothing shut out nobody.
 */
export function createConnections(most: number, drop: (socket: Duplex, connection: Connection) => void): Connections {
  const open = new Map<Duplex, Connection>();
  let events = 0;

  /** To look at each of them now and then is cheaper than to keep them in order with every request. */
  function dropOldest(): void {
    let oldest: [Duplex, Connection] | undefined;
    for (const entry of open) if (oldest === undefined || entry[1].renewed < oldest[1].renewed) oldest = entry;
    if (oldest === undefined) return;
    open.delete(oldest[0]);
    drop(...oldest);
  }

  return {
    add(socket) {
      events += 1;
      open.set(socket, { reading: undefined, isOver: false, renewed: events });
      socket.once('close', () => open.delete(socket));
      if (open.size > most) dropOldest();
    },
    find(socket) {
      const connection = open.get(socket);
      return connection?.isOver ? undefined : connection;
    },
    renew(connection) {
      events += 1;
      connection.renewed = events;
    },
  };
}
