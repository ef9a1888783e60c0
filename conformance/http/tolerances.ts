/** Every time constant of the kit, with the reason for its value; option-table.ts has the defaults of options. */

export const secondMs = 1_000;
export const minuteMs = 60 * secondMs;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

// Clocks and whole seconds.

/** X-RateLimit-Reset and Date are whole seconds: one of them may be rounded up and the other down. */
export const roundingMs = 2 * secondMs;
/** A wait that is computed from whole seconds that are both rounded down may end this much too early. */
export const roundedDownMs = secondMs;
/** The wait for the end of a refusal: `roundedDownMs`, and some milliseconds for the way there. */
export const refusalMarginMs = 1_050;
/** The longest time to a reset within one minute, as whole seconds may show it. */
export const longestMinuteMs = minuteMs + roundingMs;
/** The same within one hour. */
export const longestHourMs = hourMs + roundingMs;
/** The clock of a gateway may differ from the service's by this much. */
export const gatewayDateMs = 10 * secondMs;

// Rate limits.

/** From this age on, a sliding window of a minute may have dropped the first requests of the run: a minute less rounding. */
export const slidingWindowAgeMs = minuteMs - roundingMs;
/** X-RateLimit-Reset is refuted only if it lay at least this far ahead when the limit was given back. */
export const leastEarlyResetMs = 30 * secondMs;
/** Retry-After may be too long by this much, such as a fixed hour; one in milliseconds is too long by more. */
export const longestOverstatementMs = hourMs;
/** §8 does not say how long a ban lasts. A Reset in any unit other than seconds lies farther ahead than this. */
export const longestBanMs = 366 * dayMs;
/** The waits after refusals in a row that name no wait, or whose wait was kept and did not help. */
export const refusedWaitsMs = [1, 2, 4, 8, 16, 32, 60].map((seconds) => seconds * secondMs);
/** A shorter wait, such as one for the distance between requests, is not reported: there might be a line for each of them. */
export const leastReportedWaitMs = secondMs;
/** A budget is raised only if its further requests take no longer than this, so that the user hardly notices. */
export const longestRaiseMs = 15 * secondMs;

// Outages.

/** A request that met an outage is repeated after these waits, or after Retry-After; the last one recurs. */
export const unansweredWaitsMs = [100, secondMs, 2 * secondMs, 4 * secondMs, 8 * secondMs] as const;
/** A request that keeps failing this long is the cause itself: the first four waits, with a margin for early timers. */
export const persistentFailureMs = 7 * secondMs - 100;
/** A longer outage ends the run: a restart of a service rarely takes longer. */
export const longestOutageMs = minuteMs;
/** The same before the first answer, when the address is likely wrong. */
export const longestOutageAtStartMs = 16 * secondMs;

// Copies in caches.

/** A cache that shows neither Age nor max-age may hold copies for this long: a minute, and the rounding of seconds. */
export const longestCopyMs = longestMinuteMs;
/** A cache that answers with an old copy and refreshes it in the background has the new one after this long. */
export const refreshMs = secondMs;
/** When claims and pacts ask again for what seems missing; claims ask at `longestCopyMs` in place of the last time. */
export const askAgainAtMs = [5 * secondMs, 15 * secondMs, 30 * secondMs] as const;

// Clients under test.

/** Timers may fire this early, and clocks are read in whole milliseconds. */
export const earlyTimerMs = 30;
/** A request that leaves this soon after a refusal may have been under way. */
export const underWayMs = 400;
/** The same for the service that bans clients, which counts from its answer. */
export const underWayAtServiceMs = 300;
/** Waits of a client that differ by no more than this are equal: on a busy machine timers are late by as much. */
export const equalWaitsMs = 200;
/** The wait that a refusing legal service asks for: the shortest that Retry-After can express. */
export const shortRetryAfterMs = secondMs;
/** The wait that a legal service asks for in order to exceed the pause that a client makes in any case. */
export const longRetryAfterMs = 5 * secondMs;
/** How long the banning legal service bans: clearly longer than the wait it asked for. */
export const shortBanMs = 3 * secondMs;
/** How late the lagging legal service shows an animal: long enough that a client without patience misses it. */
export const shortLagMs = 400;
/** How long a slow legal service delays each response: a request that is sent meanwhile does not depend on it. */
export const slowAnswerMs = 60;
/** The rest of a client's output arrives within this time after its end; later output is somebody else's. */
export const outputGraceMs = 500;
