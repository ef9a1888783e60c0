/** Variations by gap: every answer that the reference server can give, and some answers of other services. */

import { gapChoices } from '../../../reference-server/twin/gaps.ts';
import { type AnswerId, type GapChoices, gaps, type OpenGapId } from '../../../spec/gaps.ts';
import { isInt64, isJsonObject } from '../../http/json.ts';
import { variantLagMs } from '../../http/tolerances.ts';
import {
  isListingOrRead,
  laggingFromFirstLook,
  limitBeforeFilter,
} from '../../sections/4.1-list-pets/visibility-changes.ts';
import { countsSuccessOnly } from '../../sections/8-limits/limiters.ts';
import { changeAnswer, changeRemaining, errorAnswer, sentJson, type Wrap, withHeader } from '../../sections/fault.ts';
import type { Variation, VariationContext } from '../service-variant.ts';

/** Noon of the first day without getPet. */
const removed = Date.UTC(2030, 11, 5, 12);

const openGaps = gaps.filter(({ reference }) => reference !== undefined);

export function variationOf(gap: OpenGapId, id: AnswerId, rest: Partial<Variation>): Variation {
  const { answers, others } = openGaps.find((one) => one.id === gap)!;
  const meaning = { ...answers, ...others }[id]!;
  return { id: `${gap}: ${id}`, requirement: `any-${gap}`, meaning, answer: { gap, id }, ...rest };
}

/** Gaps with variations of their own, which need a 429, another category for the client, or a short page to matter. */
const writtenByHand: ReadonlySet<string> = new Set([
  'too-many-requests-body',
  'retry-after-form',
  'ban',
  'known-categories',
  'page-cap',
]);

/** The answers that the base service does not give; getPet is removed in a variant of its own. */
const byChoice: readonly Variation[] = Object.entries(gapChoices).flatMap(([gap, answers]) =>
  answers
    .filter((_answer, at) => !writtenByHand.has(gap) && (gap === 'after-removal' || at > 0))
    .map((answer) =>
      variationOf(gap as OpenGapId, answer as AnswerId, {
        gaps: { [gap]: answer } as Partial<GapChoices>,
        ...(gap === 'after-removal' ? { startsAt: removed } : {}),
      }),
    ),
);

function knownCategory({ categoryId }: VariationContext): Wrap {
  return (handle) => (request, now) => {
    const sent = sentJson({ request });
    const isOther = isJsonObject(sent) && isInt64(sent['categoryId']) && sent['categoryId'] !== categoryId;
    if (request.method !== 'POST' || !isOther) return handle(request, now);
    const answer = handle({ ...request, body: new Uint8Array() }, now);
    return answer.status === 400 ? errorAnswer(400, answer) : answer;
  };
}

/** Redirects a removed getPet to another host, as a service that has moved does. */
function redirectsToOtherHost({ otherHost }: VariationContext): Wrap {
  return changeAnswer((answer, { operation, request }) => {
    if (operation !== 'getPet' || answer.status !== 410) return undefined;
    const place = otherHost + request.target.slice('/v1'.length);
    return { ...withHeader(answer, 'Location', place), status: 308, body: '' };
  });
}

function pagesOnOtherHost({ otherHost }: VariationContext): Wrap {
  return changeAnswer((answer, { operation }) =>
    operation === 'listPets' && answer.status === 200
      ? withHeader(answer, 'Link', `<${otherHost}/pets?after=20>; rel="next"`)
      : undefined,
  );
}

const byWrap: readonly Variation[] = [
  variationOf('known-categories', 'refused-400', { wrap: knownCategory }),
  variationOf('page-cap', 'fewer', { gaps: { 'page-cap': 'fewer 2' } }),
  variationOf('short-pages', 'limit-before-filter', { wrap: () => limitBeforeFilter }),
  variationOf('visibility', 'later', { wrap: () => laggingFromFirstLook(variantLagMs, isListingOrRead) }),
  // A client that follows without its key is refused there: only whether it keeps the key is judged.
  variationOf('after-removal', 'redirected', {
    wrap: redirectsToOtherHost,
    leadsToOtherHost: true,
    startsAt: removed,
    isOutcomeOpen: true,
  }),
  {
    ...variationOf('later-pages', 'link-header', {
      wrap: pagesOnOtherHost,
      leadsToOtherHost: true,
      isOutcomeOpen: true,
    }),
    id: 'later-pages: link-header to another host',
    meaning: 'A Link header names the next page, on another host.',
  },
];

export const answerVariations: readonly Variation[] = [...byChoice, ...byWrap];

/** Requests of another key for each request of the client. */
const otherRequests = 2;

/** Another key of the account uses up the same limit, but leaves one request, so that the client never has to wait. */
const sharedWithOthers: Wrap = (handle, keys) => {
  const used = new Map<number, number>();
  return changeRemaining(({ remaining, reset, status }, { isAuthorized }) => {
    if (!isAuthorized || status === 429) return undefined;
    const usedByOthers = (used.get(reset) ?? 0) + otherRequests;
    used.set(reset, usedByOthers);
    return Math.max(Math.min(remaining, 1), remaining - usedByOthers);
  })(handle, keys);
};

/**
 * Variations that count requests differently (§8) and refuse none of them. There is none for `key-scope`, whether keys see
 * each other's animals: a client has one key.
 */
export const countVariations: readonly Variation[] = [
  {
    ...variationOf('limit-scope', 'shared', { wrap: () => sharedWithOthers }),
    meaning: 'Another key of the account uses up the same limit.',
  },
  variationOf('refused-requests', 'not-counted', { wrap: () => countsSuccessOnly }),
];
