/** All requirements on the page: a matrix of marks by section, a filter, and a list with details. */

import { type Mark, marks } from '../marks.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import type { RequirementView, SectionView, View } from '../view.ts';
import { badge, exchangeLinks, longText, type PageSection } from './parts.ts';

function markLink({ requirement: { id }, mark }: RequirementView): Markup {
  const title = `${id}: ${marks[mark].word}`;
  return markup`<li><a class="mark ${mark}" href="#requirement-${id}" aria-label="${title}" title="${title}">${marks[mark].unicode}</a></li>`;
}

function matrixRow({ title, requirements }: SectionView): Markup {
  const passed = requirements.filter(({ mark }) => mark === 'pass').length;
  return markup`<tr><th scope="row">${title}</th><td><ul>
${joinMarkup(requirements.map(markLink))}
</ul></td><td class="quiet">${passed} of ${requirements.length} pass</td></tr>`;
}

/** Filters by verdict with the style sheet alone, and by text where scripts run. */
function filterBar(requirements: readonly RequirementView[]): Markup {
  const found = Map.groupBy(requirements, ({ mark }): Mark => mark);
  const ticks = (Object.keys(marks) as Mark[]).flatMap((mark) => {
    const count = found.get(mark)?.length;
    if (count === undefined) return [];
    return [markup`<label><input type="checkbox" id="show-${mark}" checked=""/>${badge(mark)} ${count}</label>`];
  });
  return markup`<div class="filter" role="search">
<fieldset><legend>Show</legend>
${joinMarkup(ticks)}
</fieldset>
<label hidden="">Search <input type="search" id="search"/></label>
<output id="shown" class="quiet"></output>
</div>`;
}

const linksShown = 12;

/** The exchanges that break it, or the first that show it. */
function evidenceLinks({ requirement: { failures, examples = [], evidence } }: RequirementView, view: View): Markup {
  const cited = [...new Set(failures.flatMap(({ exchanges }) => exchanges))];
  if (cited.length > 0) return markup`: ${exchangeLinks(cited.slice(0, linksShown), view.report)}`;
  if (examples.length === 0) return markup``;
  return markup` (${exchangeLinks(examples, view.report)}${examples.length < evidence ? ', …' : ''})`;
}

function requirementItem(one: RequirementView, view: View): Markup {
  const { requirement, mark, note } = one;
  const { id, level, text } = requirement;
  // The first of several causes of one requirement is the worst.
  const cause = view.causes.find(({ broken }) => broken.some((each) => each.requirement.id === id));
  const name = cause === undefined ? markup`${id}` : markup`<a href="#cause-${cause.number}">${id}</a>`;
  const remark = note === undefined ? '' : markup`\n<p class="quiet">${longText(note)}${evidenceLinks(one, view)}</p>`;
  return markup`<li class="requirement judged ${mark}" id="requirement-${id}">${badge(mark)}<div>
<strong>${name}</strong>${level === 'advised' ? ' (advised)' : ''} ${text}${remark}
</div></li>`;
}

export function requirementSections(view: View): readonly PageSection[] {
  const { sections, report, isUnjudged } = view;
  const all = sections.flatMap(({ requirements }) => requirements);
  const groups = sections.map(
    ({ title, requirements }) => markup`<div class="group"><h3>${title}</h3>
<ul>
${joinMarkup(requirements.map((one) => requirementItem(one, view)))}
</ul></div>`,
  );
  const list = joinMarkup([filterBar(all), ...groups]);
  const content =
    report.counts.judged > 0
      ? list
      : markup`<details><summary>None of the ${all.length} requirements was judged.</summary>
${list}
</details>`;
  const matrix = markup`<table class="matrix"><tbody>
${joinMarkup(sections.map(matrixRow))}
</tbody></table>`;
  return [
    ...(isUnjudged ? [] : [{ id: 'matrix', title: 'Requirements by section', name: 'Matrix', content: matrix }]),
    { id: 'requirements', title: 'All requirements', name: `Requirements (${all.length})`, content },
  ];
}
