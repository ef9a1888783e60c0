/** Legal ways to limit and to count, and to tell of it. */

import type { StoreRequest, StoreResponse } from '../../../reference-server/index.ts';
import { apiKey, changeAnswer, errorAnswer, headerOf, limitKey, type Wrap, withHeader, withKey } from '../fault.ts';

function isApiKey(request: StoreRequest): boolean {
  return headerOf(request, 'authorization') === `Bearer ${apiKey}`;
}

function isLimitKey(request: StoreRequest): boolean {
  return headerOf(request, 'authorization') === `Bearer ${limitKey}`;
}

/** A bucket that fills by one request every `1/rate` of a minute, instead of a window. */
export function bucket(size: number): Wrap {
  return (handle) => {
    let tokens = size;
    let at = 0;
    return (request, now) => {
      tokens = Math.min(size, tokens + ((now - at) * size) / 60_000);
      at = now;
      const answer = handle(request, now);
      if (!isApiKey(request)) return answer;
      tokens = Math.max(0, tokens - 1);
      const reset = Math.ceil((now + ((size - tokens) * 60_000) / size) / 1000);
      const limited = withHeader(answer, 'X-RateLimit-Limit', String(size));
      return withHeader(
        withHeader(limited, 'X-RateLimit-Remaining', String(Math.floor(tokens))),
        'X-RateLimit-Reset',
        String(reset),
      );
    };
  };
}

/** Reset is a minute from each answer on. */
export const resetFromNow: Wrap = changeAnswer((answer, { now }) =>
  withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(now / 1000) + 60)),
);

/** Only what succeeds is counted. */
export const countsSuccessOnly: Wrap = (handle) => {
  let failed = 0;
  return (request, now) => {
    const answer = handle(request, now);
    if (!isApiKey(request) || answer.status === 429) return answer;
    if (answer.status >= 400) failed += 1;
    const remaining = Number(answer.headers['X-RateLimit-Remaining']) + failed;
    const limit = Number(answer.headers['X-RateLimit-Limit']);
    return withHeader(answer, 'X-RateLimit-Remaining', String(Math.min(limit, remaining)));
  };
};

/** Refuses more than 60 requests a minute from an address without a valid key. */
export const refusesAddresses: Wrap = (handle) => {
  let count = 0;
  let minute = 0;
  return (request, now) => {
    const answer = handle(request, now);
    if (answer.status !== 401) return answer;
    const at = Math.floor(now / 60_000);
    count = at === minute ? count + 1 : 1;
    minute = at;
    const told = withHeader(answer, 'X-RateLimit-Remaining', String(Math.max(0, 60 - count)));
    return count <= 60
      ? told
      : { ...withHeader(told, 'Retry-After', String(60 - (Math.floor(now / 1000) % 60))), status: 429 };
  };
};

/** Five requests are left of the day, of which the headers say nothing. */
export const spentDay: Wrap = (handle) => {
  let count = 0;
  return (request, now) => {
    const answer = handle(request, now);
    if (!isLimitKey(request)) return answer;
    count += 1;
    return count <= 5 ? answer : withHeader(errorAnswer(429, answer), 'Retry-After', '36000');
  };
};

/** Others have used up each new minute of the rate-limit key before it is asked with. */
export const heavyUse: Wrap = (handle) => {
  let minute: number | undefined;
  return (request, now) => {
    const at = Math.floor(now / 60_000);
    const isLater = isLimitKey(request) && minute !== undefined && at > minute;
    for (let others = 0; isLater && others < 8; others += 1) handle(request, now);
    const answer = handle(request, now);
    if (isLimitKey(request) && answer.status === 429) minute ??= at;
    return answer;
  };
};

/** A window that slides over what the same client sent before the run, with a reset that is always a minute ahead. */
export const usedBefore: Wrap = (handle) => {
  let hasBegun = false;
  const told = changeAnswer((answer, { now }) =>
    withHeader(answer, 'X-RateLimit-Reset', String(Math.round(now / 1000) + 60)),
  );
  return (request, now) => {
    const earlier = withKey({ ...request, method: 'GET', target: '/v1/pets?limit=1', body: new Uint8Array() });
    for (let ago = 59_900; ago > 0 && !hasBegun; ago -= 100) handle(earlier, now - ago);
    hasBegun = true;
    return told(handle)(request, now);
  };
};

/** Says when to come back in another form of dates. */
export function retryAfter(write: (date: Date) => string): Wrap {
  return changeAnswer((answer, { now }) => {
    const seconds = Number(answer.headers['Retry-After']);
    const date = new Date(now + seconds * 1_000);
    return answer.status === 429 ? withHeader(answer, 'Retry-After', write(date)) : undefined;
  });
}

export function rfc850(date: Date): string {
  const [, day = '', month = '', year = '', time = ''] = date.toUTCString().split(/,? /);
  const weekday = date.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  return `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
}

export function asctime(date: Date): string {
  const [weekday, day = '', month, year, time] = date.toUTCString().split(/,? /);
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
}

export function withDate(answer: StoreResponse, time: number): StoreResponse {
  return withHeader(answer, 'Date', new Date(time).toUTCString());
}
