/** Reads the body of createPet: a NewPet (§2), or why it is none. */

import type { Behaviour } from './behaviour.ts';
import { isObject, type JsonValue, parseJson, readDecimal } from './json.ts';
import { isPetStatus, type NewPet } from './pet.ts';

/** Either the animal, or one sentence on what is wrong with the body. */
export type Reading = { readonly pet: NewPet } | { readonly problem: string };

const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(body: Uint8Array): string | undefined {
  try {
    return decoder.decode(body);
  } catch {
    return undefined;
  }
}

const known: ReadonlySet<string> = new Set(['name', 'categoryId', 'status']);

/** Reads the fields that a NewPet has not. */
function readMore(pet: NewPet, fields: Readonly<Record<string, JsonValue>>, behaviour: Behaviour): Reading {
  const { name: _name, categoryId: _categoryId, status: _status, id, ...more } = fields;
  if (id !== undefined && !behaviour['client-sent-id'](id)) {
    return { problem: 'The field id is assigned by the store.' };
  }
  const kept = Object.keys(more).length === 0 ? {} : behaviour['extra-body-fields'](more);
  return kept === undefined ? { problem: 'The body has fields that a NewPet has not.' } : { pet: { ...pet, ...kept } };
}

/** Reads the bytes of a body as JSON in UTF-8. */
export function readNewPet(body: Uint8Array, behaviour: Behaviour): Reading {
  const text = decode(body);
  if (text === undefined) return { problem: 'The body is not UTF-8.' };
  const json = parseJson(text);
  if (json === undefined) return { problem: 'The body is not JSON, or nested too deep.' };
  if (!isObject(json)) return { problem: 'The body is not a JSON object.' };
  const { name, categoryId: number, status } = json;
  if (typeof name !== 'string') return { problem: 'The field name must be a string.' };
  if (!name.isWellFormed()) return { problem: 'The field name must be Unicode text.' };
  const decimal = readDecimal(number);
  if (decimal !== undefined && !behaviour['integer-written-as-decimal'](decimal)) {
    return { problem: 'The field categoryId must be written without a fraction or exponent.' };
  }
  const categoryId = typeof number === 'bigint' ? number : decimal;
  if (categoryId === undefined) return { problem: 'The field categoryId must be an integer of 64 bits.' };
  if (status !== undefined && !isPetStatus(status)) {
    return { problem: 'The field status must be available, pending or sold.' };
  }
  if (!behaviour['name-limits'](name)) return { problem: 'The field name is outside what this store takes.' };
  if (!behaviour['known-categories'](categoryId)) return { problem: 'The field categoryId names no category.' };
  const pet = status === undefined ? { name, categoryId } : { name, categoryId, status };
  return Object.keys(json).every((field) => known.has(field)) ? { pet } : readMore(pet, json, behaviour);
}
