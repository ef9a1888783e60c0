/** Turns requests and responses into evidence: without secrets, and of bounded size. */

import { isDeepStrictEqual } from 'node:util';
import { defined } from '../../spec/defined.ts';
import type { RecordedRequest, RecordedResponse } from './exchange.ts';
import { copyStart, firstEntries, type JsonReading, readJson } from './json.ts';
import { keepReading } from './read-response.ts';
import { type Redact, redactBody } from './redact.ts';
import { hiddenValue, hideInUrls, isSecretName } from './secret-names.ts';
import { type Incoming, TransportError } from './transport.ts';

/** Evidence shows only the start of a longer body; checks read more of it. UTF-16 units. */
export const longestBody = 64 * 1024;
/** A longer body is read only if it is a page: its first entries show that it has too many. */
const longestRead = 2 * 1024 * 1024;
const mostEntries = 100;

export interface RecorderOptions {
  readonly redact: Redact;
  /** The length of a body that evidence shows. */
  readonly longest?: number;
}

function decode({ body, isCut }: Incoming): { readonly text: string; readonly isNotUtf8?: true } {
  try {
    // A cut body may end with half a character.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(body, { stream: isCut === true }) };
  } catch {
    return { text: new TextDecoder().decode(body), isNotUtf8: true };
  }
}

/** Reads a body, or the first entries of a page that is too long; undefined if the body is too large to read. */
function readText(text: string, isCut: boolean): JsonReading | undefined {
  const page = text.length > longestBody ? firstEntries(text, mostEntries + 1) : undefined;
  if (page !== undefined && page.length <= longestRead) return { ...readJson(page), isCut: true };
  return isCut || text.length > longestRead ? undefined : readJson(text);
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
      const { text, isNotUtf8 } = decode(incoming);
      const body = redactBody(text, redact);
      const reading = isNotUtf8 ? { problem: 'bytes that are no UTF-8' } : readText(body, incoming.isCut === true);
      if (reading === undefined) throw new TransportError('too-large', `a body of more than ${longestRead} bytes`);
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
