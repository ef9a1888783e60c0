/**
 * The self-test: every fault makes the run fail, or warn if it breaks an advised requirement, and its requirement is
 * named; no legal service fails.
 */

import { availableParallelism } from 'node:os';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { faults } from '../faults/index.ts';
import { escapeForTerminal } from '../reporters/escape.ts';
import { services } from '../services/index.ts';
import { budgets, type FaultTrial, pairsOf, type ServiceTrial, tryFault, tryService } from './trial.ts';

/** The share of a thread: of all faults, services and combinations of two services every `of`-th, from `part` on. */
type Part = Readonly<Record<'part' | 'of' | 'combinations', number>>;

export interface SelfTest {
  readonly faults: readonly FaultTrial[];
  /** The legal services with 300 requests, and combinations with sixty. */
  readonly services: readonly ServiceTrial[];
}

/** Tries the pieces of one thread, one after another. */
async function tryPart({ part, of, combinations }: Part): Promise<SelfTest> {
  async function tryMine<Piece, Trial>(pieces: readonly Piece[], attempt: (piece: Piece) => Promise<Trial>) {
    const trials: Trial[] = [];
    for (const piece of pieces.filter((_piece, at) => at % of === part)) trials.push(await attempt(piece));
    return trials;
  }
  return {
    faults: await tryMine(faults, (fault) => tryFault(fault)),
    services: [
      ...(await tryMine(services, (service) => tryService(service, 300))),
      ...(await tryMine(pairsOf(services, combinations), ({ service, seed }) => tryService(service, 60, seed))),
    ],
  };
}

function startThread(part: Part, signal: AbortSignal | undefined): Promise<SelfTest> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: part });
    worker.once('message', resolve).once('error', reject);
    signal?.addEventListener('abort', () => void worker.terminate());
    if (signal?.aborted) void worker.terminate();
  });
}

/** Tries faults, every service and combinations of two, on all processors. Never resolves where the signal aborts. */
export async function runSelfTest(combinations: number, signal?: AbortSignal): Promise<SelfTest> {
  const of = availableParallelism();
  const parts = await Promise.all(
    Array.from({ length: of }, (_nothing, part) => startThread({ combinations, part, of }, signal)),
  );
  return { faults: parts.flatMap((part) => part.faults), services: parts.flatMap((part) => part.services) };
}

/** The share of the faults that are found within a budget. */
export function shareFound({ faults: trials }: SelfTest, budget: number): number {
  return trials.filter(({ foundWithin = Number.POSITIVE_INFINITY }) => foundWithin <= budget).length / trials.length;
}

/** What is wrong with the judgement of services: failures, and answers to gaps that are misread. */
export function complaints({ services: trials }: SelfTest): readonly string[] {
  return trials.flatMap(({ id, complaint, misread }) => [
    ...(complaint === undefined ? [] : [`FALSE FAILURE  ${id}: ${complaint}`]),
    ...misread.map((text) => `MISREAD  ${id}: ${text}`),
  ]);
}

/** Whether the kit fails every fault and no service, and observes all gaps correctly. */
export function isProven(result: SelfTest): boolean {
  return shareFound(result, budgets.at(-1)!) === 1 && complaints(result).length === 0;
}

/** The text of outcome.txt: for each fault, what the report says first. Its diff shows what a changed judge changes. */
export function outcomeFile({ faults: trials }: SelfTest): string {
  const lines = trials.map(({ id, foundWithin: within = 'NOT', first }) => {
    return `${id}: ${within}, ${escapeForTerminal(first)}\n`;
  });
  return lines.sort().join('');
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** The outcome of each fault, then everything that is wrong, then the figures. */
export function showSelfTest(result: SelfTest): string {
  return [
    outcomeFile(result).trimEnd(),
    ...complaints(result),
    ...budgets.map((requests) => `${percent(shareFound(result, requests))} of faults within ${requests} requests`),
    `${complaints(result).length} complaints about ${result.services.length} legal services and combinations of two\n`,
  ].join('\n');
}

if (!isMainThread) parentPort?.postMessage(await tryPart(workerData as Part));
