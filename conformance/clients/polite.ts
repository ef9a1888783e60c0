/** A way to ask that keeps every requirement about clients, but for the habits that an example changes. */

import { setTimeout as sleep } from 'node:timers/promises';
import { firstBackoffMs } from '../http/tolerances.ts';
import type { ClientEnvironment } from './attempt.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Question {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path?: string;
  /** A text is sent as it is, all else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Habits {
  /** How long it waits after a refusal, milliseconds; undefined gives up. `attempt` counts from 1. */
  readonly patience: (retryAfter: string, attempt: number) => number | undefined;
  /** How long it waits after an answer, milliseconds. */
  readonly heed: (answer: Answer) => number;
  /** How the key is sent. */
  readonly credential: (key: string) => Readonly<Record<string, string>>;
  /** What is looked at in a refusal. */
  readonly look: (refusal: Answer) => void;
}

export type Ask = (question?: Question) => Promise<Answer>;

const mostAttempts = 5;

/** What Retry-After asks for, milliseconds. */
export function askedWait(retryAfter: string): number {
  return /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - Date.now();
}

export const politeHabits: Habits = {
  patience: (retryAfter, attempt) =>
    attempt > mostAttempts ? undefined : Math.max(askedWait(retryAfter), 0) + firstBackoffMs * 2 ** (attempt - 1),
  heed: ({ headers }) =>
    headers.get('x-ratelimit-remaining') === '0' ? Number(headers.get('x-ratelimit-reset')) * 1000 - Date.now() : 0,
  credential: (key) => ({ authorization: `Bearer ${key}` }),
  look: () => undefined,
};

function bodyOf(body: unknown): Pick<RequestInit, 'body' | 'headers'> {
  if (body === undefined) return {};
  return {
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  };
}

export function createAsk({ baseUrl, key }: ClientEnvironment, changes: Partial<Habits> = {}): Ask {
  const { patience, heed, credential, look } = { ...politeHabits, ...changes };

  async function send({ method, path = '/pets', body, headers = {} }: Question): Promise<Answer> {
    const { headers: typed, ...rest } = bodyOf(body);
    const response = await fetch(baseUrl + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      ...rest,
      headers: { ...typed, ...credential(key), ...headers } as Record<string, string>,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  return async (question = {}) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await send(question);
      if (answer.status !== 429) {
        await sleep(Math.max(0, heed(answer)));
        return answer;
      }
      look(answer);
      const waitMs = patience(answer.headers.get('retry-after') ?? '', attempt);
      if (waitMs === undefined) throw new Error('refused for the number of requests');
      await sleep(Math.max(0, waitMs));
    }
  };
}

/** An animal as these examples read it. */
export interface ReadPet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status?: string;
}

export function petsIn({ text }: Answer): readonly ReadPet[] {
  return JSON.parse(text) as ReadPet[];
}

export function petIn({ text }: Answer): ReadPet {
  return JSON.parse(text) as ReadPet;
}

/** The digits of the id in an answer that is one animal. */
export function idTextIn({ text }: Answer): string {
  return /"id"\s*:\s*(-?\d+)/.exec(text)?.[1] ?? 'none';
}

/** Fails as a test of a consumer does. */
export function expect(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`expected ${what}`);
}

/** An animal that any service takes; `mark` keeps names apart. */
export function newPet({ categoryId }: ClientEnvironment, mark = 'Rex', status = 'available') {
  return { name: mark, categoryId: Number(categoryId), status };
}
