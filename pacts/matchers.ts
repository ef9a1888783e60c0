/** Matchers for the bodies of answers: they claim what the interface promises, and no optional field, code, message or order. */

import type { PetStatus } from '../spec/operations.ts';
import { MatchersV3 } from './pact-js.ts';

/** The values of an animal that the mock server answers. */
export interface PetExample {
  readonly id?: number;
  readonly name?: string;
  readonly categoryId?: number;
  /** Left out, the matcher claims no status: the field is optional (§2). */
  readonly status?: PetStatus | undefined;
}

/** The fields of an object, each a value or a matcher, as `jsonBody` of Pact takes them. */
export type BodyMatcher = Readonly<Record<string, unknown>>;

const { eachLike, integer, regex, string } = MatchersV3;

/** An animal (§2). Its values match by type; a status, if there is one, exactly. */
export function petMatcher({ id = 7, name = 'Rex', categoryId = 1, status }: PetExample = {}): BodyMatcher {
  const pet = { id: integer(id), name: string(name), categoryId: integer(categoryId) };
  // The rules of a list cascade to its entries, where a plain value would match by type.
  return status === undefined ? pet : { ...pet, status: regex(`^${status}$`, status) };
}

/** A page of one or more animals (§4.1), each as `petMatcher` says. A page may be empty unless a provider state brings one. */
export function petsMatcher(pet: PetExample = {}): unknown {
  return eachLike(petMatcher(pet));
}

/** An Error (§2), whose status is that of the answer (§7). */
export function errorMatcher(status: number): BodyMatcher {
  return { code: string('some_code'), message: string('some message'), status };
}
