/** A legal service: a server that chooses otherwise than the reference where the interface is silent. No run may fail it. */

import type { ApiKey, Behaviour, Handle, NewPet } from '../../reference-server/index.ts';
import { createTwin } from '../../reference-server/twin/gaps.ts';
import { keysFor } from '../../reference-server/twin/wraps.ts';
import { defined } from '../../spec/defined.ts';
import type { AnswerId, GapChoices, OpenGapId } from '../../spec/gaps.ts';
import { seededRandom } from '../../spec/random.ts';
import type { BudgetSize, Settings } from '../world/settings.ts';
import type { InProcessOptions } from './in-process.ts';
import { trialApiKeys, type Wrap } from './wraps.ts';

/** For a gap: the answer or answers that a run must observe; null if it must observe none. */
export type Observed = { readonly [Id in OpenGapId]?: AnswerId<Id> | readonly AnswerId<Id>[] | null };

/** A row of the catalogue: its answers to gaps, what else it changes, and the result that a run against it must have. */
export interface Service extends InProcessOptions {
  readonly id: string;
  /** The kind of product that shows it. */
  readonly product?: string;
  readonly gaps?: Partial<GapChoices>;
  /** What it decides otherwise than the reference, and no gap has an answer for. */
  readonly behaviour?: Partial<Behaviour>;
  readonly wrap?: Wrap;
  readonly animals?: readonly NewPet[];
  /** The observations that a run with 300 requests must make; for all other gaps, the chosen answer or none. */
  readonly observes?: Observed;
  /** Settings that a user would give for this server. */
  readonly settings?: Partial<Pick<Settings, keyof BudgetSize | 'isDisposable' | 'concurrency'>>;
  /** Requests a minute of the API key; those of the Business plan when undefined. */
  readonly perMinute?: number;
  /** The exit code of a run, if it is not 0: no service fails, but some cannot be judged. */
  readonly exitCode?: 3;
  /** Set for two rows at once: one may hide what the other shows, so that a run observes less, or ends with 3. */
  readonly isCombined?: true;
}

/** Id → the kind of product that shows it, how it behaves, by a wrap alone or in full, and what a run observes. */
type ServiceTable<Id extends string> = Readonly<
  Record<Id, readonly [product: string, how: Wrap | Omit<Service, 'id'>, observes?: Observed]>
>;

export function servicesOf<Id extends string>(table: ServiceTable<Id>): readonly (Service & { readonly id: Id })[] {
  return Object.entries<ServiceTable<Id>[Id]>(table).map(([id, [product, how, observes]]) => {
    return { id: id as Id, product, ...(typeof how === 'function' ? { wrap: how } : how), ...defined({ observes }) };
  });
}

/** Creates the server of a row with some keys; `seed` drives its random choices, such as ids and orders. */
export function handleWith(
  keys: readonly ApiKey[],
  { gaps, behaviour, animals, wrap }: Pick<Service, 'gaps' | 'behaviour' | 'animals' | 'wrap'>,
  seed: number,
): Handle {
  const { handle } = createTwin({ keys, random: seededRandom(seed), ...defined({ gaps, behaviour, animals }) });
  return wrap === undefined ? handle : wrap(handle, keysFor(keys));
}

/** The same with the keys of trials. */
export function handleOf(service: Service, seed = 1): Handle {
  const [api, rateLimit] = trialApiKeys;
  const key = { ...api, ...defined({ perMinute: service.perMinute }) };
  return handleWith([key, rateLimit], service, seed);
}
