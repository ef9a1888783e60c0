/** Finds the known word that a misspelt word may have meant. */

/** The number of letters to change, add or remove (Levenshtein distance). */
function distanceOf(one: string, other: string): number {
  let last = Array.from({ length: other.length + 1 }, (_nothing, at) => at);
  for (const [row, letter] of [...one].entries()) {
    const current = [row + 1];
    for (let at = 0; at < other.length; at += 1) {
      current.push(Math.min(last[at + 1]! + 1, current[at]! + 1, last[at]! + Number(letter !== other[at])));
    }
    last = current;
  }
  return last.at(-1)!;
}

/** Nobody mistypes a longer word, and to compare one takes long. */
const longestWord = 60;

/** The known word that is nearest to another one; undefined where none is near. */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  const typed = word.slice(0, longestWord).toLowerCase();
  const distances = known.map((one) => distanceOf(typed, one.toLowerCase()));
  const least = Math.min(...distances);
  return least <= Math.max(2, typed.length / 3) ? known[distances.indexOf(least)] : undefined;
}

/** ` Did you mean …?`, to follow a sentence; empty where no known word is near. */
export function suggest(word: string, known: readonly string[]): string {
  const found = nearestWord(word, known);
  return found === undefined ? '' : ` Did you mean ${found}?`;
}
