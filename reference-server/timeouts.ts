/** The times that clients have. */

/** How long a client may take, milliseconds. */
export interface Timeouts {
  /** From its connecting, or the start of a request, to the end of the headers; 10,000. Then it gets 408. */
  readonly headersMs: number;
  /** From the same start to the end of the body; 30,000. Then it gets 408. */
  readonly requestMs: number;
  /** Between two requests on a connection; 5,000. */
  readonly keepAliveMs: number;
  /** With an answer of which it reads nothing more; 30,000. */
  readonly unreadMs: number;
  /** What a refused client still sends is read for so long, so that its answer is not lost; 2,000. */
  readonly lingerMs: number;
  /** To finish what is under way when the server is closed; 3,000. */
  readonly closeMs: number;
}

export const usualTimeouts: Timeouts = {
  headersMs: 10_000,
  requestMs: 30_000,
  keepAliveMs: 5_000,
  unreadMs: 30_000,
  lingerMs: 2_000,
  closeMs: 3_000,
};
