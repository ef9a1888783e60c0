/** Caches values that are computed from recorded requests and responses, which never change. */

import type { Exchange } from './exchange.ts';

/** A function that computes its result once for each object; the object can still be garbage collected. */
export function memoize<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    if (!known.has(key)) known.set(key, compute(key));
    return known.get(key) as Value;
  };
}

/**
 * Collects values from the exchanges of a record. Exchanges are only ever appended, so each is read once, however often the
 * function is called with the growing record.
 */
export function memoizeIncrementally<Collected, Kept extends { readonly exchanges: readonly Exchange[] }>(
  start: () => Collected,
  add: (collected: Collected, exchange: Exchange, record: Kept) => void,
): (record: Kept) => Collected {
  const progressOf = memoize((_exchanges: readonly Exchange[]) => ({ count: 0, collected: start() }));
  return (record) => {
    const progress = progressOf(record.exchanges);
    for (; progress.count < record.exchanges.length; progress.count += 1) {
      add(progress.collected, record.exchanges[progress.count]!, record);
    }
    return progress.collected;
  };
}
