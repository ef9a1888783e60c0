/** Faults: the type, and the tables that they are written in. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Wrap } from '../services/wraps.ts';

/** A service with one wrong behaviour, which a run must find. */
export interface Fault {
  readonly id: string;
  /**
   * `ordinary`: one careless line of a plain first version explains it, for all values and animals of a kind alike.
   * `rare`: it takes a special case (one status of three, one limit, a certain moment), another unusual cause, or a value
   * that no serializer writes by mistake.
   */
  readonly likelihood: 'ordinary' | 'rare';
  /** The requirement that is broken most plainly, which a run must name: a required one fails the run, an advised one warns. */
  readonly breaks: readonly [RequirementId];
  readonly wrap: Wrap;
  /** The base path of the service; /v1 by default. */
  readonly basePath?: string;
}

/** Id → how a service with the fault behaves. */
export type Wraps = Readonly<Record<string, Wrap>>;
/** The requirement that is broken most plainly → its faults. */
export type FaultTable = { readonly [Id in RequirementId]?: Wraps };
/** A table of operators or places, or a list of values that are their own names. */
type Table<Value> = Readonly<Record<string, Value>> | readonly (Value & (string | number))[];

function entriesOf<Value>(table: Table<Value>): readonly (readonly [name: string, value: Value])[] {
  return Symbol.iterator in table ? table.map((value) => [String(value), value]) : Object.entries(table);
}

/** A row for each value of a table; its name stands for the * in `id`. */
export function each<Value>(id: `${string}*${string}`, table: Table<Value>, wrapOf: (value: Value) => Wrap): Wraps {
  return Object.fromEntries(entriesOf(table).map(([name, value]) => [id.replace('*', name), wrapOf(value)]));
}

/** A row for each operator at each place; their names stand for the first and the second * in `id`. */
export function crossed<Operator, Place>(
  id: `${string}*${string}*${string}`,
  operators: Table<Operator>,
  places: Table<Place>,
  wrapOf: (operator: Operator, place: Place) => Wrap,
): Wraps {
  const rows = entriesOf(operators).map(([name, operator]) =>
    each(id.replace('*', name) as '*', places, (place) => wrapOf(operator, place)),
  );
  return Object.assign({}, ...rows);
}

const faultsOf =
  (likelihood: Fault['likelihood']) =>
  (table: FaultTable): readonly Fault[] =>
    Object.entries(table).flatMap(([requirement, wraps]) =>
      Object.entries(wraps).map(([id, wrap]) => ({ id, likelihood, breaks: [requirement as RequirementId], wrap })),
    );

/** Faults that a developer's first version often has. */
export const ordinary = faultsOf('ordinary');
/** Faults that take an unusual cause. */
export const rare = faultsOf('rare');

export const petOperations = ['createPet', 'getPet', 'listPets'] as const;
