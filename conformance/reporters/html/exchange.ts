/** Exchanges on the page: request and response, with bodies cut around the place that breaks a requirement. */

import type { ReferenceAnswer, Report, ReportedExchange } from '../../verdict/report.ts';
import { shorten } from '../escape.ts';
import { headerLines, requestLine, withoutResponse } from '../evidence.ts';
import { type ExcerptLine, excerptOf, sizeInWords } from '../excerpt.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import type { PageSection } from './parts.ts';

const longestLine = 300;

function bodyLine({ text, kind }: ExcerptLine): Markup {
  if (kind === 'plain') return markup`${text}`;
  return kind === 'defect' ? markup`<mark>${text}</mark>` : markup`<i>${text}</i>`;
}

function bodyBlock(body: string, length: number | undefined, pointer: string | undefined): Markup {
  if (body === '') return markup`<p class="quiet">no body</p>`;
  return markup`<p class="quiet">body: ${sizeInWords(body, length)}</p>
<pre>${joinMarkup(excerptOf(body, pointer).map(bodyLine))}</pre>`;
}

function headBlock(lines: readonly string[]): Markup {
  return markup`<pre>${lines.map((line) => shorten(line, longestLine)).join('\n')}</pre>`;
}

function requestSide({ request }: ReportedExchange): Markup {
  return markup`<div>
${headBlock([`${request.method} ${request.target}`, ...headerLines(request.headers)])}
${bodyBlock(request.body ?? '', undefined, undefined)}
</div>`;
}

function responseBlocks({ status, headers, body, bodyLength }: ReferenceAnswer, pointer: string | undefined): Markup {
  return markup`${headBlock([String(status), ...headerLines(headers)])}
${bodyBlock(body, bodyLength, pointer)}`;
}

function responseSide(exchange: ReportedExchange, pointer: string | undefined): Markup {
  const { response } = exchange;
  if (response === undefined) return headBlock([withoutResponse(exchange)]);
  return responseBlocks(response, pointer);
}

/** Request and response, side by side where there is room. */
function sides(exchange: ReportedExchange, pointer: string | undefined): Markup {
  return markup`<div class="sides">
${requestSide(exchange)}
<div>
${responseSide(exchange, pointer)}
</div>
</div>`;
}

/** The request, and below it the response side by side with the reference server's. */
function comparedSides(exchange: ReportedExchange, reference: ReferenceAnswer, pointer: string | undefined): Markup {
  return markup`<div class="sides compared">
${requestSide(exchange)}
<div><p class="quiet">The target answers:</p>
${responseSide(exchange, pointer)}
</div>
<div><p class="quiet">The reference server answers (with its own choices for gaps):</p>
${responseBlocks(reference, undefined)}
</div>
</div>`;
}

function titleOfExchange(exchange: ReportedExchange): string {
  const { number, response } = exchange;
  return `#${number} ${shorten(requestLine(exchange), 200)} → ${response?.status ?? 'no response'}`;
}

/** One exchange as the evidence of a failure, which `pointer` shows in its body. */
export function exchangeOfFailure(exchange: ReportedExchange, pointer: string | undefined): Markup {
  const { reference } = exchange;
  return markup`<h4>${titleOfExchange(exchange)}</h4>
${reference === undefined ? sides(exchange, pointer) : comparedSides(exchange, reference, pointer)}`;
}

function exchangeDetails(exchange: ReportedExchange): Markup {
  const { number, check, startedAt, durationMs } = exchange;
  return markup`<details class="exchange"><summary>${titleOfExchange(exchange)}</summary>
<div id="exchange-${number}">
<p class="quiet">Sent by ${check} at ${startedAt}, answered within ${durationMs} ms.</p>
${sides(exchange, '')}
</div></details>`;
}

export function exchangeSection({ exchanges }: Report): readonly PageSection[] {
  if (exchanges.length === 0) return [];
  const content = joinMarkup(exchanges.map(exchangeDetails));
  return [{ id: 'exchanges', title: 'Exchanges', name: `Exchanges (${exchanges.length})`, content }];
}
