/** What findings are about: the exchange that shows each, and the creation of the animal in it. */

import type { AnyRequirementId } from '../../spec/client-requirements.ts';
import type { Exchange } from '../http/exchange.ts';
import { isInt64, isJsonObject, type JsonValue } from '../http/json.ts';
import { readPetId } from '../http/read-request.ts';
import { bodyOf, createdId, pageOf } from '../http/read-response.ts';
import type { EvidenceSubject } from './dimensions.ts';
import type { Finding } from './finding.ts';

/** The animal that a pointer leads into, alone or in a page. */
function animalAt(exchange: Exchange, pointer: string): JsonValue | undefined {
  const page = pageOf(exchange);
  if (page === undefined) return bodyOf(exchange);
  return page[Number(pointer.split('/')[1])];
}

/** The id of the animal that an exchange is about: the one at the pointer, or else the one that a read asks for. */
function animalIdOf(exchange: Exchange, pointer: string | undefined): bigint | undefined {
  const animal = pointer === undefined ? undefined : animalAt(exchange, pointer);
  if (isJsonObject(animal) && isInt64(animal['id'])) return animal['id'];
  const asked = exchange.operation === 'getPet' ? readPetId(exchange) : undefined;
  return typeof asked === 'bigint' ? asked : undefined;
}

/** Reads the subjects of findings over the exchanges of a run, in the order in which they were sent. */
export function readSubjects(exchanges: readonly Exchange[]): (finding: Finding<AnyRequirementId>) => EvidenceSubject {
  const places = new Map(exchanges.map((exchange, at) => [exchange.number, at]));
  /** Many findings are about one exchange: they share what came before it. */
  const before = new Map<number, readonly Exchange[]>();
  function beforeOf({ number }: Exchange): readonly Exchange[] {
    const known = before.get(number) ?? exchanges.slice(0, places.get(number));
    before.set(number, known);
    return known;
  }
  const creations = new Map<bigint | undefined, Exchange>(
    exchanges.flatMap((exchange) => {
      const id = createdId(exchange);
      return id === undefined ? [] : [[id, exchange] as const];
    }),
  );
  return ({ exchanges: cited, failure }) => {
    const shown = cited.at(-1)!;
    const ofAnimal = creations.get(animalIdOf(shown, failure?.pointer));
    const creation =
      shown.operation === 'createPet' ? shown : (cited.find((one) => one.operation === 'createPet') ?? ofAnimal);
    return { shown, creation, before: beforeOf(shown) };
  };
}
