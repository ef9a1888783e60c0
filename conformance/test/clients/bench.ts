/** Runs the clients of tests under legal services, on a clock on which no machine is too busy, and reports on them. */

import { type ClientEnvironment, type ClientResult, type RunClient, runOverSockets } from '../../clients/client-run.ts';
import { type Compatibility, type CompatibilityOptions, runCompatibility } from '../../clients/compatibility.ts';
import { reportClient } from '../../clients/report-client.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import { reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';

/** A clock that stands still while a request is under way, and then jumps to the next timer. */
function createSimulatedClock(startsAt: number) {
  let now = startsAt;
  let held = 0;
  const timers: { readonly at: number; readonly resolve: () => void }[] = [];

  function wakeNext(): void {
    const [next] = held > 0 ? [] : timers.sort((one, other) => one.at - other.at).splice(0, 1);
    if (next === undefined) return;
    now = Math.max(now, next.at);
    next.resolve();
    schedule();
  }

  /** Whatever the last event set off gets its turn before time goes on. */
  function schedule(): void {
    setImmediate(() => setImmediate(wakeNext));
  }

  return {
    /** Unix milliseconds. */
    now: () => now,
    sleep: (ms: number): Promise<void> =>
      new Promise((resolve) => {
        timers.push({ at: now + Math.max(0, ms), resolve });
        schedule();
      }),
    /** Stops the clock until a task that takes real time has ended. */
    hold<Result>(task: () => Promise<Result>): Promise<Result> {
      held += 1;
      return task().finally(() => {
        held -= 1;
        schedule();
      });
    },
  };
}

type SimulatedClock = ReturnType<typeof createSimulatedClock>;

/** What a client of a test works with. */
export interface ExampleEnvironment extends ClientEnvironment, SimulatedClock {
  /** As the global fetch, with the whole body read before it resolves. */
  readonly fetch: typeof fetch;
}

/** A client; it rejects if it fails, as the test suite of a consumer does. */
export type Run = (environment: ExampleEnvironment) => Promise<void>;

/** Every simulated run starts at this instant. */
export const simulatedStart = Date.UTC(2026, 10, 21, 12);

function holdingFetch({ hold, sleep }: SimulatedClock, answersAfterMs: number): typeof fetch {
  return async (input, init) => {
    const answer = await hold(async () => {
      const response = await fetch(input, init);
      return { response, body: await response.arrayBuffer() };
    });
    await sleep(answersAfterMs);
    const { status, headers } = answer.response;
    return new Response(status === 204 || status === 304 ? null : answer.body, { status, headers });
  };
}

/** Runs a client on a simulated clock: nothing in the result depends on how busy the machine is. */
export function clientOf(run: Run): RunClient {
  return async (service, signal) => {
    const { latencyMs = 0, ...atOnce } = service;
    const clock = createSimulatedClock(simulatedStart);
    const held = holdingFetch(clock, latencyMs);
    const runHere = (environment: ClientEnvironment): Promise<ClientResult> =>
      run({ ...environment, ...clock, fetch: held }).then(
        () => ({ isPassed: true, ending: 'success' }),
        (error: unknown) => ({
          isPassed: false,
          ending: `the error "${(error as Error).message}"`,
          printed: [String(error)],
        }),
      );
    const made = await runOverSockets(runHere, clock.now)(atOnce, signal);
    return { ...made, service, exchanges: made.exchanges.map((one) => ({ ...one, endedAt: one.endedAt + latencyMs })) };
  };
}

const { signal } = new AbortController();

export function explore(runClient: RunClient, options: Partial<CompatibilityOptions> = {}): Promise<Compatibility> {
  return runCompatibility({ runClient, concurrency: 1, signal, ...options });
}

export function report(made: Compatibility): Report {
  return reportClient({ made, command: ['npm', 'test'], startedAt: 0, endedAt: 1_000 });
}

/** What a report says of a client, in lines: its exit code, the services of its runs, a reason, and each requirement. */
export function linesOf(made: Compatibility): string {
  const { exitCode, client, reason, notes, requirements } = report(made);
  return [
    `exit code ${exitCode}`,
    `works with ${client?.worksWith} of ${client?.ranWith}, relies on ${client?.reliesOn}`,
    `runs ${made.runs.map(({ service }) => service.id).join(' ')}`,
    `says ${reasonInWords(reason) ?? notes?.[0] ?? 'nothing'}`,
    ...requirements.map(({ id, verdict, evidence, failures: [first], reason: why }) => {
      const shown = first === undefined ? `${evidence} exchanges` : `${first.code} ${sentenceOf(first)}`;
      return `${id} ${verdict} ${shown}; ${why ?? 'no reason'}`;
    }),
  ].join('\n');
}
