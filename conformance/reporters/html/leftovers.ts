/** The animals that the run leaves behind, on the page. */

import type { Report } from '../../verdict/report.ts';
import { joinMarkup, markup } from '../markup.ts';
import { leftoversInWords } from '../words.ts';
import { type PageSection, paragraphs } from './parts.ts';

export function leftoverSection(report: Report): readonly PageSection[] {
  if (report.created.length === 0) return [];
  const animals = report.created.map(({ id, name }) => markup`<li><code>${id ?? 'no id'}</code> ${name}</li>`);
  const content = markup`${joinMarkup(paragraphs(leftoversInWords(report)))}
<details><summary>Their ids and names</summary><ul>
${joinMarkup(animals)}
</ul></details>`;
  return [{ id: 'leftovers', title: 'Left behind', name: 'Left behind', content }];
}
