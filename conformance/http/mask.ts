/**
 * Hides secrets where something leaves the process: in a report, on a terminal, in a log. Nothing that is judged has passed
 * through here.
 */

import { defined } from '../../spec/defined.ts';
import type { Exchange, RecordedRequest, RecordedResponse } from './exchange.ts';
import { type Redact, redactBody, redactor } from './redact.ts';
import { hiddenValue, hideInUrls, isSecretName } from './secret-names.ts';

export interface Mask {
  /** Hides secrets in a sentence, an address or a header; `shownBy` are the exchanges that the text is about. */
  readonly text: (text: string, shownBy?: readonly Exchange[]) => string;
  /** Hides them and nothing else, in a text that another program reads: it stays JSON where it was JSON. */
  readonly body: Redact;
  /** The same exchange as it may be shown. */
  readonly exchange: (exchange: Exchange) => Exchange;
}

/** These name no secret, whatever words they contain. */
const isPublic = /^((www|proxy)-authenticate|access-control-.*)$/;

/** An escape of JSON takes so many characters for one of a secret, so a cut may leave that much of it. */
const longestEscape = 6;

/** Hides some secrets in the parts of an exchange. */
function maskFor(secrets: readonly string[]) {
  const redact = redactor(secrets);
  const longestSecret = Math.max(0, ...secrets.map(({ length }) => length));
  const text: Redact = (shown) => redact(hideInUrls(shown));
  const body: Redact = (shown) => redactBody(shown, redact);

  function headers(all: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    return Object.fromEntries(
      Object.entries(all).map(([name, value]) => {
        const isHidden = isSecretName(name) && !isPublic.test(name);
        return [redact(name), isHidden ? hiddenValue : text(value)];
      }),
    );
  }

  return {
    text,
    body,
    request: (sent: RecordedRequest): RecordedRequest =>
      defined({
        method: redact(sent.method),
        target: text(sent.target),
        headers: headers(sent.headers),
        body: sent.body === undefined ? undefined : body(sent.body),
      }),
    response(received: RecordedResponse): RecordedResponse {
      const redacted = body(received.body);
      // The end of a body that was cut may be the beginning of a secret.
      const mayBeCut = received.bodyLength === undefined ? 0 : longestEscape * longestSecret;
      const shown = redacted.slice(0, redacted.length - mayBeCut);
      return { ...received, headers: headers(received.headers), body: shown };
    },
  };
}

/** A mask for the secrets that the senders of some exchanges had: in a run its keys and the credentials in its headers. */
export function createMask(secretsOf: (shownBy: readonly Exchange[]) => readonly string[]): Mask {
  const known = new Map<string, ReturnType<typeof maskFor>>();
  /** Most exchanges have the same sender. */
  function maskOf(shownBy: readonly Exchange[]): ReturnType<typeof maskFor> {
    const secrets = [...new Set(secretsOf(shownBy))];
    const label = JSON.stringify(secrets);
    const mask = known.get(label) ?? maskFor(secrets);
    known.set(label, mask);
    return mask;
  }
  return {
    text: (text, shownBy = []) => maskOf(shownBy).text(text),
    body: (text) => maskOf([]).body(text),
    exchange: (exchange) => {
      const mask = maskOf([exchange]);
      const { request, response, failure } = exchange;
      return defined({
        ...exchange,
        request: mask.request(request),
        response: response && mask.response(response),
        failure: failure && { ...failure, message: mask.text(failure.message) },
      });
    },
  };
}
