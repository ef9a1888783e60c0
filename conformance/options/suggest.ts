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

const longestWord = 60;

/** ` Did you mean …?`, to follow a sentence; empty where no known word is near. */
export function suggest(word: string, known: readonly string[]): string {
  if (word === '' || word.length > longestWord) return '';
  const near = known
    .map((one) => [one, distanceOf(word.toLowerCase(), one.toLowerCase())] as const)
    .filter(([, distance]) => distance <= Math.max(2, word.length / 3))
    .sort(([, one], [, other]) => one - other);
  return near[0] === undefined ? '' : ` Did you mean ${near[0][0]}?`;
}
