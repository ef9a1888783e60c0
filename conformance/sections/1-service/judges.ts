/** §1 What the service does: judges whether documented answers are JSON. */

import { isDocumented } from '../../http/documented.ts';
import { isJsonMediaType } from '../../http/json.ts';
import { bodyProblem, headerOf, isJson } from '../../http/read-response.ts';
import { type Finding, fails, holds, type Judge } from '../../verdict/finding.ts';
import type { Answered } from '../../world/evidence.ts';
import { isRemovedFor, type World } from '../../world/world.ts';

/** Requests and responses are JSON (§1): an answer that §4 lists has a JSON body, and says so in Content-Type. */
function judgePayload(world: World, exchange: Answered): readonly Finding[] {
  const { response } = exchange;
  if (!isDocumented(exchange) || isRemovedFor(world, exchange)) return [];
  const mediaType = headerOf(response, 'content-type');
  if (!isJson(exchange)) {
    const facts = { expected: `a JSON body with the ${response.status}`, received: bodyProblem(response) };
    return [fails('service-json', 'not-json', facts, exchange)];
  }
  if (!isJsonMediaType(mediaType)) {
    const facts = { expected: 'the media type application/json', received: mediaType ?? 'none' };
    return [fails('service-json', 'not-application-json', facts, exchange)];
  }
  return [holds('service-json', exchange)];
}

export const serviceJudges: readonly Judge[] = [
  {
    id: 'payload-is-json',
    verifies: ['service-json'],
    judge: (world) => world.answered.flatMap((exchange) => judgePayload(world, exchange)),
  },
];
