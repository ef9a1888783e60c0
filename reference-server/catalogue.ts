/** The animals of the store, in memory. A page costs what it holds, whatever the size of the catalogue. */

import { stringifyJson } from './json.ts';
import type { NewPet, PetStatus } from './pet.ts';

/** A stored animal; its JSON is written once. */
export interface StoredPet {
  readonly id: bigint;
  readonly json: string;
}

export type ListOrder = 'oldest-first' | 'newest-first' | 'shuffled';

export interface Catalogue {
  readonly add: (pet: NewPet, id: bigint) => StoredPet;
  readonly get: (id: bigint) => StoredPet | undefined;
  readonly hasName: (name: string) => boolean;
  readonly size: () => number;
  /** Animals of a status, or all, from a position on; and how many there are. */
  readonly list: (
    status: PetStatus | 'none' | undefined,
    limit: number,
    from: number,
  ) => { readonly page: readonly StoredPet[]; readonly total: number };
}

/** `extra` is added to every animal as it is returned; pages of a shuffled list are drawn anew each time. */
export function createCatalogue(order: ListOrder, random: () => number, extra: object): Catalogue {
  const byId = new Map<bigint, StoredPet>();
  const names = new Set<string>();
  const all: StoredPet[] = [];
  const byStatus: Readonly<Record<PetStatus | 'none', StoredPet[]>> = {
    available: [],
    pending: [],
    sold: [],
    none: [],
  };

  /** Draws distinct animals as a shuffle would, without the walk through the rest of the catalogue. */
  function draw(from: readonly StoredPet[], limit: number): readonly StoredPet[] {
    const swapped = new Map<number, number>();
    const page: StoredPet[] = [];
    for (let at = 0; at < Math.min(limit, from.length); at += 1) {
      const drawn = Math.min(at + Math.floor(random() * (from.length - at)), from.length - 1);
      page.push(from[swapped.get(drawn) ?? drawn]!);
      swapped.set(drawn, swapped.get(at) ?? at);
    }
    return page;
  }

  return {
    add({ name, categoryId, status, more }, id) {
      const fields = { id, name, categoryId, ...(status === undefined ? {} : { status }), ...extra, ...more };
      const pet: StoredPet = { id, json: stringifyJson(fields) };
      byId.set(id, pet);
      names.add(name);
      all.push(pet);
      if (status !== undefined) byStatus[status].push(pet);
      return pet;
    },
    get: (id) => byId.get(id),
    hasName: (name) => names.has(name),
    size: () => all.length,
    list(status, limit, from) {
      const matching = status === undefined ? all : byStatus[status];
      const total = matching.length;
      if (order === 'shuffled') return { page: draw(matching, limit), total };
      if (order === 'oldest-first') return { page: matching.slice(from, from + limit), total };
      const end = Math.max(0, total - from);
      return { page: matching.slice(Math.max(0, end - limit), end).reverse(), total };
    },
  };
}
