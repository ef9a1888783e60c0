/** The animals of the store, in memory, each as its JSON. A page costs what it holds, whatever the size of the catalogue. */

import type { GapChoices } from '../spec/gaps.ts';
import type { components } from '../spec/openapi.ts';
import { type JsonValue, stringifyJson, writable } from './json.ts';

/** Whether an animal is available (§2, §3). */
export type PetStatus = components['schemas']['PetStatus'];

/** An animal to be added; `more` holds further fields where the server keeps them. */
export interface NewPet {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
  readonly more?: Readonly<Record<string, JsonValue>>;
}

const statuses: ReadonlySet<unknown> = new Set<PetStatus>(['available', 'pending', 'sold']);

/** Whether a value is one of the three. */
export function isPetStatus(value: unknown): value is PetStatus {
  return statuses.has(value);
}

/** A JSON array of animals, the position after its last one, and how many match the filter. */
export interface Page {
  readonly json: string;
  readonly end: number;
  readonly total: number;
  /** Whether the same page would be written again. */
  readonly isCurrent: () => boolean;
}

/** A number takes a third of the memory of a bigint, and is found in half the time. */
function keyOf(id: bigint): bigint | number {
  const key = Number(id);
  return Number.isSafeInteger(key) ? key : id;
}

/** Draws distinct animals as a shuffle would, without a walk through the rest of the catalogue. */
function draw(from: readonly string[], limit: number, random: () => number): readonly string[] {
  const swapped = new Map<number, number>();
  const page: string[] = [];
  for (let at = 0; at < Math.min(limit, from.length); at += 1) {
    const drawn = Math.min(at + Math.floor(random() * (from.length - at)), from.length - 1);
    page.push(from[swapped.get(drawn) ?? drawn]!);
    swapped.set(drawn, swapped.get(at) ?? at);
  }
  return page;
}

/** `extra` is added to every animal as it is returned. Each page of a shuffled list is drawn anew. */
export function createCatalogue(order: GapChoices['list-order'], random: () => number, extra: object) {
  const all: string[] = [];
  // The position of ids 1, 2, 3, … follows from the id; an index of them would take half as much memory as the animals.
  let inOrder = 0;
  const byId = new Map<bigint | number, string>();
  const byStatus: Readonly<Record<PetStatus | 'none', string[]>> = { available: [], pending: [], sold: [], none: [] };
  const hasNoExtra = Object.keys(extra).length === 0;

  function write({ name, categoryId, status, more }: NewPet, id: bigint): string {
    const fields = { id: writable(id), name, categoryId: writable(categoryId), status };
    return more === undefined && hasNoExtra ? JSON.stringify(fields) : stringifyJson({ ...fields, ...extra, ...more });
  }

  function choose(matching: readonly string[], limit: number, from: number): readonly string[] {
    if (order === 'shuffled') return draw(matching, limit, random);
    if (order === 'oldest-first') return matching.slice(from, from + limit);
    const end = Math.max(0, matching.length - from);
    return matching.slice(Math.max(0, end - limit), end).reverse();
  }

  return {
    add(pet: NewPet, id: bigint): string {
      const json = write(pet, id);
      const key = keyOf(id);
      if (inOrder === all.length && key === inOrder + 1) inOrder += 1;
      else byId.set(key, json);
      all.push(json);
      if (pet.status !== undefined) byStatus[pet.status].push(json);
      return json;
    },
    get(id: bigint): string | undefined {
      const key = keyOf(id);
      return key >= 1 && key <= inOrder ? all[Number(key) - 1] : byId.get(key);
    },
    size: (): number => all.length,
    /** A page of the animals of a status, or of all, from a position on. */
    list(status: PetStatus | 'none' | undefined, limit: number, from: number): Page {
      const animals = status === undefined ? all : byStatus[status];
      const total = animals.length;
      const chosen = choose(animals, limit, from);
      const end = from + chosen.length;
      // No animal is ever changed or deleted.
      const isCurrent = (): boolean =>
        order !== 'shuffled' && (animals.length === total || (order === 'oldest-first' && end < total));
      return { json: `[${chosen.join()}]`, end, total, isCurrent };
    },
  };
}

export type Catalogue = ReturnType<typeof createCatalogue>;
