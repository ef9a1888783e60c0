/** Serves a service variant on a port of 127.0.0.1, and records the requests to it and to the other host that it names. */

import { randomBytes } from 'node:crypto';
import { type Server, startServer } from '../../reference-server/twin/index.ts';
import { defined } from '../../spec/defined.ts';
import { seededRandom } from '../../spec/random.ts';
import { slowAnswerMs } from '../http/tolerances.ts';
import { aheadOf, type ComparedRequest, compareAnswers, gapsOf, serverSeed } from './compared-answers.ts';
import { animalsOf, type ClientHabits, isSlow, type ServiceVariant, type VariationContext } from './service-variant.ts';

export interface ServeOptions {
  /** The time by which the service lives, Unix milliseconds; the machine's if undefined. */
  readonly now?: () => number;
  /** Set if the caller holds answers of slow variants back itself. */
  readonly answersAtOnce?: true;
  /** A free port if undefined. */
  readonly port?: number;
  /** A new key, which is valid nowhere else, if undefined. */
  readonly key?: string;
}

/** The category that a client is given: one that the service variant has. */
export function categoryIn(variant: ServiceVariant): bigint {
  const usual = 4_711n;
  const [answer, size = '1..10'] = gapsOf(variant)['known-categories']?.split(' ') ?? [];
  if (answer !== 'refused-400') return usual;
  const ranges = size.split(',').map((range) => range.split('..').map(BigInt));
  const isKnown = ranges.some(([least = 0n, most = least]) => least <= usual && usual <= most);
  return isKnown ? usual : ranges[0]![0]!;
}

/** Nothing is known of a client that has not run yet. */
export const noHabits: ClientHabits = { usual: [], longestPauseMs: 0 };

/** A name for this machine that libraries take for another host than 127.0.0.1. */
const otherName = 'localhost';

async function startOtherHost(key: string, { variations }: ServiceVariant): Promise<Server | undefined> {
  const isNeeded = variations.some(({ leadsToOtherHost }) => leadsToOtherHost);
  return isNeeded ? await startServer({ keys: [{ key, plan: 'business' }] }) : undefined;
}

export async function serveVariant(
  variant: ServiceVariant,
  habits: ClientHabits = noHabits,
  options: ServeOptions = {},
) {
  const { now = Date.now, answersAtOnce, port, key = `client-${randomBytes(12).toString('hex')}` } = options;
  const other = await startOtherHost(key, variant);
  const otherHost = other?.url.replace('127.0.0.1', otherName);
  const categoryId = categoryIn(variant);
  const context: VariationContext = { ...habits, categoryId, otherHost: otherHost ?? `http://${otherName}:9/v1` };
  const aheadMs = aheadOf(variant, now());
  const compared: ComparedRequest[] = [];
  const latency = isSlow(variant) && !answersAtOnce ? { ms: slowAnswerMs, jitterMs: 0 } : undefined;
  const wraps = variant.variations.flatMap(({ id, requirement, wrap }) =>
    wrap === undefined ? [] : [{ id, breaks: [requirement], wrap: wrap(context) }],
  );
  const comparing = compareAnswers(variant, aheadMs, (request) => compared.push(request));
  const server = await startServer({
    keys: [{ key, plan: 'business' }],
    gaps: gapsOf(variant),
    faults: [...wraps, { id: 'compared', breaks: [], wrap: comparing }],
    animals: animalsOf(variant),
    random: seededRandom(serverSeed),
    clock: () => now() + aheadMs,
    // No service promises a health page, so a client that relies on one must be found.
    answersHealth: false,
    networkConditions: defined({ latency }),
    ...defined({ port }),
  });
  return {
    environment: { baseUrl: server.url, key, categoryId },
    /** Requests to the base address, in the order in which they arrived. */
    received: server.requests,
    /** The same requests, each compared with the reference server. */
    compared: compared as readonly ComparedRequest[],
    /** Requests to the other host that answers name. */
    receivedByOtherHost: other?.requests ?? [],
    /** The base address of that host; undefined if no answer names one. */
    otherHost,
    close: async () => {
      await Promise.all([server.close(), other?.close()]);
    },
  };
}

export type ServedVariant = Awaited<ReturnType<typeof serveVariant>>;
