/** Compares the answers of a service variant with those of the reference server to the same requests. */

import type { Handle, NewPet, StoreRequest, StoreResponse } from '../../reference-server/index.ts';
import { createTwin } from '../../reference-server/twin/gaps.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import { seededRandom } from '../../spec/random.ts';
import { dayMs } from '../http/tolerances.ts';
import { headerNumber, type Keys, type Wrap, withHeader } from '../sections/fault.ts';
import { animalsOf, type ServiceVariant, type VariationContext } from './service-variant.ts';

/** A request as it arrived, and how the variant's answer differed from that of the reference server. */
export interface ComparedRequest {
  readonly request: StoreRequest;
  /** Unix milliseconds by the clock of the reference server. */
  readonly receivedAt: number;
  readonly difference: AnswerDifference | undefined;
  /** The keys of the server. */
  readonly keys: Keys;
}

/** How an answer differs from that of the reference server: in its status, or only in headers or body. */
export type AnswerDifference = 'status' | 'form';

/** Every server draws the same ids and orders, so that two runs of a client meet the same answers. */
export const serverSeed = 1;

function createHandle({ api }: Keys, animals: readonly NewPet[], gaps: Partial<GapChoices>): Handle {
  return createTwin({ keys: [{ key: api, plan: 'business' }], animals, gaps, random: seededRandom(serverSeed) }).handle;
}

function differenceBetween(one: StoreResponse, other: StoreResponse): AnswerDifference | undefined {
  if (one.status !== other.status) return 'status';
  const [headers, otherHeaders] = [one, other].map((answer) => JSON.stringify(Object.entries(answer.headers).sort()));
  return one.body === other.body && headers === otherHeaders ? undefined : 'form';
}

/** An answer of a service on another day, with its reset by the clock of the client: its Date is that of this machine. */
function withResetBefore(answer: StoreResponse, aheadMs: number): StoreResponse {
  if (aheadMs === 0) return answer;
  const reset = headerNumber(answer, 'X-RateLimit-Reset') - aheadMs / 1000;
  return withHeader(answer, 'X-RateLimit-Reset', String(reset));
}

/** A wrapper that notes each request; `aheadMs` is how far the clock of the variant is ahead of the client's. */
export function compareAnswers(
  variant: ServiceVariant,
  aheadMs: number,
  note: (request: ComparedRequest) => void,
): Wrap {
  return (handle, keys) => {
    const reference = createHandle(keys, animalsOf({ ...variant, variations: [] }), variant.gaps ?? {});
    return (request, now) => {
      const expected = reference(request, now - aheadMs);
      const answer = withResetBefore(handle(request, now), aheadMs);
      note({ request, receivedAt: now - aheadMs, difference: differenceBetween(answer, expected), keys });
      return answer;
    };
  };
}

/** The answers of a variant to gaps. Servers on loopback would allow every origin by default, unlike the reference. */
export function gapsOf({ gaps: base, variations }: ServiceVariant): Partial<GapChoices> {
  return Object.assign({ cors: 'none' }, base, ...variations.map(({ gaps }) => gaps)) as Partial<GapChoices>;
}

/** How far a variant's clock is ahead of the client's, milliseconds: whole days, so that windows end at the same time. */
export function aheadOf({ variations }: ServiceVariant, now: number): number {
  const startsAt = variations.find((variation) => variation.startsAt !== undefined)?.startsAt;
  return startsAt === undefined ? 0 : Math.ceil((startsAt - now) / dayMs) * dayMs;
}

/** More requests than this tell nothing new about what a client depends on. */
const mostReplayed = 300;

/** Whether a variant answers a recorded run of requests differently at all: otherwise a client cannot tell it apart. */
export function answersDifferently(
  variant: ServiceVariant,
  requests: readonly ComparedRequest[],
  context: VariationContext,
): boolean {
  const [first] = requests;
  if (first === undefined) return false;
  const aheadMs = aheadOf(variant, first.receivedAt);
  let isDifferent = false;
  const wraps = variant.variations.flatMap(({ wrap }) => wrap?.(context) ?? []);
  const compare = compareAnswers(variant, aheadMs, ({ difference }) => {
    isDifferent ||= difference !== undefined;
  });
  const handle = [...wraps, compare].reduce(
    (inner, wrap) => wrap(inner, first.keys),
    createHandle(first.keys, animalsOf(variant), gapsOf(variant)),
  );
  for (const { request, receivedAt } of requests.slice(0, mostReplayed)) {
    handle(request, receivedAt + aheadMs);
    if (isDifferent) return true;
  }
  return false;
}
