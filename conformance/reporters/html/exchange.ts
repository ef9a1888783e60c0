/** Exchanges on the page: request and response, with bodies cut around the place that breaks a requirement. */

import type { ReferenceAnswer, Report, ReportedExchange } from '../../verdict/report.ts';
import { shorten } from '../escape.ts';
import { headerLines, requestLine, withoutResponse } from '../evidence.ts';
import { type ExcerptLine, excerptOf, sizeInWords } from '../excerpt.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { type PageSection, section } from './parts.ts';

const longestLine = 300;

function bodyLine({ text, kind }: ExcerptLine): Markup {
  if (kind === 'plain') return markup`${text}`;
  return kind === 'defect' ? markup`<mark>${text}</mark>` : markup`<i>${text}</i>`;
}

function bodyBlock(body: string, length?: number, pointer?: string): Markup {
  if (body === '') return markup`<p class="quiet">no body</p>`;
  return markup`<p class="quiet">body: ${sizeInWords(body, length)}</p>
<pre>${joinMarkup(excerptOf(body, pointer).map(bodyLine))}</pre>`;
}

function side(lines: readonly string[], body: Markup, caption = ''): Markup {
  return markup`<div>${caption === '' ? '' : markup`<p class="quiet">${caption}</p>`}
<pre>${lines.map((line) => shorten(line, longestLine)).join('\n')}</pre>
${body}
</div>`;
}

function answerSide(
  { status, headers, body, bodyLength }: ReferenceAnswer,
  pointer?: string,
  caption?: string,
): Markup {
  return side([String(status), ...headerLines(headers)], bodyBlock(body, bodyLength, pointer), caption);
}

/** Request and response, side by side where there is room; with the reference server's answer the request stands above both. */
function sides(exchange: ReportedExchange, pointer?: string, reference?: ReferenceAnswer): Markup {
  const { request, response } = exchange;
  const captions =
    reference === undefined
      ? []
      : ['The target answers:', 'The reference server answers (with its own choices for gaps):'];
  return markup`<div class="sides${reference === undefined ? '' : ' compared'}">
${side([`${request.method} ${request.target}`, ...headerLines(request.headers)], bodyBlock(request.body ?? ''))}
${response === undefined ? side([withoutResponse(exchange)], markup``) : answerSide(response, pointer, captions[0])}
${reference === undefined ? '' : answerSide(reference, undefined, captions[1])}
</div>`;
}

function titleOfExchange(exchange: ReportedExchange): string {
  const { number, response } = exchange;
  return `#${number} ${shorten(requestLine(exchange), 200)} → ${response?.status ?? 'no response'}`;
}

/** One exchange as the evidence of a failure, which `pointer` shows in its body. */
export function exchangeOfFailure(exchange: ReportedExchange, pointer?: string): Markup {
  return markup`<h4>${titleOfExchange(exchange)}</h4>
${sides(exchange, pointer, exchange.reference)}`;
}

function exchangeDetails(exchange: ReportedExchange): Markup {
  const { number, check, startedAt, durationMs } = exchange;
  return markup`<details class="exchange"><summary>${titleOfExchange(exchange)}</summary>
<div id="exchange-${number}">
<p class="quiet">Sent by ${check} at ${startedAt}, answered within ${durationMs} ms.</p>
${sides(exchange)}
</div></details>`;
}

export function exchangeSection({ exchanges }: Report): readonly PageSection[] {
  if (exchanges.length === 0) return [];
  const content = joinMarkup(exchanges.map(exchangeDetails));
  return [section('exchanges', 'Exchanges', content, `Exchanges (${exchanges.length})`)];
}
