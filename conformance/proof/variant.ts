/** A variant: a legal server that makes other choices; what a run of it must come to. */

import type { NewPet } from '../../reference-server/index.ts';
import type { AnswerId, GapChoices, OpenGapId } from '../../spec/gaps.ts';
import type { Wrap } from '../sections/fault.ts';
import type { Settings } from '../verdict/settings.ts';
import type { InProcessOptions } from './in-process.ts';

/** Gap id → the answer that a run must observe, or several; null where its requests show nothing. */
export type Observed = { readonly [Id in OpenGapId]?: AnswerId<Id> | readonly AnswerId<Id>[] | null };

export interface Variant extends InProcessOptions {
  readonly id: string;
  readonly gaps?: Partial<GapChoices>;
  /** What a run with the default budget must observe; elsewhere it may observe what was chosen, or nothing. */
  readonly observes?: Observed;
  /** Animals that were there before the run. */
  readonly animals?: readonly NewPet[];
  readonly wrap?: Wrap;
  /** What a user of the kit would say of it. */
  readonly settings?: Partial<Pick<Settings, 'categoryIds' | 'nameTemplate' | 'isDisposable' | 'concurrency'>>;
  /** Requests per minute of the API key; that of Business when undefined. */
  readonly perMinute?: number;
  /** What a run ends with, where that is not 0: no variant fails, but some cannot be judged. */
  readonly exitCode?: 3;
  /** What a run then says. */
  readonly reason?: RegExp;
  /** Set where the limits shown are not those of the Business plan. */
  readonly showsOtherLimits?: true;
}
