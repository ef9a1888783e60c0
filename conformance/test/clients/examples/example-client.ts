/** Example clients, faulty and careful ones: they prove that the judge finds the former and leaves the latter alone. */

import {
  type ClientEnvironment,
  type ClientResult,
  type RunClient,
  runOverSockets,
} from '../../../clients/client-run.ts';
import { slowAnswerMs } from '../../../http/tolerances.ts';
import { createSimulatedClock, type SimulatedClock } from './simulated-clock.ts';

/** What an example client works with: a service, and a clock on which no machine is too busy. */
export interface ExampleEnvironment extends ClientEnvironment, SimulatedClock {
  /** As the global fetch, with the whole body read before it resolves. */
  readonly fetch: typeof fetch;
}

export interface ExampleClient {
  readonly id: string;
  /** Rejects if it fails, as the test suite of a consumer does. */
  readonly run: (environment: ExampleEnvironment) => Promise<void>;
}

/** Every simulated run starts at this instant. */
const simulatedStart = Date.UTC(2026, 10, 21, 12);

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

async function resultOf({ run }: ExampleClient, environment: ExampleEnvironment): Promise<ClientResult> {
  try {
    await run(environment);
    return { isPassed: true, ending: 'success' };
  } catch (error) {
    return { isPassed: false, ending: `the error "${error instanceof Error ? error.message : String(error)}"` };
  }
}

/** Runs an example client on a simulated clock: nothing in the result depends on how busy the machine is. */
export function simulate(client: ExampleClient): RunClient {
  return (service, surroundings, signal) => {
    const clock = createSimulatedClock(simulatedStart);
    const held = holdingFetch(clock, service.isSlow ? slowAnswerMs : 0);
    const runHere = (environment: ClientEnvironment): Promise<ClientResult> =>
      resultOf(client, { ...environment, ...clock, fetch: held });
    return runOverSockets(runHere, { now: clock.now, answersAtOnce: true })(service, surroundings, signal);
  };
}
