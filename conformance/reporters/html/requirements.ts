/** All requirements on the page: a matrix of marks by section, a filter, and a list with details. */

import { sectionHeading } from '../../../spec/sections.ts';
import { causesOf, type Mark, markOf } from '../../verdict/causes.ts';
import type { Report, ReportedRequirement } from '../../verdict/report.ts';
import { shorten } from '../escape.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { markWords, noteOn } from '../words.ts';
import { causeAnchors } from './causes.ts';
import { badge, exchangeLinks, longestText, type PageSection, sign } from './parts.ts';

type Section = readonly [ReportedRequirement['section'], readonly ReportedRequirement[]];

function bySection({ requirements }: Report): readonly Section[] {
  return [...Map.groupBy(requirements, ({ section }) => section)];
}

function markLink(requirement: ReportedRequirement): Markup {
  const { id } = requirement;
  const mark = markOf(requirement);
  const title = `${id}: ${markWords[mark]}`;
  return markup`<li><a class="mark ${mark}" href="#requirement-${id}" aria-label="${title}" title="${title}">${sign(mark)}</a></li>`;
}

function matrixRow([section, requirements]: Section): Markup {
  const passed = requirements.filter(({ verdict }) => verdict === 'pass').length;
  return markup`<tr><th scope="row">${sectionHeading(section)}</th><td><ul>
${joinMarkup(requirements.map(markLink))}
</ul></td><td class="quiet">${passed} of ${requirements.length} pass</td></tr>`;
}

function tick(mark: string, count: number): Markup {
  return markup`<label><input type="checkbox" id="show-${mark}" checked=""/>${badge(mark as Mark)} ${count}</label>`;
}

/** Filters by verdict with the style sheet alone, and by text where scripts run. */
function filterBar({ requirements }: Report): Markup {
  const found = Map.groupBy(requirements, markOf);
  const ticks = (Object.keys(markWords) as Mark[]).flatMap((mark) => {
    const count = found.get(mark)?.length;
    return count === undefined ? [] : [tick(mark, count)];
  });
  return markup`<div class="filter" role="search">
<fieldset><legend>Show</legend>
${joinMarkup(ticks)}
</fieldset>
<label hidden="">Search <input type="search" id="search"/></label>
<output id="shown" class="quiet"></output>
</div>`;
}

export function matrixSection(report: Report): PageSection {
  const content = markup`<table class="matrix"><tbody>
${joinMarkup(bySection(report).map(matrixRow))}
</tbody></table>`;
  return { id: 'matrix', title: 'Requirements by section', name: 'Matrix', content };
}

const linksShown = 12;

function failureLinks({ failures }: ReportedRequirement, carried: ReadonlySet<number>): Markup {
  const cited = new Set(failures.flatMap(({ exchanges }) => exchanges));
  return markup`: ${exchangeLinks([...cited].slice(0, linksShown), carried)}`;
}

function exampleLinks({ evidence, examples = [] }: ReportedRequirement, carried: ReadonlySet<number>): Markup {
  if (examples.length === 0) return markup``;
  return markup` (${exchangeLinks(examples, carried)}${examples.length < evidence ? ', …' : ''})`;
}

interface Links {
  readonly carried: ReadonlySet<number>;
  readonly causes: ReadonlyMap<string, string>;
  /** Why the run ended, which the top of the page says already. */
  readonly reason: string | undefined;
}

function requirementItem(requirement: ReportedRequirement, { carried, causes, reason }: Links): Markup {
  const { id, level, text, failures } = requirement;
  const mark = markOf(requirement);
  const cause = causes.get(id);
  const links = failures.length === 0 ? exampleLinks(requirement, carried) : failureLinks(requirement, carried);
  const name = cause === undefined ? markup`${id}` : markup`<a href="#${cause}">${id}</a>`;
  const note = noteOn(requirement);
  const remark = note === reason ? '' : markup`\n<p class="quiet">${shorten(note, longestText)}${links}</p>`;
  return markup`<li class="requirement judged ${mark}" id="requirement-${id}">${badge(mark)}<div>
<strong>${name}</strong>${level === 'advised' ? ' (advised)' : ''} ${text}${remark}
</div></li>`;
}

export function requirementSection(report: Report, carried: ReadonlySet<number>): PageSection {
  const { counts, reason } = report;
  const links = { carried, causes: causeAnchors(causesOf(report)), reason };
  const groups = bySection(report).map(
    ([section, requirements]) => markup`<div class="group"><h3>${sectionHeading(section)}</h3>
<ul>
${joinMarkup(requirements.map((requirement) => requirementItem(requirement, links)))}
</ul></div>`,
  );
  const name = `Requirements (${report.requirements.length})`;
  const list = joinMarkup([filterBar(report), ...groups]);
  const content =
    counts.judged > 0
      ? list
      : markup`<details><summary>None of the ${report.requirements.length} requirements was judged.</summary>
${list}
</details>`;
  return { id: 'requirements', title: 'All requirements', name, content };
}
