/** Turns requests and responses into evidence: without secrets, and of bounded size. */

import { isUtf8 } from 'node:buffer';
import { defined } from '../../spec/defined.ts';
import type { RecordedRequest, RecordedResponse } from './exchange.ts';
import { readJson } from './json.ts';
import { keepReading } from './read-response.ts';
import { type Redact, redactBody } from './redact.ts';
import { hiddenValue, hideInUrls, isSecretName } from './secret-names.ts';
import type { Incoming } from './transport.ts';

/** Evidence shows only the start of a longer body; checks read more of it. UTF-16 units. */
export const longestBody = 64 * 1024;
/** Of a longer page the first entries are kept: they show that it has too many. */
const mostEntries = 101;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** These name no secret, whatever words they contain. */
const isPublic = /^((www|proxy)-authenticate|access-control-.*)$/;

function recordHeaders(headers: Readonly<Record<string, string>>, redact: Redact): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([written, value]) => {
      const name = written.toLowerCase();
      const isHidden = isSecretName(name) && !isPublic.test(name);
      return [redact(name), isHidden ? hiddenValue : redact(hideInUrls(value))];
    }),
  );
}

/** `longest`: the length of a body that evidence shows. */
export function createRecorder(redact: Redact, longest = longestBody) {
  return {
    recordRequest({ method, target, headers, body }: RecordedRequest): RecordedRequest {
      return defined({
        method: redact(method),
        target: redact(target),
        headers: recordHeaders(headers, redact),
        body: body === undefined ? undefined : redactBody(body, redact),
      });
    },
    recordResponse(incoming: Incoming): RecordedResponse {
      const isNotUtf8 = isUtf8(incoming.body) ? undefined : true;
      const body = redactBody(decoder.decode(incoming.body), redact);
      const response = { status: incoming.status, headers: recordHeaders(incoming.headers, redact) };
      if (body.length <= longest) return defined({ ...response, body, isNotUtf8 });
      // A slice alone would keep the whole text in memory.
      const start = Buffer.from(body.slice(0, longest)).toString();
      const cut: RecordedResponse = defined({ ...response, body: start, bodyLength: body.length, isNotUtf8 });
      if (isNotUtf8) return cut;
      const reading = readJson(body);
      const isPage = 'value' in reading && Array.isArray(reading.value);
      keepReading(cut, isPage ? { value: reading.value.slice(0, mostEntries) } : reading);
      return cut;
    },
  };
}

export type Recorder = ReturnType<typeof createRecorder>;
