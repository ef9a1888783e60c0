/** Exchanges on the page: request and response, with bodies cut around the place that breaks a requirement. */

import type { Report, ReportedExchange } from '../../verdict/report.ts';
import type { ShownEvidence } from '../blocks.ts';
import { shorten } from '../escape.ts';
import { headerLines, requestLine, withoutResponse } from '../evidence.ts';
import { type ExcerptLine, excerptOf, sizeInWords } from '../excerpt.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';

const longestShownLine = 300;

function bodyLine({ text, kind }: ExcerptLine): Markup {
  if (kind === 'plain') return markup`${text}`;
  return kind === 'defect' ? markup`<mark>${text}</mark>` : markup`<i>${text}</i>`;
}

/** First lines and headers, and below them the body. */
function side(lines: readonly string[], body: string, pointer?: string, length?: number): Markup {
  const size = body === '' ? 'no body' : `body: ${sizeInWords(body, length)}`;
  const excerpt = body === '' ? '' : markup`<pre>${joinMarkup(excerptOf(body, pointer).map(bodyLine))}</pre>`;
  return markup`<div>
<pre>${lines.map((line) => shorten(line, longestShownLine)).join('\n')}</pre>
<p class="quiet">${size}</p>
${excerpt}</div>`;
}

function answerMarkup(exchange: ReportedExchange, pointer?: string): Markup {
  if (exchange.response === undefined) return side([withoutResponse(exchange)], '');
  const { status, headers, body, bodyLength } = exchange.response;
  return side([String(status), ...headerLines(headers)], body, pointer, bodyLength);
}

/** Request and response, side by side where there is room. */
function sides(exchange: ReportedExchange, pointer?: string): Markup {
  const { method, target, headers, body = '' } = exchange.request;
  return markup`<div class="sides">
${side([`${method} ${target}`, ...headerLines(headers)], body)}
${answerMarkup(exchange, pointer)}
</div>`;
}

function titleOfExchange(exchange: ReportedExchange): string {
  return `${shorten(requestLine(exchange), 200)} → ${exchange.response?.status ?? 'no response'}`;
}

/** Exchanges that show a failure, `pointer` marked in their bodies, and the commands that show it again. */
export function evidenceIn({ exchanges, earlier, command, again }: ShownEvidence, isOpen: boolean): Markup {
  const before = earlier.map((number) => markup` <a href="#exchange-${number}">#${number}</a>`);
  const shown = exchanges.map(
    ({ exchange, pointer }) => markup`<h4>${titleOfExchange(exchange)}</h4>\n${sides(exchange, pointer)}`,
  );
  const commands = [['Show it again', command] as const, ['Judge it again', again] as const].flatMap(([title, text]) =>
    text === undefined ? [] : [markup`<h4>${title}</h4>\n<pre class="command" tabindex="0"><code>${text}</code></pre>`],
  );
  return markup`<details${isOpen ? markup` open=""` : ''}><summary>Evidence</summary>
${before.length === 0 ? '' : markup`<p>Before these:${joinMarkup(before)}</p>`}
${joinMarkup([...shown, ...commands])}
</details>`;
}

/** All exchanges that the report carries, closed at first. */
export function exchangeList({ exchanges }: Report) {
  if (exchanges.length === 0) return [];
  const list = exchanges.map((exchange) => {
    const { number, check, startedAt, durationMs } = exchange;
    return markup`<details><summary>${titleOfExchange(exchange)}</summary>
<div id="exchange-${number}"><p class="quiet">Sent by ${check} at ${startedAt}, answered within ${durationMs} ms.</p>
${sides(exchange)}</div></details>`;
  });
  return [{ title: 'Exchanges', content: joinMarkup(list) }];
}
