/** One run of a client in a world: what it is given, and what came of it. */

/** What a client is told of the service. */
export interface ClientEnvironment {
  readonly baseUrl: string;
  readonly key: string;
  /** A category that exists. */
  readonly categoryId: bigint;
}

export interface AttemptResult {
  readonly isPassed: boolean;
  /** How it ended, for example "exit code 1"; for a person, without the key. */
  readonly ending: string;
  /** The file with what it printed, where it printed into one. */
  readonly output?: string;
}

/**
 * Runs a client once; `name` tells its world, and `signal` ends it. Resolves when nothing of it runs any more, and
 * rejects where it cannot be run at all.
 */
export type Attempt = (environment: ClientEnvironment, name: string, signal: AbortSignal) => Promise<AttemptResult>;
