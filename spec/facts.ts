/** Numbers, words and dates that the interface fixes and that no schema of openapi.yaml carries. */

export type Plan = 'free' | 'pro' | 'business' | 'enterprise';

/** Requests per minute and per day by plan (§8); those of Enterprise are custom. */
export const planLimits: Readonly<Record<Plan, { readonly perMinute?: number; readonly perDay?: number }>> = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: {},
};

/** The day on which getPet is removed (§9). Unix milliseconds of its beginning in UTC. */
export const removalDay = Date.parse('2030-12-05T00:00Z');
/** The interface names no time zone, so judging getPet stops when that day begins in the earliest one (UTC+14). Unix milliseconds. */
export const removalOfGetPet = Date.parse('2030-12-05T00:00+14:00');

/** What an animal may be (§2, §3). */
export const petStatuses = ['available', 'pending', 'sold'] as const;
export type PetStatus = (typeof petStatuses)[number];

/** The answers that §4 lists for each operation, by HTTP status. */
export const documentedStatuses = {
  listPets: [200, 401],
  createPet: [201, 400, 401],
  getPet: [200, 401, 404],
} as const;
/** The operations that the interface shows (§4). */
export type OperationName = keyof typeof documentedStatuses;
