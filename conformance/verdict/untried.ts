/** The values that a run does not send to a target that is not disposable, so that they stay untried. */

import type { Settings } from './settings.ts';

/** One sentence, with the option that changes it; none for a disposable target. */
export function untriedValues({
  isDisposable,
  hardNames,
}: Pick<Settings, 'isDisposable' | 'hardNames'>): readonly string[] {
  if (isDisposable) return [];
  const names = hardNames === true ? 'names that may break a service' : 'names that are hard to read or type';
  const option = hardNames === true ? '--disposable' : '--hard-names or --disposable';
  return [
    `Not tried, since the target is not disposable: ${names} (${option}), the real key outside the Authorization header (--disposable).`,
  ];
}
