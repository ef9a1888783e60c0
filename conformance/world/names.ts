/** The names of the run's animals: makes them, and recognizes them in a text. */

import type { Settings } from './settings.ts';

/** Some services accept only letters, the first one a capital. Small letters follow, so that a change of case shows. */
const defaultTemplate = 'CF{n}';

/** Each hexadecimal digit of the run tag becomes one of these letters, so that such a name is unlikely to occur by chance. */
const tagLetters = 'abcdefghijklmnop';
const lettersOfOneName = '[a-p]{6}[a-z]{3}';

/** The name with this count in the run with this tag, six hexadecimal digits: no other animal has it. */
export function makeName(runTag: string, count: number, template = defaultTemplate): string {
  const tag = [...runTag].map((digit) => tagLetters[Number.parseInt(digit, 16)]).join('');
  const digits = count.toString(26).padStart(3, '0');
  const number = [...digits].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
  return template.replaceAll('{n}', tag + number);
}

/** Finds a name of any run with the same template in a text. */
export function namePattern({ nameTemplate = defaultTemplate }: Pick<Settings, 'nameTemplate'>): RegExp {
  const parts = nameTemplate.split('{n}').map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return new RegExp(parts.join(lettersOfOneName));
}

export function nameIn(text: string, settings: Pick<Settings, 'nameTemplate'>): string | undefined {
  return namePattern(settings).exec(text)?.[0];
}

/** Like `nameIn`; undefined if the template has no `{n}`, since then all animals of all runs have one name. */
export function ownNameIn(text: string, settings: Pick<Settings, 'nameTemplate'>): string | undefined {
  const isOwn = settings.nameTemplate?.includes('{n}') ?? true;
  return isOwn ? nameIn(text, settings) : undefined;
}

/** Whether a text is a name of the run and nothing else. */
export function isPlainName(text: string, settings: Pick<Settings, 'nameTemplate'>): boolean {
  return nameIn(text, settings) === text;
}

/** The text with X for each capital letter and x for each small letter or digit: names of one form become equal. */
export function shapeOf(text: string): string {
  return text.replace(/\p{Lu}/gu, 'X').replace(/[\p{Ll}\d]/gu, 'x');
}
