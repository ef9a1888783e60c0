/** Finds the known word that a misspelt word may have meant. The parser does so for flags and commands. */

/** The number of letters to change, add, remove or swap with their neighbour (Damerau–Levenshtein distance). */
function distanceOf(one: string, other: string): number {
  let before: readonly number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_nothing, at) => at);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        last[column]! + 1,
        current[column - 1]! + 1,
        last[column - 1]! + (isSame ? 0 : 1),
        isSwapped ? before[column - 2]! + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, last] = [last, current];
  }
  return last[other.length]!;
}

const longestWord = 60;

/** ` Did you mean …?`, to follow a sentence; empty where no known word is near. */
export function suggest(word: string, known: readonly string[], differences = Math.floor(word.length / 3)): string {
  if (word === '' || word.length > longestWord) return '';
  const [nearest] = known
    .map((candidate) => ({ candidate, distance: distanceOf(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= Math.max(1, differences))
    .sort((one, other) => one.distance - other.distance);
  return nearest === undefined ? '' : ` Did you mean ${nearest.candidate}?`;
}
