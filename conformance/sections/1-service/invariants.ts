/** §1 What the service does: judges whether documented answers are JSON. */

import { hasDocumentedBody } from '../../../spec/operations.ts';
import { isDocumented } from '../../http/documented.ts';
import type { Exchange } from '../../http/exchange.ts';
import { isJson, readBody } from '../../http/read-response.ts';
import type { Invariant } from '../../verdict/check.ts';
import { type Finding, fails, holds } from '../../verdict/finding.ts';

/** Whether §4 gives the answer a body. */
function mustHaveBody({ operation, response }: Exchange): boolean {
  return operation !== 'other' && response !== undefined && hasDocumentedBody(operation, response.status);
}

function judgePayload(exchange: Exchange): readonly Finding[] {
  const { response } = exchange;
  if (response === undefined || !isDocumented(exchange) || !mustHaveBody(exchange)) return [];
  const mediaType = response.headers['content-type'];
  if (!isJson(exchange)) {
    const reading = readBody(response);
    const message = `expected a JSON body with the ${response.status}, received ${'problem' in reading ? reading.problem : ''}`;
    return [fails('service-json', 'not-json', message, exchange)];
  }
  if (mediaType === undefined || !/^application\/json\s*(;|$)/i.test(mediaType.trim())) {
    const message = `expected the media type application/json, received ${mediaType ?? 'none'}`;
    return [fails('service-json', 'not-application-json', message, exchange)];
  }
  return [holds('service-json', exchange)];
}

const payloadIsJson: Invariant = {
  kind: 'invariant',
  id: 'payload-is-json',
  verifies: ['service-json'],
  title: 'Documented answers are JSON with the media type application/json',
  judge: (history) => history.answered.flatMap(judgePayload),
};

export const serviceInvariants: readonly Invariant[] = [payloadIsJson];
