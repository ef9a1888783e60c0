/** Recorded requests and answers never change: what is read from one is read once. */

import type { Exchange } from './exchange.ts';

/** The same function, which computes its result once for each object, as long as that object lives. */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, { readonly value: Value }>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found.value;
    const value = compute(key);
    known.set(key, { value });
    return value;
  };
}

/**
 * What every exchange of a record tells, in their order; none where it tells nothing. Exchanges are only ever added, so
 * each is read once for all that hold the record, as long as that lives.
 */
export function memoizeIncrementally<Kept extends { readonly exchanges: readonly Exchange[] }, Value>(
  read: (exchange: Exchange, record: Kept) => Value | undefined,
): (record: Kept) => readonly Value[] {
  const progressOf = memoize((_exchanges: readonly Exchange[]) => ({ count: 0, values: [] as Value[] }));
  return (record) => {
    const progress = progressOf(record.exchanges);
    for (; progress.count < record.exchanges.length; progress.count += 1) {
      const value = read(record.exchanges[progress.count]!, record);
      if (value !== undefined) progress.values.push(value);
    }
    return progress.values;
  };
}
