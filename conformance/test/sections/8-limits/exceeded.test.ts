/** §8: answers beyond the limit, Retry-After, and recovery. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, exchangesOf, failuresIn, failuresOf, heldIn } from './limit-answers.ts';

const kind = 'rate-limit';
const limit = 8;

/** A key that is used up in a few milliseconds of a window that ends at 45 s. */
const usedUp: readonly Answer[] = [7, 6, 5, 4, 3, 2, 1, 0].map((remaining, at) => ({
  kind,
  limit,
  remaining,
  reset: 45,
  at: 1 + at / 100,
}));

function refusal(at: number, change: Partial<Answer> = {}): Answer {
  return { kind, limit, remaining: 0, reset: 45, at, status: 429, retryAfter: 44, ...change };
}

function served(at: number, change: Partial<Answer> = {}): Answer {
  return { kind, limit, remaining: 0, reset: 45, at, ...change };
}

/** The failures of what follows on a key that is used up. */
function after(...answers: readonly Answer[]): readonly string[] {
  return failuresIn([...usedUp, ...answers]).filter((failure) => !failure.startsWith('rate-remaining'));
}

const notRefused = ['rate-exceeded: not-refused'];
const unusable = 'rate-retry-after: unusable';
const stillRefused = ['rate-recovery: still-refused'];

test('every operation is answered 429 beyond the limit', () => {
  assert.equal(after(refusal(2), refusal(2.1, { operation: 'createPet' }), refusal(2.2)), []);
  assert.ok(heldIn([...usedUp, refusal(2)]).includes('rate-exceeded'));
  for (const status of [200, 201, 302, 400, 401, 403, 404]) {
    assert.equal(after(served(2, { status, operation: 'getPet' })), notRefused, String(status));
  }
  assert.ok(after(served(2, { status: 503 })).includes('rate-exceeded: not-refused'));
  assert.equal(after(served(2, { operation: 'getPet' }), refusal(2.1)), notRefused);
  assert.equal(after(refusal(2), served(2.1, { operation: 'createPet', status: 201 })), notRefused);
});

test('a firewall that answers instead of the limit proves nothing', () => {
  const page = { status: 403, target: '/pets?limit=50' };
  const listing: Answer = { kind: 'valid', at: 0.5, limit: 60, remaining: 59, reset: 45, target: page.target };
  const failures = (...banned: readonly Answer[]): readonly string[] =>
    failuresOf(
      exchangesOf([listing, ...usedUp, ...banned]).map((exchange) => {
        const { status = 0, headers = {} } = exchange.response ?? {};
        const type = status === 403 ? 'text/html' : 'application/json';
        return { ...exchange, response: { status, headers: { ...headers, 'content-type': type }, body: '<p>' } };
      }),
    );
  assert.equal(failures({ ...page, kind, at: 2 }), []);
});

test('a client that continues after a 429 may be banned, by 401, 403 or a longer 429', () => {
  for (const status of [401, 403]) assert.equal(after(refusal(2), served(2.1, { status })), []);
  assert.equal(after(refusal(2), refusal(2.1, { reset: 864_000, retryAfter: 864_000 })), []);
  assert.equal(after(refusal(2), served(2.1, { status: 404 })), notRefused);
});

test('a ban may follow the refusals of the window before', () => {
  const again = usedUp.map((answer) => ({ ...answer, at: answer.at + 50, reset: 105 }));
  for (const status of [401, 403]) assert.equal(after(refusal(2), ...again, served(52, { status, reset: 105 })), []);
  assert.equal(after(refusal(2), ...again, served(52, { status: 404, reset: 105 })), notRefused);
});

test('a bucket may serve what it has refilled since nothing remained', () => {
  const bucket = usedUp.map((answer, at) => ({ ...answer, reset: 8 * (at + 1) }));
  const late = served(16, { reset: 64 });
  assert.equal(failuresIn([...bucket, late]), []);
});

test('a bucket behind headers of the day may refill after a 429', () => {
  const ofTheDay = { limit: 1_000, reset: 40_000 };
  const answers = usedUp.map((answer, at) => ({ ...answer, ...ofTheDay, remaining: 990 - at }));
  const refused = refusal(2, { ...ofTheDay, remaining: 983, retryAfter: 1 });
  assert.equal(failuresIn([...answers, refused, served(2.6, { ...ofTheDay, remaining: 982 })]), []);
});

test('a new window serves again', () => {
  assert.equal(after(served(46, { remaining: 7, reset: 105 })), []);
  assert.equal(after(served(44.5, { remaining: 7, reset: 105 })), []);
  assert.equal(after(served(40, { remaining: 0, reset: 45 })), notRefused);
});

test('no 429 comes before the limit, unless others use the key or the headers describe another window', () => {
  const early = ['rate-exceeded: refused-early'];
  assert.equal(failuresIn([...usedUp.slice(0, 5), refusal(2)]), early);
  assert.equal(failuresIn([...usedUp.slice(0, 5), refusal(2, { retryAfter: 36_000 })]), []);
  assert.equal(failuresIn([...usedUp.slice(0, 5), refusal(2, { limit: 60 })]), []);
  assert.equal(failuresIn([...usedUp.slice(0, 5), refusal(2, { reset: 105 })]), []);
  const ofTheDay = usedUp.map((answer) => ({
    ...answer,
    limit: 1_000,
    remaining: 900 + Number(answer.remaining),
    reset: 40_000,
  }));
  assert.equal(failuresIn([...ofTheDay, refusal(2, { limit: 1_000, remaining: 900, reset: 40_000 })]), []);
  const withOthers = [7, 6, 2].map((remaining, at) => ({ ...usedUp[at]!, remaining }));
  assert.equal(failuresIn([...withOthers, refusal(2)]), []);
  const notFresh = usedUp.slice(4, 7);
  assert.equal(failuresIn([...notFresh, refusal(2)]), []);
  assert.equal(failuresIn([...usedUp.slice(0, 6), refusal(2)]), early);
});

test('another client may use the key once, which shows as one refusal that comes one request early', () => {
  const again = usedUp.map((answer) => ({ ...answer, at: answer.at + 60, reset: 105 }));
  const second = refusal(62, { reset: 105 });
  const early = 'rate-exceeded: refused-early';
  assert.equal(failuresIn([...usedUp.slice(0, 7), refusal(2)]), []);
  assert.equal(failuresIn([...usedUp.slice(0, 7), refusal(2), ...again, second]), []);
  assert.equal(failuresIn([...usedUp, refusal(2), ...again.slice(0, 7), second]), []);
  // A service that refuses each last request does so every time.
  assert.equal(failuresIn([...usedUp.slice(0, 7), refusal(2), ...again.slice(0, 7), second]), [early, early]);
});

test('a 429 shows the limit that is used up, and none left', () => {
  const differs = ['rate-limit-header: differs-with-429'];
  assert.equal(after(refusal(2, { limit: 0 })), differs);
  assert.equal(after(refusal(2), refusal(2.1, { limit: 1_000 })), differs);
  assert.equal(after(refusal(2), refusal(2.1, { remaining: 3 })), ['rate-exceeded: refused-early']);
  // Another limit may refuse, with a reset of its own.
  assert.equal(after(refusal(2, { limit: 60, reset: 3 })), []);
  assert.equal(after(refusal(2, { limit: 60, reset: 46 })), []);
  assert.equal(failuresIn([...usedUp.slice(0, 5), refusal(2, { limit: 60 })]), []);
});

test('a window serves no more requests than its limit', () => {
  const beyond = ['rate-remaining-falls: stays'];
  const more = (count: number, apart: number, change: Partial<Answer> = {}): readonly Answer[] =>
    Array.from({ length: count }, (_nothing, at) => {
      return { kind, limit, remaining: Math.max(1, limit - at), reset: 45, at: 1 + at * apart, ...change } as const;
    });
  const exceeding = (answers: readonly Answer[]): readonly string[] => failuresIn(answers);
  assert.equal(exceeding(more(9, 0.01)), beyond);
  assert.equal(exceeding(more(8, 0.01)), []);
  assert.equal(exceeding(more(9, 1)), beyond);
  assert.equal(exceeding(more(11, 0.8)), beyond);
  assert.equal(exceeding(more(9, 0.01, { reset: 2 })), []);
  assert.equal(exceeding(more(9, 0.01, { status: 404, operation: 'getPet' })), []);
});

test('the key is judged again after its recovery', () => {
  const again = usedUp.map((answer) => ({ ...answer, at: answer.at + 60, reset: 105 }));
  const second = (at: number, change: Partial<Answer> = {}): Answer => refusal(at, { reset: 105, ...change });
  assert.equal(after(refusal(2), ...again, second(62)), []);
  assert.equal(after(refusal(2), ...again, served(62, { reset: 105 })), notRefused);
  assert.equal(after(refusal(2), ...again.slice(0, 5), second(62)), ['rate-exceeded: refused-early']);
  // Errors in between may have counted.
  const errors = [3, 2, 1].map((at) =>
    served(61 + at / 10, { status: 404, operation: 'getPet', reset: 105, remaining: at - 1 }),
  );
  assert.equal(after(refusal(2), ...again.slice(0, 5), ...errors, second(62)), []);
});

test('a key that other clients use at one time may be used by them at any other', () => {
  const again = usedUp.slice(0, 7).map((answer) => ({ ...answer, at: answer.at + 60, reset: 105 }));
  const second = refusal(62, { reset: 105 });
  assert.equal(failuresIn([...usedUp, refusal(2), ...again.slice(0, 6), second]), ['rate-exceeded: refused-early']);
  assert.equal(failuresIn([usedUp[7]!, refusal(2), ...again, second]), []);
  assert.equal(failuresIn([refusal(1), ...again, second]), []);
  // Their use shows although each answer has another reset, and also where it shows later.
  const moving = [7, 6, 3, 2].map((remaining, at) => ({ ...usedUp[at]!, remaining, reset: 61 + at, at: 1 + at }));
  assert.equal(failuresIn([...moving, refusal(5, { reset: 64 })]), []);
  const usedLater = usedUp.slice(3).map((answer) => ({ ...answer, at: answer.at + 60, reset: 105 }));
  assert.equal(failuresIn([...usedUp.slice(0, 7), refusal(2), ...usedLater]), []);
  assert.equal(after(refusal(2), again[0]!, { ...second, at: 61.5 }), ['rate-exceeded: refused-early']);
  assert.equal(failuresIn([usedUp[7]!, refusal(2), again[0]!, { ...second, at: 61.5 }]), []);
});

test('a sliding window may serve again what other clients used before the run', () => {
  const sliding = usedUp.slice(3).map((answer) => ({ ...answer, reset: 61 }));
  const later = (count: number): readonly Answer[] =>
    [2, 2.1, 2.2, 2.3, 2.4].slice(0, count).map((at) => served(at, { reset: 62, operation: 'getPet' }));
  const inWindow = usedUp.slice(2).map((answer) => ({ ...answer, reset: 61 }));
  const exceeding = (answers: readonly Answer[]): readonly string[] =>
    failuresIn(answers).filter((failure) => failure.startsWith('rate-exceeded'));
  assert.equal(exceeding([...inWindow, ...later(2)]), []);
  assert.equal(exceeding([...inWindow, ...later(5)]), notRefused);
  assert.equal(exceeding([...sliding, ...later(3)]), []);
  assert.equal(exceeding([...usedUp.slice(2), served(2), served(2.1), served(2.2)]), notRefused);
});

test('every 429 has a Retry-After, up to those after which a ban may follow', () => {
  assert.equal(after(refusal(2, { retryAfter: 'soon' })), [unusable]);
  const second = refusal(2.1);
  const withoutTime = { ...refusal(2.2), retryAfter: undefined } as unknown as Answer;
  assert.equal(after(refusal(2), withoutTime), [unusable]);
  assert.equal(after(refusal(2), second, withoutTime), [unusable]);
  assert.equal(after(refusal(2), second, refusal(2.1), withoutTime), []);
  assert.ok(heldIn([...usedUp, refusal(2)]).includes('rate-retry-after'));
});

test('a Retry-After of more than a day warns, unless a ban may have followed', () => {
  const tooLong = ['rate-retry-after-length: beyond-a-day'];
  assert.equal(after(refusal(2, { retryAfter: 86_401 })), tooLong);
  assert.equal(after(refusal(2, { retryAfter: 'Sat, 28 Nov 2026 12:00:00 GMT' })), tooLong);
  assert.equal(after(refusal(2, { retryAfter: 86_400 })), []);
  assert.equal(after(refusal(2), refusal(2.1, { retryAfter: 864_000 })), []);
});

test('a client that has waited for Retry-After and Reset is served again', () => {
  assert.ok(heldIn([...usedUp, refusal(2), served(47, { remaining: 7, reset: 105 })]).includes('rate-recovery'));
  assert.equal(after(refusal(2), refusal(47)), stillRefused);
  // The reset has not come yet.
  assert.equal(after(refusal(2, { retryAfter: 5 }), refusal(10)), []);
  assert.equal(after(refusal(2, { retryAfter: 60 }), refusal(47)), []);
  assert.equal(after(refusal(2), refusal(2.1, { retryAfter: 100 }), refusal(47)), []);
});

test('other clients may exhaust a new window once, and always if they used the key before', () => {
  const again = refusal(47, { reset: 105, retryAfter: 58 });
  const once = refusal(107, { reset: 165 });
  assert.equal(after(refusal(2), again), []);
  assert.equal(after(refusal(2), again, once), stillRefused);
  assert.equal(after(refusal(2), again, served(107, { remaining: 7, reset: 165 })), []);
  const withOthers = [...usedUp.slice(2), refusal(2), again, once];
  assert.equal(failuresIn(withOthers), []);
});

test('a Retry-After date is only judged if a Date header shows the clock', () => {
  const change = { retryAfter: 'Sat, 21 Nov 2026 12:00:45 GMT', dateAhead: 'none' } as const;
  assert.equal(after(refusal(2, change), refusal(47, change)), []);
  // The Date may be a gateway's, whose clock may be half a minute ahead.
  assert.equal(after(refusal(2, { ...change, dateAhead: 0 }), refusal(74)), []);
  assert.equal(after(refusal(2, { ...change, dateAhead: 0 }), refusal(75.5)), stillRefused);
});

test('a key that is refused from the start shows no limit', () => {
  assert.equal(heldIn([refusal(1), refusal(2)]).includes('rate-exceeded'), false);
  assert.equal(
    heldIn([refusal(1), ...usedUp.map((answer) => ({ ...answer, at: answer.at + 1 }))]).includes('rate-exceeded'),
    false,
  );
  assert.equal(
    failuresIn([
      { ...usedUp[0]!, status: 403 },
      { ...usedUp[0]!, status: 403 },
    ]),
    [],
  );
});

test('a 429 whose Reset has passed contradicts the answers before it and its own Retry-After', () => {
  assert.equal(after(refusal(5, { reset: -20 })), ['rate-reset-header: in-the-past']);
  // A bucket may say there when it serves the next request, by the clock of a service behind that of its gateway.
  assert.equal(after(refusal(5, { reset: 6, retryAfter: 60 })), []);
  assert.equal(after(refusal(5, { reset: -20, retryAfter: 1 })), []);
  const behind = usedUp.map((answer) => ({ ...answer, reset: -18 }));
  assert.equal(failuresIn([...behind, refusal(5, { reset: -20 })]), []);
});

/** The first refusal says so many seconds, and the key is served or refused again later. */
function toldToWait(retryAfter: number | string, at: number, change: Partial<Answer> = {}): readonly string[] {
  return after(refusal(2, { retryAfter }), served(at, { remaining: 7, reset: 105, ...change }));
}

test('a key that is served again an hour before Retry-After ends refutes it, as milliseconds and hours are refuted', () => {
  for (const seconds of [43_000, 7_200]) assert.equal(toldToWait(seconds, 47), ['rate-retry-after: served-sooner']);
  for (const seconds of [60, 300, 3_600]) assert.equal(toldToWait(seconds, 47), []);
  // Another client uses the key, too, or another limit than the one that is used up refused it.
  const others = [{ ...usedUp[0]!, remaining: 5 }, ...usedUp.slice(3)];
  const back = served(47, { remaining: 7, reset: 105 });
  assert.equal(failuresIn([...others, refusal(2, { retryAfter: 7_200 }), back]), []);
  assert.equal(failuresIn([...usedUp.slice(0, -1), refusal(2, { retryAfter: 7_200 }), back]), []);
});

test('a Retry-After of 0 is refuted by a 429 two seconds later, long before the reset', () => {
  const again = { status: 429, remaining: 0, reset: 45, retryAfter: 0 };
  assert.equal(toldToWait(0, 5, again), ['rate-retry-after: refused-later']);
  assert.equal(toldToWait(1, 5, again), []);
  assert.equal(toldToWait(0, 3.9, again), []);
  assert.equal(toldToWait(0, 44, again), []);
  const past = new Date(Date.UTC(2026, 10, 21, 11, 59, 50)).toUTCString();
  assert.equal(toldToWait(past, 5, again), []);
});

test.run();
