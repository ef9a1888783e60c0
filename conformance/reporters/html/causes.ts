/** Failures and warnings on the page, by cause: the broken requirements, expected and received, evidence, and commands. */

import { sentenceOf } from '../../verdict/failure.ts';
import { pointerInto } from '../evidence.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { type BrokenView, type CauseView, causeHeadings, type View } from '../view.ts';
import { exchangeOfFailure } from './exchange.ts';
import { badge, exchangeLinks, longText, type PageSection, paragraphs, section } from './parts.ts';

/** A requirement with its failures that differ from the one shown, and remarks on it; `middle` stands between them. */
function brokenBlock(
  { requirement, mark, further, remarks }: BrokenView,
  codes: string,
  middle: Markup,
  { report }: View,
) {
  const { id, section, text } = requirement;
  const others = further.map((failure) => {
    const links = exchangeLinks(failure.exchanges, report);
    return markup`<p class="quiet">${links} <code>${failure.code}</code> ${longText(sentenceOf(failure))}</p>`;
  });
  return joinMarkup([
    markup`<h3>${badge(mark)} <span>§${section} <a href="#requirement-${id}">${id}</a> <code class="quiet">${codes}</code></span></h3>
<p>${text}</p>`,
    middle,
    ...others,
    ...paragraphs(remarks.length === 0 ? [] : [remarks.join(' ')]),
  ]);
}

/** With more causes than these their evidence is closed at first. */
const causesOpen = 3;

function evidenceBlock({ failure, exchanges, again, mark }: CauseView, { report, causes }: View): Markup {
  const isOpen = mark === 'fail' && causes.filter((one) => one.mark === 'fail').length <= causesOpen;
  const cited = [...new Set([...(failure.sequence ?? []), ...failure.exchanges])];
  const [single, whole] =
    report.client === undefined
      ? ['The same request with curl', 'Judge it again, by the JSON report of this run']
      : ['Start the service in which it fails', 'Run the client under all services again'];
  const commands = [[single, failure.curl] as const, ...(again === undefined ? [] : [[whole, again] as const])];
  return markup`<details${isOpen ? markup` open=""` : markup``}><summary>Evidence: the exchange, and commands that show it again</summary>
<p>Shown by ${exchangeLinks(cited, report)}.</p>
${joinMarkup(exchanges.map((exchange) => exchangeOfFailure(exchange, pointerInto(exchange, failure))))}
${joinMarkup(commands.map(([title, command]) => markup`<h4>${title}</h4>\n<pre class="command" tabindex="0"><code>${command}</code></pre>`))}
</details>`;
}

function causeBlock(cause: CauseView, view: View): Markup {
  const { failure, also, number, mark, broken } = cause;
  const [shown, ...others] = broken;
  const contrast = markup`<dl>
<dt>Expected</dt><dd>${longText(failure.expected)}</dd>
<dt>Received</dt><dd><strong>${longText(failure.received)}</strong></dd>
</dl>${joinMarkup(paragraphs(also === undefined ? [] : [also]))}`;
  const further = others.map((one) => {
    const codes = [...new Set(one.requirement.failures.map(({ code }) => code))].join(', ');
    return brokenBlock(one, codes, markup``, view);
  });
  return markup`<article class="cause ${mark}" id="cause-${number}">
${joinMarkup([brokenBlock(shown, failure.code, contrast, view), ...further])}
${evidenceBlock(cause, view)}
</article>`;
}

/** Failures, warnings and waived failures, each by cause under a heading of its own. */
export function causeSections(view: View): readonly PageSection[] {
  return causeHeadings.flatMap(([mark, title]) => {
    const own = view.causes.filter((cause) => cause.mark === mark);
    if (own.length === 0) return [];
    const content = joinMarkup(own.map((cause) => causeBlock(cause, view)));
    return [section(title.toLowerCase().replace(' ', '-'), title, content, `${title} (${own.length})`)];
  });
}
