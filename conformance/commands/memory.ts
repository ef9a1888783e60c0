/** Keeps a long run small: it makes much garbage and keeps little, and CI machines have other things to run. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

for (const flag of ['--semi-space-growth-factor=1', '--expose-gc']) setFlagsFromString(flag);

/** Left to itself, V8 lets the heap double before it looks through all of it for the first time. */
const collect = runInNewContext('gc') as () => void;
const requestsBetween = 500;

/** To be called after each request, with their number. */
export function tidy(requests: number): void {
  if (requests % requestsBetween === 0) collect();
}
