/** Builds Pact matchers that claim exactly what the interface promises: no optional field, code, message or order. */

import type { PetStatus } from '../spec/operations.ts';

// The library reports its use to its makers unless this variable is set before it is loaded.
process.env['PACT_DO_NOT_TRACK'] = 'true';
export const { MatchersV3, PactV4 } = await import('@pact-foundation/pact');

const { eachLike, integer, regex, string } = MatchersV3;

/** An animal (§2) with the values that a mock server answers; those in `known` must match exactly, the others by type. */
export function petLike(
  known: Readonly<Record<string, unknown>> = {},
  { id = 7, name = 'Rex', categoryId = 1 }: Readonly<{ id?: number; name?: string; categoryId?: number }> = {},
): unknown {
  return { id: integer(id), name: string(name), categoryId: integer(categoryId), ...known };
}

/** An Error (§2), whose status is that of the answer (§7). */
export function errorLike(status: number): unknown {
  return { code: string('some_code'), message: string('some message'), status };
}

/** A page in which every animal has the known status. The rules of a list cascade, so a plain value would match by type. */
export function pageLike(status: PetStatus | undefined): unknown {
  return eachLike(petLike(status === undefined ? {} : { status: regex(`^${status}$`, status) }));
}

/** The exact value that a provider state injects under a name; a mock server uses the example. */
export function exactly(name: string, example: string | number): unknown {
  return {
    'pact:matcher:type': 'equality',
    'pact:generator:type': 'ProviderState',
    expression: name,
    value: example,
  };
}

const digits = '^\\d+$';

/** Headers of every answer (§8). */
export const rateHeaders = {
  'X-RateLimit-Limit': regex(digits, '60'),
  'X-RateLimit-Remaining': regex(digits, '59'),
  'X-RateLimit-Reset': regex(digits, '1795228800'),
} as const;

export const jsonHeaders = {
  ...rateHeaders,
  'Content-Type': regex('^(?i:application/json)\\s*(;.*)?$', 'application/json'),
} as const;

/** The two forms of Retry-After (§8): seconds, or a date of HTTP. */
export const retryAfter = regex('^(\\d+|[A-Z][a-z]{2,8},? .*)$', '1');
