/** Turns requests and responses into evidence of bounded size. Nothing is hidden here: judges see what was sent and what came. */

import { isUtf8 } from 'node:buffer';
import { defined } from '../../spec/defined.ts';
import { pageLimit } from '../../spec/operations.ts';
import type { RecordedRequest, RecordedResponse } from './exchange.ts';
import { readJson } from './json.ts';
import { keepReading } from './read-response.ts';
import type { Incoming } from './transport.ts';

/** Evidence shows only the start of a longer body; checks read more of it. UTF-16 units. */
export const longestBody = 64 * 1024;
/** Of a longer page the first entries are kept: they show that it has too many. */
const mostEntries = pageLimit.most + 1;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function inLowerCase(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export function recordRequest(request: RecordedRequest): RecordedRequest {
  return { ...request, headers: inLowerCase(request.headers) };
}

/** `longest`: the length of a body that evidence shows, UTF-16 units. */
export function recordResponse(incoming: Incoming, longest = longestBody): RecordedResponse {
  const isNotUtf8 = isUtf8(incoming.body) ? undefined : true;
  const body = decoder.decode(incoming.body);
  const response = { status: incoming.status, headers: inLowerCase(incoming.headers) };
  if (body.length <= longest) return defined({ ...response, body, isNotUtf8 });
  // A slice alone would keep the whole text in memory.
  const start = Buffer.from(body.slice(0, longest)).toString();
  const cut: RecordedResponse = defined({ ...response, body: start, bodyLength: body.length, isNotUtf8 });
  if (isNotUtf8) return cut;
  const reading = readJson(body);
  const isPage = 'value' in reading && Array.isArray(reading.value);
  keepReading(cut, isPage ? { value: reading.value.slice(0, mostEntries) } : reading);
  return cut;
}
