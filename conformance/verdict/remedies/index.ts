/** Which mistake a failure shows, and what to change against it in each stack. */

import type { FailureCode } from '../../../spec/failure-codes.ts';
import type { RequirementId } from '../../../spec/requirements.ts';
import type { FailureFacts } from '../finding.ts';
import { inGo, inJava } from './compiled.ts';
import { inDjango } from './django.ts';
import { inHono } from './hono.ts';
import { type Mistake, type MistakeId, mistakes, type Sign } from './mistakes.ts';
import { inNestJS } from './nestjs.ts';
import { inExpress, inFastify } from './node.ts';
import { inFastAPI, inFlask } from './python.ts';
import { inRails } from './rails.ts';
import type { RemediesOfStack, Remedy } from './remedy.ts';
import { inNginx, inPHP, inSinatra } from './web.ts';

/** Every stack by the name that its users give it. */
export const remediesByStack: Readonly<Record<string, RemediesOfStack>> = {
  Express: inExpress,
  Fastify: inFastify,
  Hono: inHono,
  NestJS: inNestJS,
  FastAPI: inFastAPI,
  Flask: inFlask,
  Django: inDjango,
  Go: inGo,
  Java: inJava,
  Sinatra: inSinatra,
  Rails: inRails,
  PHP: inPHP,
  'nginx in front': inNginx,
};

/** A mistake with its remedies. */
export interface MistakeWithRemedies extends Mistake {
  readonly id: MistakeId;
  readonly remedies: readonly (Remedy & { readonly stack: string })[];
}

const everyMistake: readonly MistakeWithRemedies[] = Object.entries<Mistake>(mistakes).map(([name, mistake]) => {
  const id = name as MistakeId;
  const remedies = Object.entries(remediesByStack).flatMap(([stack, ofStack]) => {
    const remedy = ofStack[id];
    return remedy === undefined ? [] : [{ stack, ...remedy }];
  });
  return { id, ...mistake, remedies };
});

/** The mistakes that break a requirement, each with its remedies. */
export function mistakesBehind(requirement: RequirementId): readonly MistakeWithRemedies[] {
  return everyMistake.filter(({ signs, alsoBreaks = [] }) => {
    return alsoBreaks.includes(requirement) || signs.some((sign) => sign.requirement === requirement);
  });
}

/** What a failure says of itself that may tell one mistake from another. */
export type FailureToRemedy = Pick<FailureFacts, 'status' | 'input' | 'otherFault'> & { readonly code: string };

function isShownBy(sign: Sign, requirement: string, failure: FailureToRemedy): boolean {
  if (sign.requirement !== requirement) return false;
  if (!sign.codes.includes(failure.code as FailureCode)) return false;
  if (sign.status !== undefined && sign.status !== failure.status) return false;
  if (sign.hasOtherFault === true && failure.otherFault === undefined) return false;
  if (sign.input === undefined) return true;
  return failure.input !== undefined && sign.input.test(failure.input.value);
}

/**
 * The mistake that a failure of a requirement shows, with what to change whatever the stack; undefined where the failure
 * may have other reasons. `explain` of the requirement shows the remedies by stack.
 */
export function remedyOf(
  requirement: string,
  failure: FailureToRemedy,
): Pick<MistakeWithRemedies, 'id' | 'title' | 'advice'> | undefined {
  return everyMistake.find(({ signs }) => signs.some((sign) => isShownBy(sign, requirement, failure)));
}
