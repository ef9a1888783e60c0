/** Faults: the type, and the tables that they are written in. */

import type { Wrap } from '../../reference-server/twin/index.ts';
import type { RequirementId } from '../../spec/requirements.ts';

/** A service with one wrong behaviour, which a run must find. */
export interface Fault {
  readonly id: string;
  /** The requirement that is broken most plainly, which a run must name: a required one fails the run, an advised one warns. */
  readonly breaks: readonly [RequirementId];
  readonly wrap: Wrap;
  /** The base path of the service; /v1 by default. */
  readonly basePath?: string;
  /** Set if only requests that are sent one after the other show it, so that a run with several at a time may miss it. */
  readonly isSerial?: true;
  /** The smallest budget that finds it with every seed; smaller ones are not tried, since they find it by chance at most. */
  readonly within?: 300 | 1_000;
}

/** How a service with a fault behaves: by a wrap alone, or at another base path. */
type FaultRow = Wrap | Pick<Fault, 'wrap' | 'basePath' | 'isSerial' | 'within'>;
/** Id → how a service with the fault behaves. */
export type FaultRows = Readonly<Record<string, FaultRow>>;
/** The requirement that is broken most plainly → its faults. */
export type FaultTable = { readonly [Id in RequirementId]?: FaultRows };
/** A table of operators or places, or a list of values that are their own names. */
type ValueTable<Value> = Readonly<Record<string, Value>> | readonly (Value & (string | number))[];

function entriesOf<Value>(table: ValueTable<Value>): readonly (readonly [name: string, value: Value])[] {
  return Symbol.iterator in table ? table.map((value) => [String(value), value]) : Object.entries(table);
}

/** A row for each value of a table; its name stands for the * in `id`. */
export function eachRow<Value>(
  id: `${string}*${string}`,
  table: ValueTable<Value>,
  rowOf: (value: Value) => FaultRow,
): FaultRows {
  return Object.fromEntries(entriesOf(table).map(([name, value]) => [id.replace('*', name), rowOf(value)]));
}

/** A row for each operator at each place; their names stand for the first and the second * in `id`. */
export function crossed<Operator, Place>(
  id: `${string}*${string}*${string}`,
  operators: ValueTable<Operator>,
  places: ValueTable<Place>,
  rowOf: (operator: Operator, place: Place) => FaultRow,
): FaultRows {
  const rows = entriesOf(operators).map(([name, operator]) =>
    eachRow(id.replace('*', name) as '*', places, (place) => rowOf(operator, place)),
  );
  return Object.assign({}, ...rows);
}

export const petOperations = ['createPet', 'getPet', 'listPets'] as const;
