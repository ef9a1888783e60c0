/** Writes the exchanges of a report as an HTTP archive (HAR 1.2), for tests of what reads archives. */

import type { Report } from '../verdict/report.ts';

function pairs(fields: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(fields).map(([name, value]) => ({ name, value }));
}

export function harOf({ exchanges, target }: Pick<Report, 'exchanges' | 'target'>): string {
  const entries = exchanges.map(({ request, response, startedAt, durationMs, credentialId }) => {
    const body = response?.body ?? '';
    // A byte order mark may be missing from a text, so only a greater difference shows that a body was cut.
    const cut = response?.bodyLength === undefined ? 0 : Math.max(4, response.bodyLength - body.length);
    return {
      startedDateTime: startedAt,
      time: durationMs,
      request: {
        method: request.method,
        url: target.baseUrl + request.target,
        headers: pairs(request.headers),
        bodySize: Buffer.byteLength(request.body ?? ''),
        ...(request.body !== undefined && { postData: { text: request.body } }),
      },
      // Archives use status 0 for a request without an answer.
      response: {
        status: response?.status ?? 0,
        headers: pairs(response?.headers ?? {}),
        content: { size: Buffer.byteLength(body) + cut, text: body },
      },
      _credentialId: credentialId,
    };
  });
  return JSON.stringify({ log: { version: '1.2', entries } });
}
