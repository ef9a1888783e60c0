/** The names of the run's animals: makes them, and recognizes them in a text. */

import type { Settings } from './settings.ts';

/** Each hexadecimal digit of the run tag becomes one of these letters, so that such a name is unlikely to occur by chance. */
const tagLetters = 'abcdefghijklmnop';
const lettersOfOneName = '[a-p]{6}[a-z]{2,3}';

/** The run tag and a count, as letters. */
function lettersOf(runTag: string, count: number): string {
  const tag = [...runTag].map((digit) => tagLetters[Number.parseInt(digit, 16)]).join('');
  const digits = count.toString(26).padStart(2, '0');
  return tag + [...digits].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
}

/** Finds a name of any run in a text: `cf-`, tag and number, or the letters that stand for both. */
export const nameTag: RegExp = new RegExp(`cf-[0-9a-f]{6}-(\\d{4,}|[0-9a-z]{2})|Cf${lettersOfOneName}`);

/** Finds a name of this run, or of another run with the same template, in a text. */
export function namePattern({ nameTemplate }: Pick<Settings, 'nameTemplate'>): RegExp {
  if (nameTemplate === undefined) return nameTag;
  const parts = nameTemplate.split('{n}').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(parts.join(lettersOfOneName));
}

export function nameIn(text: string, settings: Pick<Settings, 'nameTemplate'>): string | undefined {
  return namePattern(settings).exec(text)?.[0];
}

/** The same, unless the template has no `{n}`: then every run gives all animals the same name. */
export function ownNameIn(text: string, settings: Pick<Settings, 'nameTemplate'>): string | undefined {
  const isOwn = settings.nameTemplate?.includes('{n}') ?? true;
  return isOwn ? nameIn(text, settings) : undefined;
}

/** Whether a text is a name of the run and nothing else. */
export function isPlainName(text: string, settings: Pick<Settings, 'nameTemplate'>): boolean {
  return nameIn(text, settings) === text;
}

/** The text with every letter and digit replaced by one of its kind, so that names of one form become equal. */
export function shapeOf(text: string): string {
  return text.replace(/\p{Lu}/gu, 'X').replace(/[\p{Ll}\d]/gu, 'x');
}

/** A count in two characters for as long as that works: a service may limit the length of names. */
function numberOf(count: number): string {
  if (count < 100) return String(count).padStart(2, '0');
  const beyond = (count - 100 + 360).toString(36);
  return beyond.length === 2 ? beyond : String(count);
}

export interface Namer {
  /** A name that no other animal has. */
  readonly newName: () => string;
  /** Makes the names plainer from here on; false if they cannot be made plainer. */
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
