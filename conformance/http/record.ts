/** Turns requests and responses into evidence: without secrets, and of bounded size. */

import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../spec/defined.ts';
import type { RecordedRequest, RecordedResponse } from './exchange.ts';
import { copyStart, type JsonReading, readJson } from './json.ts';
import { keepReading } from './read-response.ts';
import { type Redact, redactBody } from './redact.ts';
import { hiddenValue, hideInUrls, isSecretName } from './secret-names.ts';
import { type Incoming, TransportError } from './transport.ts';

/** Evidence shows only the start of a longer body; checks read more of it. UTF-16 units. */
export const longestBody = 64 * 1024;
/** Of a longer page the first entries are kept: they show that it has too many. */
const mostEntries = 100;

export interface RecorderOptions {
  readonly redact: Redact;
  /** The length of a body that evidence shows. */
  readonly longest?: number;
}

function decode(body: Uint8Array): { readonly text: string; readonly isNotUtf8?: true } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body) };
  } catch {
    return { text: new TextDecoder().decode(body), isNotUtf8: true };
  }
}

/** Reads a body; of a page that is too long, the first entries. */
function readText(text: string): JsonReading {
  const reading = readJson(text);
  if (text.length <= longestBody || !('value' in reading)) return reading;
  const { value } = reading;
  if (!Array.isArray(value) || value.length <= mostEntries + 1) return reading;
  return { value: value.slice(0, mostEntries + 1), isCut: true };
}

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

export function createRecorder({ redact, longest = longestBody }: RecorderOptions) {
  return {
    /** Returns the same object where it holds no secret: what was read from it before need not be read again. */
    recordRequest(request: RecordedRequest): RecordedRequest {
      const { method, target, headers, body } = request;
      const recorded: RecordedRequest = defined({
        method: redact(method),
        target: redact(target),
        headers: recordHeaders(headers, redact),
        body: body === undefined ? undefined : redactBody(body, redact),
      });
      return isDeepStrictEqual(recorded, request) ? request : recorded;
    },
    /** Throws a TransportError, `too-large`, for a body that cannot be judged. */
    recordResponse(incoming: Incoming): RecordedResponse {
      if (incoming.isCut) throw new TransportError('too-large', `a body of more than ${incoming.body.length} bytes`);
      const { text, isNotUtf8 } = decode(incoming.body);
      const body = redactBody(text, redact);
      const reading = isNotUtf8 ? { problem: 'bytes that are no UTF-8' } : readText(body);
      const response: RecordedResponse = defined({
        status: incoming.status,
        headers: recordHeaders(incoming.headers, redact),
        body: body.length <= longest ? body : copyStart(body, longest),
        bodyLength: body.length <= longest ? undefined : body.length,
        isNotUtf8,
      });
      keepReading(response, reading);
      return response;
    },
  };
}

export type Recorder = ReturnType<typeof createRecorder>;
