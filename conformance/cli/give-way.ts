/** Lets the handlers of signals run while a command computes for long. */

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of computing after which handlers may run. */
const stretchMs = 50;

/** Acts on one item after another, until the signal aborts. */
export async function actOnEach<Item>(
  items: Iterable<Item>,
  signal: AbortSignal,
  act: (item: Item) => void,
): Promise<void> {
  let since = performance.now();
  for (const item of items) {
    if (signal.aborted) return;
    act(item);
    if (performance.now() - since < stretchMs) continue;
    await nextTurn();
    since = performance.now();
  }
}
