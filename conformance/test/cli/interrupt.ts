/** Interrupts a command at a moment that a test chooses, and fails with a sentence where the command goes on. */

import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import type { Time } from '../../run/stop.ts';
import { stalling, startGateway } from '../neighbours/gateway.ts';
import { jumpingTime, type Result, run } from './command.ts';

const [allowedTicks, tickMs] = [100, 20];

/**
 * The result of a command that has been asked to end. It has two seconds, counted in ticks of this process: a busy machine,
 * which makes the command late, makes the ticks late as well.
 */
export async function endsSoon<Outcome>(result: Promise<Outcome>, what: string): Promise<Outcome> {
  let isOver = false;
  const ended = result.finally(() => {
    isOver = true;
  });
  const overdue = async (): Promise<never> => {
    for (let ticks = 0; ticks < allowedTicks && !isOver; ticks += 1) await sleep(tickMs);
    if (!isOver) assert.unreachable(`${what}: it goes on two seconds after it was asked to end`);
    return new Promise(() => {});
  };
  return Promise.race([ended, overdue()]);
}

/** What asks a command to end. */
export type Ending = 'SIGINT' | 'the deadline';

/** An interruption and a time for a command in this process, and the function that asks it to end. */
export function endedBy(ending: Ending): {
  readonly host: { readonly interruption: AbortSignal; readonly time: Time };
  readonly end: () => void;
} {
  const [interruption, deadline] = [new AbortController(), new AbortController()];
  return {
    host: { interruption: interruption.signal, time: jumpingTime(deadline.signal) },
    end: () => (ending === 'SIGINT' ? interruption : deadline).abort(),
  };
}

/** No answer ends by this timeout. */
export const patient = ['--timeout', '600000'];

/**
 * Runs a command against a server that stalls at its n-th request, and asks the command to end then; 0: before any request.
 */
export async function endAt(nth: number, ending: Ending, { to, env, words }: EndedCommand): Promise<Result> {
  const { host, end } = endedBy(ending);
  let isAsked = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const stall = (): void => {
    end();
    isAsked();
  };
  const front = await startGateway(stalling(nth, stall), Date.now, to);
  if (nth === 0) stall();
  const result = run([...words(front.baseUrl), ...patient], env, host);
  try {
    await Promise.race([asked, result]);
    return await endsSoon(result, `${words('').join(' ')} at request ${nth}, ended by ${ending}`);
  } finally {
    await front.close();
  }
}

/** A command that waits for a server at an address. */
export interface EndedCommand {
  readonly to: string;
  readonly env: Readonly<Record<string, string>>;
  readonly words: (front: string) => readonly string[];
}

/** Aborts after so many turns of the event loop. */
export function afterTurns(turns: number): AbortSignal {
  const interruption = new AbortController();
  const turn = (left: number): void => {
    if (left === 0) interruption.abort();
    else setImmediate(turn, left - 1);
  };
  turn(turns);
  return interruption.signal;
}
