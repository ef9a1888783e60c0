/** The names of a run: how they are made, and how the animals of runs are told from those of others. */

import type { Settings } from '../verdict/settings.ts';

/** Sixteen letters stand for the sixteen digits of the tag, so that such a name is hardly ever met by chance. */
const sixteenLetters = 'abcdefghijklmnop';
const lettersOfOneName = '[a-p]{6}[a-z]{2,3}';

/** Letters that stand for the tag of the run and for a count. */
function lettersOf(runTag: string, count: number): string {
  const tag = [...runTag].map((digit) => sixteenLetters[Number.parseInt(digit, 16)]).join('');
  const digits = count.toString(26).padStart(2, '0');
  return tag + [...digits].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
}

/** A name within a text: the tag of any run with a number of its own, or the letters that stand for both. */
export const nameTag: RegExp = new RegExp(`cf-[0-9a-f]{6}-(\\d{4,}|[0-9a-z]{2})|Cf${lettersOfOneName}`);

/** A name of this run or of another with the same template within a text. */
export function namePattern({ nameTemplate }: Pick<Settings, 'nameTemplate'>): RegExp {
  if (nameTemplate === undefined) return nameTag;
  const parts = nameTemplate.split('{n}').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(parts.join(lettersOfOneName));
}

/** The name of this run that a text holds, if it holds one. */
export function nameIn(text: string, settings: Pick<Settings, 'nameTemplate'>): string | undefined {
  return namePattern(settings).exec(text)?.[0];
}

/** The same where no other run has that name; a template without `{n}` makes the same one in every run. */
export function ownNameIn(text: string, settings: Pick<Settings, 'nameTemplate'>): string | undefined {
  const isOwn = settings.nameTemplate?.includes('{n}') ?? true;
  return isOwn ? nameIn(text, settings) : undefined;
}

/** Whether a text is a plain name of this run and nothing else. */
export function isPlainName(text: string, settings: Pick<Settings, 'nameTemplate'>): boolean {
  return nameIn(text, settings) === text;
}

/** A text without what tells one name of a run from the next: names of one shape are as good as each other. */
export function shapeOf(text: string): string {
  return text.replace(/\p{Lu}/gu, 'X').replace(/[\p{Ll}\d]/gu, 'x');
}

/** Two characters for a count, as long as there are any: a service may take names of so many characters and no more. */
function numberOf(count: number): string {
  if (count < 100) return String(count).padStart(2, '0');
  const beyond = (count - 100 + 360).toString(36);
  return beyond.length === 2 ? beyond : String(count);
}

export interface Namer {
  /** A name that no other animal has. */
  readonly newName: () => string;
  /** From here on names are plainer; false where none are. */
  readonly usePlainerNames: () => boolean;
}

export function createNamer(runTag: string, template: string | undefined): Namer {
  let count = 0;
  let isLetters = false;
  return {
    newName() {
      count += 1;
      if (template !== undefined) return template.replaceAll('{n}', lettersOf(runTag, count));
      return isLetters ? `Cf${lettersOf(runTag, count)}` : `cf-${runTag}-${numberOf(count)}`;
    },
    usePlainerNames() {
      if (isLetters || template !== undefined) return false;
      isLetters = true;
      return true;
    },
  };
}
