/** Splits the message of a failure into the expected and the received part, cut to where they differ. */

export interface Contrast {
  readonly expected: string;
  readonly received: string;
}

/** Strings are skipped as a whole, since text from a target may look like the message itself. */
const parts = /^expected ((?:"(?:[^"\\]|\\.)*"|[^"])*?), received (.*)$/s;
/** For a message whose strings were cut. */
const roughParts = /^expected (.*?), received (.*)$/s;

/** The expected and the received part; undefined where the message has another form. */
export function contrastOf(message: string): Contrast | undefined {
  const [, expected, received] = parts.exec(message) ?? roughParts.exec(message) ?? [];
  return expected === undefined || received === undefined ? undefined : { expected, received };
}

/** Common characters before the first difference; more than these are cut. */
const longestLead = 60;
const shownLead = 30;

function commonLength(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** The two parts without most of the common beginning of their strings. */
export function fromWhereTheyDiffer({ expected, received }: Contrast): Contrast {
  const [one, other] = [expected.indexOf('"'), received.indexOf('"')];
  const common = one < 0 || other < 0 ? 0 : commonLength(expected.slice(one), received.slice(other));
  if (common <= longestLead) return { expected, received };
  const cut = (text: string, quote: number): string =>
    `${text.slice(0, quote + 1)}…${text.slice(quote + common - shownLead)}`;
  return { expected: cut(expected, one), received: cut(received, other) };
}
