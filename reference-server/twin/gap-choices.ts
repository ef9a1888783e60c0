/** Chooses answers for gaps: by a file (JSON, or YAML with a line `gap: answer` for each), or by a seed. */

import type { GapChoices } from '../../spec/gaps.ts';
import { seededRandom } from '../../spec/random.ts';
import { gapChoices } from '../index.ts';

/** A gap and its answer, which a size may follow, each plain or quoted, with an optional comment. */
const choice =
  /^([\w-]+|"[\w-]+"|'[\w-]+')\s*:\s+([\w-]+(?: [\d.,-]+)?|"[\w-]+(?: [\d.,-]+)?"|'[\w-]+(?: [\d.,-]+)?')\s*(\s#.*)?$/;

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

/** Reads the choices of a text; throws a RangeError that says what is wrong with it. It does not check the ids. */
export function readGapFile(text: string): Partial<GapChoices> {
  const plain = text.replace(/^\ufeff/, '');
  return /^\s*[{[]/.test(plain) ? readObject(plain) : readLines(plain);
}

/** Draws one answer for each gap by a seed; the same seed draws the same answers. */
export function surprise(seed: number): GapChoices {
  const draw = seededRandom(seed);
  const drawn = Object.entries(gapChoices).map(([id, answers]) => [id, answers[Math.floor(draw() * answers.length)]]);
  return Object.fromEntries(drawn) as GapChoices;
}
