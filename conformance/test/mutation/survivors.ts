/**
 * The mutants that the kit does not fail, with the reason of each, from survivors.yml. `npm run mutation judge` prints the
 * name of a new one as it stands there.
 */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { OpenGapId } from '../../../spec/gaps.ts';

/**
 * Mutants of a file that survive for one reason. `equivalent`: no request of a run shows a difference. `legal`: the
 * interface leaves the difference open, in a gap or in the section that the reason names. `hole`: the kit should fail it.
 */
export interface SurvivorGroup {
  readonly file: string;
  readonly kind: 'equivalent' | 'legal' | 'hole';
  readonly gap?: OpenGapId;
  readonly reason: string;
  readonly mutants: readonly string[];
}

type WrittenGroup = Omit<SurvivorGroup, 'mutants'> & { readonly mutants: string };

const written = parse(readFileSync(new URL('survivors.yml', import.meta.url), 'utf8')) as readonly WrittenGroup[];

export const survivors: readonly SurvivorGroup[] = written.map((group) => ({
  ...group,
  mutants: group.mutants.trimEnd().split('\n'),
}));
