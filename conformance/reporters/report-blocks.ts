/** A report as blocks: verdict and tally first, then each cause with its evidence, then everything else. */

import { type Block, type ListItem, lines, listBlock, mark, part, strong, type Text } from './blocks.ts';
import type { BrokenView, CauseView } from './cause-view.ts';
import { shorten } from './escape.ts';
import { type InteractionView, type RequirementView, timeInWords, type View } from './view.ts';

/** `short` shows what does not pass, `full` all that the report holds. */
export type Detail = 'short' | 'full';

const longestInReport = 400;
/** The first line of a cause shows requests and answers. */
const longestStory = 1_000;

function brief(text: string): string {
  return shorten(text, longestInReport);
}

/** An item of a list: a name, and a text about it. */
function namedItem(name: string, text: string): ListItem {
  return { text: [strong(name), `: ${brief(text)}`], notes: [] };
}

export function titleOf({ headline: { tone, verdict, coverage }, subject }: View): Block {
  return { kind: 'title', tone, verdict, rest: `${coverage}: ${subject}` };
}

function brokenItem({ requirement, mark: own, stories, command, remarks }: BrokenView): ListItem {
  const { id, section, text } = requirement;
  return {
    text: [mark(own), '  ', strong(`§${section} ${id}`, `requirement-${id}`), `  ${text}`],
    notes: [...stories.map((one) => shorten(one, longestStory)), ...remarks.map(brief)],
    command,
  };
}

function causeBlock({ number, mark: own, failure, story, where, remedy, broken, evidence }: CauseView): Block {
  return {
    kind: 'group',
    mark: own,
    id: `cause-${number}`,
    heading: [{ kind: 'toned', mark: own, text: `${number}. ${failure.code}` }, `: ${shorten(story, longestStory)}`],
    blocks: [
      ...(where === undefined ? [] : [lines(brief(where))]),
      { kind: 'list', items: broken.map(brokenItem) },
      ...(remedy === undefined ? [] : [lines(remedy)]),
      { kind: 'evidence', ...evidence },
    ],
  };
}

const causeHeadings = [
  ['fail', 'Failures'],
  ['warn', 'Warnings'],
  ['waived', 'Waived failures'],
] as const;

function causeBlocks({ causes }: View): readonly Block[] {
  return causeHeadings.flatMap(([wanted, title]) =>
    part(title, causes.filter((cause) => cause.mark === wanted).map(causeBlock)),
  );
}

/** What a client printed last, for each service under which it failed in the end. */
function printedBlocks({ report: { client } }: View): readonly Block[] {
  const last = new Map(client?.services.map((one) => [one.id, one]));
  const failed = [...last.values()].filter(({ isPassed, printed = [] }) => !isPassed && printed.length > 0);
  const blocks = failed.map(({ id, ending, printed = [] }): Block => {
    return { kind: 'group', heading: [strong(id), `: ${ending}`], blocks: [lines(...printed.map(brief))] };
  });
  return part('What the client printed last', blocks);
}

/** Errors of the kit, which its user cannot mend. */
function errorBlocks({ report: { requirements } }: View): readonly Block[] {
  const errors = requirements.filter(({ verdict }) => verdict === 'error');
  return listBlock(
    'Errors of the kit',
    errors.map(({ id, section, reason = '' }) => namedItem(`§${section} ${id}`, reason)),
  );
}

/** An interaction that fails has the exchange that shows it; the reason of any other is a note. */
function interactionBlock({ messages, mark: own, title, evidence }: InteractionView): Block {
  const text: Text = [mark(own), '  ', brief(title)];
  if (own !== 'fail' || evidence.exchanges.length === 0) {
    return { kind: 'list', items: [{ text, notes: messages.map(brief) }] };
  }
  return { kind: 'group', heading: text, blocks: [lines(...messages.map(brief)), { kind: 'evidence', ...evidence }] };
}

function interactionBlocks({ interactions }: View): readonly Block[] {
  return part('Interactions of pacts', interactions.map(interactionBlock));
}

function requirementItem({ requirement: { id, text, level }, mark: own, note }: RequirementView, view: View): ListItem {
  // The first of several causes of one requirement is the worst.
  const cause = view.causes.find(({ broken }) => broken.some((each) => each.requirement.id === id));
  const name = strong(id, cause && `cause-${cause.number}`);
  const advised = level === 'advised' ? ' (advised)' : '';
  const quiet: Text = note === undefined ? [] : [' ', { kind: 'quiet', text: `(${brief(note)})` }];
  return { text: [mark(own), '  ', name, `${advised}  ${text}`, ...quiet], notes: [], id: `requirement-${id}` };
}

function requirementBlocks(view: View): readonly Block[] {
  const groups = view.sections.map(({ title, requirements }): Block => {
    const items = requirements.map((one) => requirementItem(one, view));
    return { kind: 'group', heading: [strong(title)], blocks: [{ kind: 'list', items }] };
  });
  return part('All requirements', groups);
}

/** Why requirements were not judged, apart from those that were skipped, and from the end of the run. */
function inconclusiveBlocks({ sections }: View): readonly Block[] {
  const open = sections.flatMap(({ requirements }) => requirements.filter((one) => one.mark === 'inconclusive'));
  const byNote = [...Map.groupBy(open, ({ note }) => note ?? '')].filter(([note]) => note !== '');
  return listBlock(
    'Inconclusive',
    byNote.map(([note, own]) => namedItem(own.map(({ requirement: { id } }) => id).join(', '), note)),
  );
}

function gapBlocks({ gaps }: View): readonly Block[] {
  const items = gaps.flatMap(({ id, section, question, answer }): readonly ListItem[] =>
    answer === undefined
      ? []
      : [{ text: [strong(`§${section} ${id}`), `  ${question}`], notes: [brief(answer)], id: `gap-${id}` }],
  );
  const unseen = gaps.filter(({ answer }) => answer === undefined).map(({ id }) => id);
  return [
    ...listBlock('Gaps of the interface (observed, never judged)', items),
    ...(unseen.length === 0 ? [] : [lines([{ kind: 'quiet', text: `Not observed: ${unseen.join(', ')}` }])]),
  ];
}

/** How the run was made. */
function aboutBlocks({ report, notes, settings }: View): readonly Block[] {
  const { kit, node, startedAt, client, created } = report;
  const left = created.map(({ id, name }) => id ?? `${JSON.stringify(name)} without an id`).join(', ');
  const facts: readonly ListItem[] = [
    ...(left === '' ? [] : [{ text: [strong('Left behind'), `: ${left}`], notes: [] }]),
    namedItem('Date', timeInWords(startedAt)),
    // The settings of a compatibility run are those of its services.
    ...(client === undefined ? [namedItem('Settings', settings.map((pair) => pair.join(' ')).join('; '))] : []),
    namedItem('Kit', `${kit.name} ${kit.version}, Node ${node}`),
  ];
  return part('About this run', [lines(...notes), { kind: 'list', items: facts }]);
}

/** Everything after the title. If nothing was judged, the reason says all that there is to say. */
export function reportBlocks(view: View, detail: Detail): readonly Block[] {
  const { isUnjudged, tally, notes, output } = view;
  const reason = view.reason === undefined ? [] : [brief(view.reason)];
  if (isUnjudged && detail === 'short') return [lines(...reason, ...output), ...printedBlocks(view)];
  return [
    lines(...tally, ...reason),
    ...causeBlocks(view),
    ...printedBlocks(view),
    ...errorBlocks(view),
    ...interactionBlocks(view),
    ...(detail === 'full'
      ? [...requirementBlocks(view), ...gapBlocks(view), ...aboutBlocks(view)]
      : [...inconclusiveBlocks(view), lines(...notes)]),
  ];
}
