/** A client that keeps every client requirement, except for the habits that an example changes. */

import type { ClientEnvironment } from '../../clients/client-run.ts';
import type { ExampleEnvironment } from './bench.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface PoliteRequest {
  readonly method?: string;
  readonly path?: string;
  /** A string is sent as it is, any other value as JSON. */
  readonly body?: unknown;
  /** Set to send the body in chunks, without its length. */
  readonly isStreamed?: true;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Habits {
  /** Milliseconds that it waits after a 429; undefined if it gives up. `attempt` counts from 1, `now` is Unix milliseconds. */
  readonly waitAfterRefusal: (retryAfter: string, attempt: number, now: number) => number | undefined;
  /** How long it waits after any other answer, milliseconds. */
  readonly waitAfterAnswer: (answer: Answer, now: number) => number;
}

/** The header of a request without a key. */
export const withoutKey = { authorization: '' };

const politeHabits: Habits = {
  waitAfterRefusal: (retryAfter, attempt, now) => {
    const askedMs = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - now;
    const backoffMs = 250 * 2 ** (attempt - 1);
    return attempt > 5 ? undefined : Math.max(askedMs, 0) + backoffMs;
  },
  waitAfterAnswer: ({ headers }, now) =>
    headers.get('x-ratelimit-remaining') === '0' ? Number(headers.get('x-ratelimit-reset')) * 1000 - now : 0,
};

export function createSend(
  environment: ExampleEnvironment,
  changes: Partial<Habits> = {},
): (request?: PoliteRequest) => Promise<Answer> {
  const { baseUrl, key, fetch, sleep, now } = environment;
  const { waitAfterRefusal, waitAfterAnswer } = { ...politeHabits, ...changes };

  async function sendOnce(request: PoliteRequest): Promise<Answer> {
    const { method, path = '/pets', body, isStreamed, headers = {} } = request;
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const typed = body === undefined ? {} : { 'content-type': 'application/json' };
    const response = await fetch(baseUrl + path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      redirect: 'manual',
      ...(isStreamed ? { body: new Blob([text]).stream(), duplex: 'half' } : { body: text ?? null }),
      headers: { ...typed, authorization: `Bearer ${key}`, ...headers } as Record<string, string>,
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  return async (request = {}) => {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await sendOnce(request);
      if (answer.status !== 429) {
        await sleep(waitAfterAnswer(answer, now()));
        return answer;
      }
      const waitMs = waitAfterRefusal(answer.headers.get('retry-after') ?? '', attempt, now());
      if (waitMs === undefined) throw new Error('429 until it gave up');
      await sleep(waitMs);
    }
  };
}

/** An animal as these examples read it: JSON.parse rounds large ids. */
interface ReadPet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status?: string;
}

export const readPet = ({ text }: Answer): ReadPet => JSON.parse(text);
export const readPets = ({ text }: Answer): readonly ReadPet[] => JSON.parse(text);

/** The digits of the id in an answer with one animal. */
export function readIdText({ text }: Answer): string {
  let id = 'none';
  const read = (field: string, _value: unknown, context?: { readonly source?: string }): void => {
    if (field === 'id') id = context?.source ?? id;
  };
  JSON.parse(text, read as (field: string, value: unknown) => unknown);
  return id;
}

/** Fails as an assertion in the test suite of a consumer does. */
export function expect(isMet: boolean, expectation: string): void {
  if (!isMet) throw new Error(`expected ${expectation}`);
}

/** An animal that every service accepts. */
export function newPet({ categoryId }: ClientEnvironment, name = 'Rex', status = 'available') {
  return { name, categoryId: Number(categoryId), status };
}
