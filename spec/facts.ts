/** Numbers and dates that the interface fixes and that openapi.yaml has no place for. */

export type Plan = 'free' | 'pro' | 'business' | 'enterprise';

/** The limits of the smallest plan (§8). */
export const freePlan = { perMinute: 60, perDay: 1_000 } as const;

/** Requests per minute and per day by plan (§8); those of Enterprise are custom. */
export const planLimits: Readonly<Record<Plan, { readonly perMinute?: number; readonly perDay?: number }>> = {
  free: freePlan,
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: {},
};

/** The day on which getPet is removed (§9). */
const removalDate = '2030-12-05';
/** Unix milliseconds of the beginning of that day in UTC. */
export const removalDay = Date.parse(`${removalDate}T00:00Z`);
/** That day in a sentence: "5 December 2030". */
export const removalDayInWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(
  removalDay,
);
/** The interface names no time zone, so judging getPet stops when that day begins in the earliest one (UTC+14). Unix milliseconds. */
export const removalOfGetPet = Date.parse(`${removalDate}T00:00+14:00`);
