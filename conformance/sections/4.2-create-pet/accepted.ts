/** Which names and categories the target has accepted and refused so far; the interface leaves open which it takes. */

import type { PetStatus } from '../../../spec/operations.ts';
import type { Exchange } from '../../http/exchange.ts';
import { memoizeIncrementally } from '../../http/memoize.ts';
import { readNewPet } from '../../http/read-request.ts';
import { statusOf } from '../../http/read-response.ts';
import { isOfService } from '../../world/evidence.ts';
import { type History, isAuthorized } from '../../world/history.ts';
import { isPlainName, shapeOf } from '../../world/names.ts';
import type { Settings } from '../../world/settings.ts';

/** A valid creation that was answered. */
export interface Attempt {
  readonly exchange: Exchange;
  readonly name: string;
  readonly status: PetStatus | undefined;
  readonly categoryId: bigint;
  /** The shape of a plain name; undefined for any other name. */
  readonly shape: string | undefined;
  readonly isAccepted: boolean;
  /** Whether it was refused for its content: with a 4xx that is due neither to the key nor to the rate limit. */
  readonly isRefused: boolean;
}

type Evidence = Pick<History, 'exchanges'> & { readonly settings: Pick<Settings, 'nameTemplate'> };

function attemptOf(exchange: Exchange, { settings }: Evidence): Attempt | undefined {
  if (exchange.operation !== 'createPet' || !isAuthorized(exchange) || !isOfService(exchange)) return undefined;
  const reading = readNewPet(exchange);
  if (reading.kind !== 'valid') return undefined;
  const { name, categoryId, status: petStatus } = reading.pet;
  const status = statusOf(exchange) ?? 0;
  return {
    exchange,
    name,
    status: petStatus,
    categoryId,
    shape: isPlainName(name, settings) ? shapeOf(name) : undefined,
    isAccepted: status === 201,
    isRefused: status >= 400 && status < 500 && status !== 401,
  };
}

export interface Accepted {
  readonly categories: ReadonlySet<bigint>;
  readonly shapes: ReadonlySet<string | undefined>;
}

const learnedIn = memoizeIncrementally(
  () => ({ attempts: [] as Attempt[], categories: new Set<bigint>(), shapes: new Set<string | undefined>() }),
  ({ attempts, categories, shapes }, exchange, evidence: Evidence) => {
    const attempt = attemptOf(exchange, evidence);
    if (attempt === undefined) return;
    attempts.push(attempt);
    if (!attempt.isAccepted) return;
    categories.add(attempt.categoryId);
    if (attempt.shape !== undefined) shapes.add(attempt.shape);
  },
);

/** The valid creations with a valid key, in order. */
export const attemptsIn = (evidence: Evidence): readonly Attempt[] => learnedIn(evidence).attempts;

export const acceptedIn: (evidence: Evidence) => Accepted = learnedIn;

/** A service that knows only some categories has none this far from zero; categories that mark a body are nearer. */
const farFromZero = 2n ** 42n;

/** Whether the target accepts any category, as one far from zero has shown. */
export function takesAnyCategory({ categories }: Accepted): boolean {
  return [...categories].some((id) => id > farFromZero || id < -farFromZero);
}
