/** The orders in which values are taken from lists: in turn, at random by the seed of the run, and in rounds. */

/** Returns one value after the other, starting over after the last. */
export function cycle<Value>(values: readonly [Value, ...Value[]]): () => Value {
  let taken = 0;
  return () => {
    taken += 1;
    return values[(taken - 1) % values.length]!;
  };
}

export function shuffle<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const shuffled = [...items];
  for (let at = shuffled.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [shuffled[at], shuffled[other]] = [shuffled[other]!, shuffled[at]!];
  }
  return shuffled;
}

/** The first of each group, then the second of each, and so on. */
export function inRounds<Item>(groups: readonly (readonly Item[])[]): readonly Item[] {
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  return Array.from({ length: longest }, (_nothing, at) => groups.flatMap((group) => group.slice(at, at + 1))).flat();
}
