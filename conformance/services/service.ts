/** A variant: a server that makes other legal choices, and the result that a run against it must have. */

import type { NewPet } from '../../reference-server/index.ts';
import type { AnswerId, GapChoices, OpenGapId } from '../../spec/gaps.ts';
import type { BudgetSize, Settings } from '../verdict/settings.ts';
import type { InProcessOptions } from './in-process.ts';
import type { Wrap } from './wraps.ts';

/** For a gap: the answer or answers that a run must observe; null if it must observe none. */
export type Observed = { readonly [Id in OpenGapId]?: AnswerId<Id> | readonly AnswerId<Id>[] | null };

export interface Variant extends InProcessOptions {
  readonly id: string;
  readonly gaps?: Partial<GapChoices>;
  /** The observations that a run with 300 requests must make; for all other gaps, the chosen answer or none. */
  readonly observes?: Observed;
  readonly animals?: readonly NewPet[];
  readonly wrap?: Wrap;
  /** Settings that a user would give for this server. */
  readonly settings?: Partial<
    Pick<Settings, keyof BudgetSize | 'categoryIds' | 'nameTemplate' | 'isDisposable' | 'concurrency'>
  >;
  /** Requests a minute of the API key; those of the Business plan when undefined. */
  readonly perMinute?: number;
  /** The exit code of a run, if it is not 0: no variant fails, but some cannot be judged. */
  readonly exitCode?: 3;
  /** The reason that such a run gives. */
  readonly reason?: RegExp;
  /** Set if the headers show other limits than those of the Business plan. */
  readonly showsOtherLimits?: true;
}
