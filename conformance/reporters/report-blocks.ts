/** A report as blocks: verdict and tally first, then each cause with its evidence, then everything else. */

import { sentenceOf } from '../verdict/failure.ts';
import { type Block, heading, type Item, lines, list, mark, part, type Row, strong, type Text } from './blocks.ts';
import { shorten } from './escape.ts';
import { evidenceLines, exchangeLines, showCurl } from './evidence.ts';
import { type Mark, marks } from './marks.ts';
import {
  type BrokenView,
  type CauseView,
  causeHeadings,
  type InteractionView,
  type RequirementView,
  type View,
} from './view.ts';

/** `short` shows failures and warnings, `full` every requirement, `open` failures and what was not judged. */
export type Detail = 'short' | 'full' | 'open';

const longestMessage = 400;

function brief(text: string): string {
  return shorten(text, longestMessage);
}

export function titleOf({ headline: { tone, verdict, coverage }, subject }: View): Block {
  return { kind: 'title', tone, verdict, rest: `${coverage === '' ? '' : ` (${coverage})`}: ${subject}` };
}

function brokenItem({ requirement, mark: own, further, remarks }: BrokenView): Item {
  const { id, section, text } = requirement;
  return {
    text: [mark(own), '  ', strong(`§${section} ${id}`), `  ${text}`],
    notes: [...further.map((failure) => brief(`${failure.code}: ${sentenceOf(failure)}`)), ...remarks],
  };
}

function causeBlock(cause: CauseView): Block {
  const { number, mark: own, failure, also, broken } = cause;
  return {
    kind: 'group',
    heading: [{ kind: 'toned', mark: own, text: `${number}. ${failure.code}` }, `: ${brief(sentenceOf(failure))}`],
    blocks: [
      ...(also === undefined ? [] : [lines(brief(also))]),
      { kind: 'list', items: broken.map(brokenItem) },
      { kind: 'code', language: 'http', lines: evidenceLines(cause) },
      { kind: 'code', language: 'sh', lines: [showCurl(failure)] },
    ],
  };
}

function causeBlocks({ causes }: View): readonly Block[] {
  return causeHeadings.flatMap(([wanted, title]) =>
    part(title, causes.filter((cause) => cause.mark === wanted).map(causeBlock)),
  );
}

/** What a client printed last, for each service under which it failed in the end. */
function printedBlocks({ report: { client } }: View): readonly Block[] {
  const last = new Map(client?.services.map((one) => [one.id, one]));
  const failed = [...last.values()].filter(({ isPassed, printed = [] }) => !isPassed && printed.length > 0);
  const blocks = failed.map(
    ({ id, ending, printed = [] }): Block => ({
      kind: 'group',
      heading: [strong(id), `: ${ending}`],
      blocks: [lines(...printed.map(brief))],
    }),
  );
  return part('What the client printed last', blocks);
}

/** Errors of the kit, which its user cannot mend. */
function errorBlocks({ report: { requirements } }: View): readonly Block[] {
  const errors = requirements.filter(({ verdict }) => verdict === 'error');
  const items = errors.map(({ id, section, reason = '' }) => ({
    text: [strong(`§${section} ${id}`), `: ${brief(reason)}`],
    notes: [],
  }));
  return list('Errors of the kit', items);
}

/** An interaction that fails has the exchange that shows it; the reason of any other is a note. */
function interactionBlock({ interaction, mark: own, title, exchange }: InteractionView): Block {
  const { verdict, messages } = interaction;
  const text: Text = [mark(own), '  ', brief(title)];
  if (verdict !== 'fail' || exchange === undefined) {
    return { kind: 'list', items: [{ text, notes: messages.map(brief) }] };
  }
  const blocks = [
    lines(...messages.map(brief)),
    { kind: 'code', language: 'http', lines: exchangeLines(exchange) } as const,
  ];
  return { kind: 'group', heading: text, blocks };
}

function interactionBlocks({ interactions }: View, detail: Detail): readonly Block[] {
  const isWhole = detail !== 'short';
  const shown = isWhole ? interactions : interactions.filter((one) => one.mark !== 'pass');
  const title = isWhole ? 'Interactions of pacts' : 'Interactions of pacts that do not pass';
  return part(title, shown.map(interactionBlock));
}

/** A row of signs for each section, and what they mean. */
function matrixBlocks({ sections, interactions }: View): readonly Block[] {
  const pacts = { title: 'Interactions of pacts', own: interactions.map((one): Mark => one.mark) };
  const rows = [
    ...(interactions.length === 0 ? [] : [pacts]),
    ...sections.map(({ title, requirements }) => ({ title, own: requirements.map((one): Mark => one.mark) })),
  ];
  if (rows.length === 0) return [];
  const signOf = (one: Mark) => ({ kind: 'sign', mark: one }) as const;
  const table = rows.map(({ title, own }): Row => ({ cells: [[title], own.map(signOf)], note: '' }));
  const shown = new Set(rows.flatMap(({ own }) => own));
  const legend = [...Map.groupBy(shown, (one) => marks[one].sign).values()].flatMap((alike): Text => {
    // Spaces that do not break keep a sign and its words on one line.
    const meaning = ` ${alike.map((one) => marks[one].word).join(', ')}`.replaceAll(' ', '\u00a0');
    return ['  ', signOf(alike[0]!), meaning];
  });
  return [heading('By section'), { kind: 'table', head: [], rows: table }, lines(legend.slice(1))];
}

function requirementBlocks({ sections }: View): readonly Block[] {
  return sections.flatMap(({ title, requirements }) =>
    list(
      title,
      requirements.map(({ requirement: { id, text }, mark: own, note }) => ({
        text: [
          mark(own),
          '  ',
          strong(id),
          `  ${text}`,
          ...(note === undefined ? [] : [' ', { kind: 'quiet', text: `(${brief(note)})` } as const]),
        ],
        notes: [],
      })),
    ),
  );
}

/** Requirements that were not judged, and those that pass although they have a waiver. */
function openBlocks({ sections }: View): readonly Block[] {
  const all = sections.flatMap(({ requirements }) => requirements);
  const show = (title: string, isShown: (one: RequirementView) => boolean): readonly Block[] =>
    list(
      title,
      all.filter(isShown).map(({ requirement: { id }, note = 'the run ended before' }) => ({
        text: [strong(id), `: ${brief(note)}`],
        notes: [],
      })),
    );
  return [
    ...show('Inconclusive', ({ mark: own }) => own === 'inconclusive'),
    ...show('Skipped', ({ mark: own }) => own === 'skipped'),
    ...show('Not applicable', ({ mark: own }) => own === 'not-applicable'),
    ...show('Waivers without a failure', ({ mark: own, requirement }) => own === 'pass' && !!requirement.waiver),
  ];
}

function gapBlocks({ gaps }: View): readonly Block[] {
  const seen = gaps.filter(({ gap }) => gap.observed.length > 0);
  const unseen = gaps.filter(({ gap }) => gap.observed.length === 0).map(({ gap }) => gap.id);
  const items = seen.map(({ gap, answer }) => ({
    text: [strong(`§${gap.section} ${gap.id}`), `: ${brief(answer)}`],
    notes: [],
  }));
  return [
    ...list('Gaps of the interface (observed, never judged)', items),
    ...(unseen.length === 0 ? [] : [lines([{ kind: 'quiet', text: `Not observed: ${unseen.join(', ')}` }])]),
  ];
}

/** Everything behind the title. Where nothing was judged there is nothing to list: the reason says it all. */
export function reportBlocks(view: View, detail: Detail): readonly Block[] {
  const { isUnjudged, tally, effort, untried, leftovers, output } = view;
  const reason = view.reason === undefined ? [] : [brief(view.reason)];
  if (isUnjudged && detail !== 'full') return [lines(...reason, ...output), ...printedBlocks(view)];
  return [
    lines(...tally, ...reason),
    ...causeBlocks(view),
    ...printedBlocks(view),
    ...errorBlocks(view),
    ...interactionBlocks(view, detail),
    ...(detail === 'full' ? [...requirementBlocks(view), ...gapBlocks(view)] : matrixBlocks(view)),
    ...(detail === 'open' ? openBlocks(view) : []),
    lines(effort, ...untried, ...leftovers, ...output),
  ];
}
