/** Opens what a command talks to: the embedded reference server, or a base address with keys from the environment. */

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPetStore, listen } from '../../reference-server/index.ts';
import type { Plan } from '../../spec/facts.ts';
import type { Clock } from '../engine/pace.ts';
import { isTellable } from '../engine/redact.ts';
import { fetchTransport, type Transport } from '../engine/transport.ts';
import type { RunArguments } from './arguments.ts';
import { UsageError } from './configuration.ts';

export interface Target {
  readonly baseUrl: string;
  readonly keys: { readonly api: string; readonly rateLimit?: string };
  readonly plan?: Plan;
  readonly clock: Clock;
  /** Whether waits are jumped over: then there is nothing to show of them. */
  readonly isJumping: boolean;
  readonly transport: Transport;
  readonly close: () => Promise<void>;
}

/** The clock of a run on a real target; a wait ends when the run is stopped. */
function createRealClock(signal: AbortSignal): Clock {
  return {
    now: () => Date.now(),
    sleep: async (ms) => {
      await sleep(ms, undefined, { signal }).catch(() => undefined);
    },
  };
}

/** A clock that jumps instead of waiting; the embedded server goes by it too. */
function createJumpingClock(): Clock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    sleep: (ms) => {
      ahead += ms;
      return Promise.resolve();
    },
  };
}

/** The reference server on a free port, with a key of each kind that only this run knows. */
async function startEmbedded(timeoutMs: number): Promise<Target> {
  const api = `embedded-${randomBytes(12).toString('hex')}`;
  const rateLimit = `embedded-${randomBytes(12).toString('hex')}`;
  const store = createPetStore({
    keys: [
      { key: api, plan: 'business' },
      { key: rateLimit, plan: 'enterprise', perMinute: 8, perDay: 1_000 },
    ],
  });
  const clock = createJumpingClock();
  const server = await listen(store.handle, { port: 0, now: clock.now });
  const transport = fetchTransport(timeoutMs, {});
  return {
    baseUrl: `${server.url}/v1`,
    keys: { api, rateLimit },
    plan: 'business',
    clock,
    isJumping: true,
    transport,
    close: () => {
      transport.close();
      return server.close();
    },
  };
}

function readKey(name: string): string | undefined {
  const key = process.env[name];
  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(`The key in ${name} must be visible ASCII without spaces: check how the variable is set.`);
  }
  if (key !== undefined && !isTellable(key)) {
    throw new UsageError(
      `The key in ${name} is a word that answers are made of, so no report could hide it: use another.`,
    );
  }
  return key;
}

/** Opens the target that the arguments name; `signal` ends waits. */
export async function openTarget(args: RunArguments, signal: AbortSignal): Promise<Target> {
  if (args.baseUrl === undefined) return startEmbedded(args.timeoutMs);
  const api = readKey(args.apiKeyEnv);
  if (api === undefined) {
    throw new UsageError(
      `The variable ${args.apiKeyEnv} holds no API key: set it, or name another with --api-key-env.`,
    );
  }
  const rateLimit = readKey(args.rateLimitKeyEnv);
  if (rateLimit === api) {
    throw new UsageError(`${args.rateLimitKeyEnv} must hold another key than ${args.apiKeyEnv}: it will be exhausted.`);
  }
  const transport = fetchTransport(args.timeoutMs, process.env);
  return {
    baseUrl: args.baseUrl,
    keys: { api, ...(rateLimit === undefined ? {} : { rateLimit }) },
    clock: createRealClock(signal),
    isJumping: false,
    transport,
    close: () => {
      transport.close();
      return Promise.resolve();
    },
  };
}
