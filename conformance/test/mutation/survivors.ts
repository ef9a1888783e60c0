/**
 * The mutants that the kit does not fail, with the reason of each. `npm run mutation judge` prints the name of a new one
 * as it stands here.
 */

import type { OpenGapId } from '../../../spec/gaps.ts';

/**
 * Mutants of a file that survive for one reason. `equivalent`: no request shows a difference. `legal`: the interface leaves
 * the difference open, in a gap or in what a row of the design names. `hole`: the kit should fail it.
 */
export type SurvivorGroup = {
  readonly file: string;
  readonly reason: string;
  readonly mutants: readonly string[];
} & ({ readonly kind: 'equivalent' | 'hole' } | { readonly kind: 'legal'; readonly gap?: OpenGapId });

export const survivors: readonly SurvivorGroup[] = [];
