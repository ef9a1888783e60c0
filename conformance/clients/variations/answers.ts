/** Worlds by gap: every answer that the reference server can give, and those of other services near it. */

import { gapChoices } from '../../../reference-server/index.ts';
import { type AnswerId, type Gap, type GapChoices, gaps, type OpenGapId } from '../../../spec/gaps.ts';
import { isInt64, isJsonObject } from '../../http/json.ts';
import { variantLagMs } from '../../http/tolerances.ts';
import {
  cappedAt,
  isListingOrRead,
  lagging,
  limitBeforeFilter,
} from '../../sections/4.1-list-pets/visibility-changes.ts';
import { changeAnswer, errorAnswer, sentJson, type Wrap, withHeader } from '../../sections/fault.ts';
import type { Variation, VariationContext } from '../service-variant.ts';

/** About noon of the first day without getPet. */
const removed = Date.UTC(2030, 11, 5, 12);

const openGaps = (gaps as readonly Gap[]).filter(({ reference }) => reference !== undefined);

/** The turn of one answer to a gap. */
export function variationOf(id: OpenGapId, answer: AnswerId, rest: Partial<Variation>): Variation {
  const gap = openGaps.find((one) => one.id === id)!;
  return {
    id: `${id}: ${answer}`,
    requirement: `any-${id}`,
    meaning: { ...gap.answers, ...gap.others }[answer]!,
    ...rest,
  };
}

/** What is answered to a 429 shows only where one is met: those worlds are in limits.ts. */
const ofLimits: ReadonlySet<string> = new Set(['too-many-requests-body', 'retry-after-form', 'ban']);
/** What takes the category that a client is told to exist is below. */
const ofOthers: ReadonlySet<string> = new Set(['known-categories']);

function isTurn(gap: string, answer: string): boolean {
  if (ofLimits.has(gap) || ofOthers.has(gap)) return false;
  return gap === 'after-removal' || answer !== gapChoices[gap]?.[0];
}

const byChoice: readonly Variation[] = Object.entries(gapChoices).flatMap(([gap, answers]) =>
  answers
    .filter((answer) => isTurn(gap, answer))
    .map((answer) =>
      variationOf(gap as OpenGapId, answer as AnswerId, {
        gaps: { [gap]: answer } as Partial<GapChoices>,
        ...(gap === 'after-removal' ? { startsAt: removed } : {}),
      }),
    ),
);

/** Only the category that the client was told of is known. */
function knownCategory({ categoryId }: VariationContext): Wrap {
  return (handle) => (request, now) => {
    const sent = sentJson({ request });
    const isOther = isJsonObject(sent) && isInt64(sent['categoryId']) && sent['categoryId'] !== categoryId;
    if (request.method !== 'POST' || !isOther) return handle(request, now);
    const answer = handle({ ...request, body: new Uint8Array() }, now);
    return answer.status === 400 ? errorAnswer(400, answer) : answer;
  };
}

/** A removed getPet leads to another host, as a moved service does. */
function redirectsElsewhere({ elsewhere }: VariationContext): Wrap {
  return changeAnswer((answer, { operation, request }) => {
    if (operation !== 'getPet' || answer.status !== 410) return undefined;
    const place = elsewhere + request.target.slice('/v1'.length);
    return { ...withHeader(answer, 'Location', place), status: 308, body: '' };
  });
}

/** The next page lies on another host. */
function pagesElsewhere({ elsewhere }: VariationContext): Wrap {
  return changeAnswer((answer, { operation }) =>
    operation === 'listPets' && answer.status === 200
      ? withHeader(answer, 'Link', `<${elsewhere}/pets?after=20>; rel="next"`)
      : undefined,
  );
}

const fewAnimals = 2;

const byWrap: readonly Variation[] = [
  variationOf('known-categories', 'refused-400', { wrap: knownCategory }),
  variationOf('page-cap', 'fewer', { wrap: () => cappedAt(fewAnimals) }),
  variationOf('short-pages', 'limit-before-filter', { wrap: () => limitBeforeFilter }),
  variationOf('visibility', 'later', { wrap: () => lagging(variantLagMs, isListingOrRead) }),
  variationOf('after-removal', 'redirected', { wrap: redirectsElsewhere, leadsElsewhere: true, startsAt: removed }),
  {
    ...variationOf('later-pages', 'link-header', { wrap: pagesElsewhere, leadsElsewhere: true }),
    id: 'later-pages: link-header to another host',
    meaning: 'A Link header names the next page, on another host.',
  },
];

/** One turn for each answer. */
export const answerVariations: readonly Variation[] = [...byChoice, ...byWrap];
