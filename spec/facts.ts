/** Numbers, words and dates that the interface fixes and that no schema of openapi.yaml carries. */

export type Plan = 'free' | 'pro' | 'business' | 'enterprise';

/** Requests per minute and per day by plan (§8); those of Enterprise are custom. */
export const planLimits: Readonly<Record<Plan, { readonly perMinute?: number; readonly perDay?: number }>> = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: {},
};

/**
 * getPet is to be removed on 5 December 2030 (§9), of which no time zone is told: from its beginning in the earliest zone
 * on nothing is judged there. Unix milliseconds.
 */
export const removalOfGetPet = Date.UTC(2030, 11, 4, 10);

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
