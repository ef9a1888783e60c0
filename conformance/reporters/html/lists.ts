/** The lists of the page: requirements, interactions of pacts, gaps, animals left behind, and how the run was made. */

import { counted } from '../../verdict/counts.ts';
import { joinMarkup, type Markup, markup } from '../markup.ts';
import { type GapView, type InteractionView, type RequirementView, timeInWords, type View } from '../view.ts';
import { exchangeOfFailure } from './exchange.ts';
import { badge, bulleted, exchangeLinks, folded, longText, type PageSection, paragraphs, section } from './parts.ts';

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
  return markup`<li class="requirement ${mark}" id="requirement-${id}">${badge(mark)}<div>
<strong>${name}</strong>${level === 'advised' ? ' (advised)' : ''} ${text}${remark}
</div></li>`;
}

export function requirementSection(view: View): PageSection {
  const { sections, report } = view;
  const groups = sections.map(({ title, requirements }) => {
    const passed = requirements.filter(({ mark }) => mark === 'pass').length;
    return markup`<h3>${title} <small class="quiet">${passed} of ${requirements.length} pass</small></h3>
${bulleted(requirements.map((one) => requirementItem(one, view)))}`;
  });
  const count = report.requirements.length;
  const all = joinMarkup(groups);
  const content = report.counts.judged > 0 ? all : folded(`None of the ${count} requirements was judged.`, all);
  return section('requirements', 'All requirements', content, `Requirements (${count})`);
}

function interactionItem({ interaction, mark, title, exchange }: InteractionView, { report }: View): Markup {
  const { messages, exchanges } = interaction;
  const shown =
    exchange &&
    markup`<p>Its exchanges: ${exchangeLinks(exchanges, report)}.</p>
${exchangeOfFailure(exchange, undefined)}`;
  return markup`<li class="interaction">${badge(mark)}<div>
<p>${title}</p>
${joinMarkup(paragraphs(messages))}
${shown === undefined ? '' : folded('Evidence', shown)}
</div></li>`;
}

export function interactionSection(view: View): readonly PageSection[] {
  const { interactions, report } = view;
  if (report.interactions === undefined) return [];
  const content = bulleted(interactions.map((one) => interactionItem(one, view)));
  return [section('interactions', 'Interactions of pacts', content, `Interactions (${interactions.length})`)];
}

function gapItem({ gap, answer }: GapView, { report }: View): Markup {
  const { id, section: place, question, observed, example } = gap;
  const link = example === undefined ? '' : markup` (${exchangeLinks([example], report)})`;
  return markup`<li class="gap"><p>§${place} ${question} <code class="quiet">${id}</code></p>
<p class="${observed.length === 0 ? 'quiet' : 'answer'}">${longText(answer)}${link}</p></li>`;
}

/** Empty where the report has no gaps, such as that of a client. */
export function gapSection(view: View): readonly PageSection[] {
  if (view.gaps.length === 0) return [];
  const content = bulleted(view.gaps.map((gap) => gapItem(gap, view)));
  return [section('gaps', 'Gaps of the interface: observed, never judged', content, 'Gaps')];
}

export function leftoverSection({ report: { created }, leftovers }: View): readonly PageSection[] {
  if (created.length === 0) return [];
  const animals = created.map(({ id, name }) => markup`<li><code>${id ?? 'no id'}</code> ${name}</li>`);
  const content = markup`${joinMarkup(paragraphs(leftovers))}
${folded('Their ids and names', bulleted(animals))}`;
  return [section('leftovers', 'Left behind', content)];
}

function seconds(durationMs: number): string {
  return `${(durationMs / 1000).toFixed(1)} s`;
}

function factsOf({ report, subject, effort, output, untried, settings }: View): readonly (readonly [string, string])[] {
  const { kit, startedAt, unanswered, waits, client } = report;
  const { faults, found, ordinary, within, variants, falseFailures } = kit.selfTest;
  const made = [kit.name, kit.version, ...(kit.commit === undefined ? [] : [`commit ${kit.commit}`])].join(' ');
  const lost = unanswered === 0 ? '' : ` ${unanswered} got no answer.`;
  const total = waits.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const waited = waits.length === 0 ? '' : ` ${counted(waits.length, 'wait')} took ${seconds(total)} of it.`;
  const soon = within.map((one) => `${one.found} within ${one.requests} requests`).join(', ');
  return [
    ['Target', subject],
    ['Interface', `${report.interface.name} ${report.interface.version}`],
    ['Date', timeInWords(startedAt)],
    ...output.map((text) => ['Output', text] as const),
    ['Requests', `${effort}${lost}${waited}`],
    // The settings of a compatibility run are those of its services.
    ...(client === undefined ? [['Settings', settings.map((pair) => pair.join(' ')).join('; ')] as const] : []),
    ...untried.map((text) => ['Left out', text] as const),
    ['Kit', `${made}, Node ${report.node}`],
    [
      'Self-test',
      `The kit finds ${found} of ${faults} faults put into a server (of the ${ordinary} ordinary ones ${soon}), and fails ${falseFailures} of ${variants} legal servers.`,
    ],
  ];
}

export function factSection(view: View): PageSection {
  const facts = factsOf(view).map(([term, text]) => markup`<dt>${term}</dt><dd>${longText(text)}</dd>`);
  return section('about', 'About this run', markup`<dl>\n${joinMarkup(facts)}\n</dl>`, 'About');
}
