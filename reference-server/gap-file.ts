/** Reads which answers a file chooses: JSON, or YAML with a line `gap: answer` for each. */

import type { GapChoices } from '../spec/gaps.ts';

/** A gap and its answer, plain or quoted, and what may be said behind them. */
const choice = /^([\w-]+|"[\w-]+"|'[\w-]+')\s*:\s+([\w-]+|"[\w-]+"|'[\w-]+')\s*(\s#.*)?$/;

function unquote(text: string): string {
  return text.replace(/^["']|["']$/g, '');
}

function readLines(text: string): Readonly<Record<string, string>> {
  const chosen = new Map<string, string>();
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#.*)?$|^---\s*$/.test(line)) continue;
    const [, gap, answer] = choice.exec(line) ?? [];
    if (gap === undefined || answer === undefined) {
      throw new RangeError(`line ${at + 1} is not "gap: answer" as in "status-omitted: sold"`);
    }
    if (chosen.has(unquote(gap))) throw new RangeError(`line ${at + 1} chooses for ${unquote(gap)} again`);
    chosen.set(unquote(gap), unquote(answer));
  }
  return Object.fromEntries(chosen);
}

function readObject(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RangeError('it is not JSON');
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new RangeError('it must be a JSON object of gap and answer ids');
}

/** The choices in a text; throws a RangeError that says what is wrong with it. Whether there are such is not looked at. */
export function readGapFile(text: string): Partial<GapChoices> {
  const plain = text.replace(/^\ufeff/, '');
  return /^\s*[{[]/.test(plain) ? readObject(plain) : readLines(plain);
}
