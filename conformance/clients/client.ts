/** A client under test: what it is given to reach a service, and how one run of it ended. */

export interface ClientEnvironment {
  readonly baseUrl: string;
  readonly key: string;
  /** A category that exists. */
  readonly categoryId: bigint;
}

export interface ClientResult {
  readonly isPassed: boolean;
  /** How the client ended, for example "exit code 1"; for a person, without the key. */
  readonly ending: string;
  /** The file with the output of the client, if it printed into one. */
  readonly output?: string;
  /** Processes that the client left behind and that could not be ended, each with its number. */
  readonly survivors?: readonly string[];
}

/**
 * Runs a client once. `name` is the id of the service variant, `signal` ends the run. Resolves when the run is over, and
 * rejects if the client cannot be run at all.
 */
export type Client = (environment: ClientEnvironment, name: string, signal: AbortSignal) => Promise<ClientResult>;
