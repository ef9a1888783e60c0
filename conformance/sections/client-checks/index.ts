/** All checks of the requests of a client. */

import { bodyChecks } from './2-bodies.ts';
import { operationChecks } from './4-operations.ts';
import { keyChecks } from './5-keys.ts';
import { waitChecks } from './8-waits.ts';
import { deprecationChecks } from './9-deprecated.ts';
import type { ClientCheck } from './check.ts';

export const clientChecks: readonly ClientCheck[] = [
  ...bodyChecks,
  ...operationChecks,
  ...keyChecks,
  ...waitChecks,
  ...deprecationChecks,
];
