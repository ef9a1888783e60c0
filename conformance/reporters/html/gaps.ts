/** The gaps on the page: each question with the observed answer in words. */

import { type Gap, gaps as statedGaps } from '../../../spec/gaps.ts';
import type { Report } from '../../verdict/report.ts';
import { shorten } from '../escape.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { exchangeLinks, longestText, type PageSection } from './parts.ts';

type ReportedGap = Report['gaps'][number];

/** The meaning of the observed answers; an unknown answer is shown as it is. */
function answerOf({ id, observed }: ReportedGap): string {
  const gap: Gap | undefined = statedGaps.find((candidate) => candidate.id === id);
  if (observed.length === 0) return gap?.unobservable ?? 'Not observed in this run.';
  const words: Readonly<Record<string, string>> = { ...gap?.answers, ...gap?.others };
  return observed.map((answer) => (Object.hasOwn(words, answer) ? words[answer] : answer)).join(' Or: ');
}

function gapItem(gap: ReportedGap, carried: ReadonlySet<number>): Markup {
  const { id, section, question, observed, example } = gap;
  const link = example === undefined ? '' : markup` (${exchangeLinks([example], carried)})`;
  return markup`<li class="gap"><p>§${section} ${question} <code class="quiet">${id}</code></p>
<p class="${observed.length === 0 ? 'quiet' : 'answer'}">${shorten(answerOf(gap), longestText)}${link}</p></li>`;
}

/** Empty where the report has no gaps, such as that of a client. */
export function gapSection({ gaps }: Report, carried: ReadonlySet<number>): readonly PageSection[] {
  if (gaps.length === 0) return [];
  const content = markup`<ul>
${joinMarkup(gaps.map((gap) => gapItem(gap, carried)))}
</ul>`;
  return [{ id: 'gaps', title: 'Gaps of the interface: observed, never judged', name: 'Gaps', content }];
}
