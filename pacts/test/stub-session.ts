/** A session without a target: it records planned requests, and gives scripted answers. */

import { validKey } from '../../conformance/http/credentials.ts';
import type { Exchange } from '../../conformance/http/exchange.ts';
import type { PlannedRequest } from '../../conformance/run/planned-request.ts';
import type { Session } from '../../conformance/run/session.ts';

export type Answer = Partial<NonNullable<Exchange['response']>>;

export interface StubSession {
  readonly planned: readonly PlannedRequest[];
  /** How old the last created animal was after each wait, milliseconds: its clock moves by waits alone. */
  readonly waits: readonly number[];
  readonly session: Session;
}

/** `answers` come in order, and the last one repeats. Without any, every answer is an empty page. */
export function stubSession(answers: readonly Answer[] = [], settings: object = {}, others: object = {}): StubSession {
  const planned: PlannedRequest[] = [];
  const exchanges: Exchange[] = [];
  const waits: number[] = [];
  let now = 0;
  function send(request: PlannedRequest): Promise<Exchange> {
    const answer = answers[Math.min(planned.length, answers.length - 1)];
    planned.push(request);
    const { method = 'GET', body = '', contentType = '', operation, target } = request;
    const exchange: Partial<Exchange> = {
      number: planned.length,
      operation,
      credential: (request.credential ?? validKey('key-of-the-run')).shown,
      request: { method, target, body, headers: { 'content-type': contentType } },
      response: { status: 200, headers: {}, body: '[]', ...answer },
      endedAt: 0,
    };
    exchanges.push(exchange as Exchange);
    return Promise.resolve(exchange as Exchange);
  }
  const session = {
    settings: {
      baseUrl: 'http://target/v1',
      isReadOnly: false,
      categoryIds: [],
      today: Date.UTC(2026, 10, 21),
      settleMs: 2_000,
      maxWaitMs: 75_000,
      ...settings,
    },
    keys: { api: 'key-of-the-run' },
    exchanges,
    newName: () => `cf-abc123-0${planned.length}`,
    random: () => 0.5,
    clock: { now: () => now },
    enter: () => undefined,
    wait: async (ms: number) => {
      now += ms;
      waits.push(now);
    },
    redact: (text: string) => text.replaceAll('key-of-the-run', '[key]'),
    budget: { requestsLeft: () => 100, creationsLeft: () => 0 },
    send,
    sendOnce: send,
    ...others,
  };
  return { planned, waits, session: session as unknown as Session };
}
