/** The open connections: no more than a number, and of each how far its client has come. */

import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

export interface Connection {
  /** The request whose body is on its way. */
  reading: IncomingMessage | undefined;
  /** Set with the last answer: what still comes is no request any more. */
  isOver: boolean;
}

export interface Connections {
  readonly add: (socket: Duplex) => void;
  /** Undefined for a connection that was closed, dropped, or given its last answer. */
  readonly find: (socket: Duplex) => Connection | undefined;
  /** Says that a complete request has come. */
  readonly renew: (socket: Duplex) => void;
}

/**
 * Beyond `most` connections the one goes that has been without a complete request for the longest: those who connect
 * and say nothing shut out nobody.
 */
export function createConnections(most: number, drop: (socket: Duplex, connection: Connection) => void): Connections {
  // In the order of their last complete request, or of their coming.
  const open = new Map<Duplex, Connection>();

  function dropOldest(): void {
    const [oldest] = open;
    if (oldest === undefined) return;
    open.delete(oldest[0]);
    drop(...oldest);
  }

  return {
    add(socket) {
      open.set(socket, { reading: undefined, isOver: false });
      socket.once('close', () => open.delete(socket));
      if (open.size > most) dropOldest();
    },
    find(socket) {
      const connection = open.get(socket);
      return connection?.isOver ? undefined : connection;
    },
    renew(socket) {
      const connection = open.get(socket);
      if (connection === undefined || !open.delete(socket)) return;
      open.set(socket, connection);
    },
  };
}
