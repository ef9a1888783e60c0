/** Legal ways to limit and count requests, and to describe that in headers. */

import type { StoreResponse } from '../../../reference-server/index.ts';
import { withLimitHeaders } from '../../sections/8-limits/limiters.ts';
import {
  apiKey,
  changeAnswer,
  errorAnswer,
  harmless,
  hasKey,
  headerNumber,
  limitKey,
  readCall,
  type Wrap,
  withHeader,
  withKey,
} from '../../sections/fault.ts';

/** A bucket that refills evenly within a minute, instead of a window. */
export function bucket(size: number): Wrap {
  return (handle) => {
    let tokens = size;
    let at = 0;
    return (request, now) => {
      tokens = Math.min(size, tokens + ((now - at) * size) / 60_000);
      at = now;
      const answer = handle(request, now);
      if (!hasKey({ request }, apiKey)) return answer;
      tokens = Math.max(0, tokens - 1);
      const resetsAt = now + ((size - tokens) * 60_000) / size;
      return withLimitHeaders(answer, { limit: size, remaining: Math.floor(tokens), resetsAt });
    };
  };
}

/** Reset is a minute after each answer. */
export const resetFromNow: Wrap = changeAnswer((answer, { now }) =>
  withHeader(answer, 'X-RateLimit-Reset', String(Math.ceil(now / 1000) + 60)),
);

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
    const limited = withHeader(answer, 'X-RateLimit-Remaining', String(Math.max(0, 60 - count)));
    return count <= 60
      ? limited
      : { ...withHeader(limited, 'Retry-After', String(60 - (Math.floor(now / 1000) % 60))), status: 429 };
  };
};

/** Counts each request at first, and refunds a failed one with the next request. */
export const forgetsFailures: Wrap = (handle) => {
  let window: string | undefined;
  let [forgotten, pending] = [0, 0];
  return (request, now) => {
    const answer = handle(request, now);
    if (!hasKey({ request }, apiKey) || answer.status === 429) return answer;
    if (answer.headers['X-RateLimit-Reset'] !== window) [forgotten, pending] = [0, 0];
    window = answer.headers['X-RateLimit-Reset'];
    [forgotten, pending] = [forgotten + pending, answer.status >= 400 ? 1 : 0];
    const left = Number(answer.headers['X-RateLimit-Remaining']) + forgotten;
    return withHeader(answer, 'X-RateLimit-Remaining', String(left));
  };
};

/** Both keys share the limit of their account: while one is refused, so is the other. */
export const sharedRefusal: Wrap = (handle) => {
  let [refusal, until]: [StoreResponse | undefined, number] = [undefined, 0];
  return (request, now) => {
    const { isAuthorized } = readCall(request, now);
    if (refusal !== undefined && now < until && isAuthorized) return refusal;
    const answer = handle(request, now);
    if (answer.status === 429) [refusal, until] = [answer, headerNumber(answer, 'X-RateLimit-Reset') * 1_000];
    return answer;
  };
};

function refuse(status: number, answer: StoreResponse): StoreResponse {
  return withHeader(errorAnswer(status, answer), 'WWW-Authenticate', status === 401 ? 'Bearer' : undefined);
}

/** Bans a key for ten days after its first refusal. */
export function bansAtOnce(status: 401 | 403 | 429): Wrap {
  return (handle) => {
    let isBanned = false;
    return (request, now) => {
      const answer = handle(request, now);
      if (answer.status !== 429 && !(isBanned && hasKey({ request }, limitKey))) return answer;
      const refusal = isBanned ? withHeader(refuse(status, answer), 'Retry-After', '864000') : answer;
      const reset = Math.ceil(now / 1000) + 864_000;
      const changed = isBanned ? withHeader(refusal, 'X-RateLimit-Reset', String(reset)) : refusal;
      isBanned = true;
      return changed;
    };
  };
}

/** Refuses the rate-limit key from the start: for another reason than its limit, or because others have exhausted it. */
export function refusesLimitKey(status: 401 | 403 | 429, forMs = Number.POSITIVE_INFINITY): Wrap {
  return (handle) => {
    let until: number | undefined;
    return (request, now) => {
      if (!hasKey({ request }, limitKey)) return handle(request, now);
      until ??= now + forMs;
      if (now >= until) return handle(request, now);
      const answer = handle(harmless(request), now);
      return withHeader(refuse(status, answer), 'Retry-After', status === 429 ? '40' : undefined);
    };
  };
}

/** A Retry-After that ends before the reset. */
export function comesBackSooner(retryAfterOf: (now: number) => string): Wrap {
  return changeAnswer((answer, { now }) =>
    answer.status === 429 ? withHeader(answer, 'Retry-After', retryAfterOf(now)) : undefined,
  );
}

/** Five requests remain of the day's limit, which the headers do not describe. */
export const spentDay: Wrap = (handle) => {
  let count = 0;
  return (request, now) => {
    if (!hasKey({ request }, limitKey)) return handle(request, now);
    count += 1;
    if (count <= 5) return handle(request, now);
    const answer = handle(harmless(request), now);
    return withHeader(errorAnswer(429, answer), 'Retry-After', '36000');
  };
};

/** Other clients use the rate-limit key as well: a little at first, and all of each new minute before the run does. */
export const heavyUse: Wrap = (handle) => {
  let minute: number | undefined;
  return (request, now) => {
    const at = Math.floor(now / 60_000);
    const theirs = harmless(request);
    const count = minute === undefined ? 1 : at > minute ? 8 : 0;
    for (let others = 0; hasKey({ request }, limitKey) && others < count; others += 1) handle(theirs, now);
    if (hasKey({ request }, limitKey)) minute ??= at;
    return handle(request, now);
  };
};

/** A sliding window that holds requests from before the run, with a reset that is always a minute ahead. */
export const usedBefore: Wrap = (handle) => {
  let hasBegun = false;
  const showsReset = changeAnswer((answer, { now }) =>
    withHeader(answer, 'X-RateLimit-Reset', String(Math.round(now / 1000) + 60)),
  );
  return (request, now) => {
    const earlier = withKey(harmless(request));
    for (let ago = 59_900; ago > 0 && !hasBegun; ago -= 100) handle(earlier, now - ago);
    hasBegun = true;
    return showsReset(handle)(request, now);
  };
};

/** Writes Retry-After as a date. */
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
