/** Faults: the type, and the tables that they are written in. */

import type { RequirementId } from '../../spec/requirements.ts';
import type { Wrap } from '../services/wraps.ts';

/** A service with one wrong behaviour, which a run must find. */
export interface Fault {
  readonly id: string;
  /**
   * `ordinary`: one careless line of a plain first version explains it, for all values and animals of a kind alike.
   * `rare`: it takes a special case (one status of three, one limit, every third animal, a certain moment), another
   * unusual cause, or a value that no serializer writes by mistake.
   */
  readonly likelihood: 'ordinary' | 'rare';
  /**
   * A run must name at least one of these requirements; the first is the one broken most plainly. Required ones fail the
   * run, advised ones only warn.
   */
  readonly breaks: readonly [RequirementId, ...RequirementId[]];
  readonly wrap: Wrap;
  /** The base path of the service; /v1 by default. */
  readonly basePath?: string;
  /** Set where only the rate-limit probe shows it. */
  readonly needsExhaustion?: true;
}

export type Breaks = RequirementId | Fault['breaks'];
/** Id → what the fault breaks, and how. */
export type Rows = Readonly<Record<string, readonly [breaks: Breaks, wrap: Wrap]>>;
/** A table of operators or places, or a list of values that are their own names. */
export type Table<Value> = Readonly<Record<string, Value>> | readonly (Value & (string | number))[];

function entriesOf<Value>(table: Table<Value>): readonly (readonly [name: string, value: Value])[] {
  return Symbol.iterator in table ? table.map((value) => [String(value), value] as const) : Object.entries(table);
}

/** A row for each value of a table; its name stands for the * in `id`. */
export function each<Value>(
  breaks: Breaks,
  id: `${string}*${string}`,
  table: Table<Value>,
  wrapOf: (value: Value) => Wrap,
): Rows {
  return Object.fromEntries(entriesOf(table).map(([name, value]) => [id.replace('*', name), [breaks, wrapOf(value)]]));
}

/** A row for each operator at each place; their names stand for the first and the second * in `id`. */
export function crossed<Operator, Place>(
  breaks: Breaks,
  id: `${string}*${string}*${string}`,
  operators: Table<Operator>,
  places: Table<Place>,
  wrapOf: (operator: Operator, place: Place) => Wrap,
): Rows {
  return merged(operators, (operator, name) =>
    each(breaks, id.replace('*', name) as '*', places, (place) => wrapOf(operator, place)),
  );
}

/** The rows of every value of a table. */
export function merged<Value>(table: Table<Value>, rowsOf: (value: Value, name: string) => Rows): Rows {
  return Object.assign({}, ...entriesOf(table).map(([name, value]) => rowsOf(value, name)));
}

const faultsOf =
  (likelihood: Fault['likelihood']) =>
  (rows: Rows, rest: Pick<Fault, 'basePath' | 'needsExhaustion'> = {}): readonly Fault[] =>
    Object.entries(rows).map(([id, [breaks, wrap]]) => ({
      ...{ id, likelihood, breaks: typeof breaks === 'string' ? [breaks] : breaks, wrap },
      ...rest,
    }));

/** Faults that a developer's first version often has. */
export const ordinary = faultsOf('ordinary');
/** Faults that take an unusual cause. */
export const rare = faultsOf('rare');
