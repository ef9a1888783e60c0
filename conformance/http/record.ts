/** Turns what was sent and what came into evidence: without secrets, and no larger than a run may keep. */

import { createHash } from 'node:crypto';
import type { RecordedRequest, RecordedResponse } from './exchange.ts';
import { copyStart, firstEntries, isJsonObject, type JsonReading, type JsonValue, readJson } from './json.ts';
import { keepReading } from './read-response.ts';
import { isSecretHeader, type Redact, redactJson } from './redact.ts';
import { type Incoming, TransportError } from './transport.ts';

/** A longer body is cut in the evidence, UTF-16 units; what is judged is read from more of it. */
export const longestBody = 64 * 1024;
/** What the bodies of a run may take in memory in all, UTF-16 units. */
const mostKept = 16 * 1024 * 1024;
/** Bodies up to this are kept, however many there are. */
const smallBody = 2 * 1024;
/** Of a longer body only a page with more entries than this can be read: one too many shows what is wrong with it. */
const longestRead = 2 * 1024 * 1024;
const mostEntries = 100;

/** What is kept of a body; answers that repeat share it. */
interface Content {
  readonly body: Pick<RecordedResponse, 'body' | 'bodyLength' | 'isNotUtf8'>;
  readonly reading: JsonReading;
}

export interface Recorder {
  readonly recordRequest: (request: RecordedRequest) => RecordedRequest;
  /** Throws a TransportError, `too-large`, for a body of which nothing can be said. */
  readonly recordResponse: (incoming: Incoming) => RecordedResponse;
}

function decode({ body, isCut }: Incoming): { readonly text: string; readonly isNotUtf8?: true } {
  try {
    // The end of a body that is cut may be half a character.
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(body, { stream: isCut === true }) };
  } catch {
    return { text: new TextDecoder().decode(body), isNotUtf8: true };
  }
}

/** Reads a body, or as many entries of a page as show that it is too long; undefined where it is too large to read. */
function readText(text: string, isCut: boolean): JsonReading | undefined {
  const page = text.length > longestBody ? firstEntries(text, mostEntries + 1) : undefined;
  if (page !== undefined && page.length <= longestRead) return { ...withoutDepth(readJson(page)), isCut: true };
  if (isCut || text.length > longestRead) return undefined;
  const reading = readJson(text);
  return text.length > longestBody ? withoutDepth(reading) : reading;
}

/** Nothing is judged by what lies within the fields of an animal or an Error, and much of it would be kept. */
function withoutDepth(reading: JsonReading): JsonReading {
  if ('problem' in reading) return reading;
  const { value } = reading;
  return { value: Array.isArray(value) ? value.map(emptied) : emptied(value) };
}

/** An object whose fields hold no more than their kind where they hold more than one value. */
function emptied(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return Array.isArray(value) ? [] : value;
  const kindOf = (part: JsonValue): JsonValue => (Array.isArray(part) ? [] : isJsonObject(part) ? {} : part);
  return Object.fromEntries(Object.entries(value).map(([field, part]) => [field, kindOf(part)]));
}

/** A recorder for one run. */
export function createRecorder(redact: Redact, longest = longestBody): Recorder {
  const contents = new Map<string, Content>();
  let kept = 0;

  function readContent(incoming: Incoming): Content {
    const { text, isNotUtf8 } = decode(incoming);
    const shown = redactJson(text, redact);
    const reading = isNotUtf8 ? { problem: 'bytes that are no UTF-8' } : readText(shown, incoming.isCut === true);
    if (reading === undefined) throw new TransportError('too-large', `a body of more than ${longestRead} bytes`);
    const isKept = shown.length <= smallBody || kept + shown.length <= mostKept;
    const length = isKept ? longest : smallBody;
    const isWhole = shown.length <= length;
    kept += isKept ? Math.min(shown.length, longestRead) : smallBody;
    return {
      body: {
        body: isWhole ? shown : copyStart(shown, length),
        ...(isWhole ? {} : { bodyLength: shown.length }),
        ...(isNotUtf8 === undefined ? {} : { isNotUtf8 }),
      },
      // What is not kept may have been anything: nothing is concluded from it.
      reading: isKept || 'problem' in reading ? reading : { problem: 'a body that was not kept', isJson: true },
    };
  }

  function contentOf(incoming: Incoming): Content {
    const digest = createHash('sha256').update(incoming.body).digest('base64');
    const content = contents.get(digest) ?? readContent(incoming);
    contents.set(digest, content);
    return content;
  }

  return {
    recordRequest: (request) => ({
      ...request,
      headers: Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [
          name.toLowerCase(),
          isSecretHeader(name) ? '[secret]' : redact(value),
        ]),
      ),
    }),
    recordResponse(incoming) {
      const content = contentOf(incoming);
      const headers = Object.entries(incoming.headers).map(([name, value]) => [
        name,
        /^\d+$/.test(value) ? value : redact(value),
      ]);
      const response: RecordedResponse = {
        status: incoming.status,
        headers: Object.fromEntries(headers),
        ...content.body,
      };
      keepReading(response, content.reading);
      return response;
    },
  };
}
