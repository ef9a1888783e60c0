/** Failures and warnings on the page, by cause: the broken requirements, expected and received, evidence, and commands. */

import { sentenceOf } from '../../verdict/failure.ts';
import { pointerInto } from '../evidence.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { type BrokenView, type CauseView, causeHeadings, type View } from '../view.ts';
import { exchangeOfFailure } from './exchange.ts';
import { badge, exchangeLinks, longText, type PageSection, paragraphs } from './parts.ts';

function contrastBlock({ failure: { expected, received }, also }: CauseView): Markup {
  return markup`<dl>
<dt>Expected</dt><dd>${longText(expected)}</dd>
<dt>Received</dt><dd><strong>${longText(received)}</strong></dd>
</dl>${joinMarkup(paragraphs(also === undefined ? [] : [also]))}`;
}

function requirementLines({ requirement, mark }: BrokenView, code: string): Markup {
  const { id, section, text } = requirement;
  return markup`<h3>${badge(mark)} <span>§${section} <a href="#requirement-${id}">${id}</a> <code class="quiet">${code}</code></span></h3>
<p>${text}</p>`;
}

/** The failures of a requirement that differ from the one shown, and remarks on it. */
function detailLines({ further, remarks }: BrokenView, { report }: View): Markup {
  const others = further.map(
    (failure) =>
      markup`<p class="quiet">${exchangeLinks(failure.exchanges, report)} <code>${failure.code}</code> ${longText(sentenceOf(failure))}</p>`,
  );
  return joinMarkup([...others, ...paragraphs(remarks.length === 0 ? [] : [remarks.join(' ')])]);
}

function commandBlock(title: string, command: string): Markup {
  return markup`<h4>${title}</h4>
<div class="command"><pre tabindex="0"><code>${command}</code></pre><button type="button" class="copy" hidden="">Copy</button></div>`;
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
  return markup`<details${isOpen ? markup` open=""` : markup``}><summary>Evidence: the exchange, and commands that show it again</summary>
<p>Shown by ${exchangeLinks(cited, report)}.</p>
${joinMarkup(exchanges.map((exchange) => exchangeOfFailure(exchange, pointerInto(exchange, failure))))}
${commandBlock(single, failure.curl)}
${again === undefined ? '' : commandBlock(whole, again)}
</details>`;
}

function causeBlock(cause: CauseView, view: View): Markup {
  const [shown, ...others] = cause.broken;
  const further = others.map((broken) => {
    const codes = [...new Set(broken.requirement.failures.map(({ code }) => code))].join(', ');
    return markup`${requirementLines(broken, codes)}
${detailLines(broken, view)}`;
  });
  return markup`<article class="cause judged ${cause.mark}" id="cause-${cause.number}">
${requirementLines(shown, cause.failure.code)}
${contrastBlock(cause)}
${detailLines(shown, view)}
${joinMarkup(further)}
${evidenceBlock(cause, view)}
</article>`;
}

/** Failures, warnings and waived failures, each by cause under a heading of its own. */
export function causeSections(view: View): readonly PageSection[] {
  return causeHeadings.flatMap(([mark, title]) => {
    const own = view.causes.filter((cause) => cause.mark === mark);
    if (own.length === 0) return [];
    const content = joinMarkup(own.map((cause) => causeBlock(cause, view)));
    return [{ id: title.toLowerCase().replace(' ', '-'), title, name: `${title} (${own.length})`, content }];
  });
}
