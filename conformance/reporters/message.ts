/** The message of a failure, taken apart: what was expected and what was received, from where the two differ. */

export interface Contrast {
  readonly expected: string;
  readonly received: string;
}

/** Strings are passed over whole: what a target says may read like our own words. */
const parts = /^expected ((?:"(?:[^"\\]|\\.)*"|[^"])*?), received (.*)$/s;
/** Of a message whose strings were cut. */
const roughParts = /^expected (.*?), received (.*)$/s;

/** What was expected and what was received; undefined where the message says it in another way. */
export function contrastOf(message: string): Contrast | undefined {
  const [, expected, received] = parts.exec(message) ?? roughParts.exec(message) ?? [];
  return expected === undefined || received === undefined ? undefined : { expected, received };
}

/** More of what two texts have in common, before they differ, than a person needs. */
const longestLead = 60;
const shownLead = 30;

function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Two texts without most of what their strings begin alike with. */
export function fromWhereTheyDiffer({ expected, received }: Contrast): Contrast {
  const [one, other] = [expected.indexOf('"'), received.indexOf('"')];
  const common = one < 0 || other < 0 ? 0 : commonLength(expected.slice(one), received.slice(other));
  if (common <= longestLead) return { expected, received };
  const cut = (text: string, quote: number): string =>
    `${text.slice(0, quote + 1)}…${text.slice(quote + common - shownLead)}`;
  return { expected: cut(expected, one), received: cut(received, other) };
}
