/** Reports and comparisons as Markdown, for the summary of a CI job or a comment on a change: of limited length. */

import type { Block, Piece, Text } from './blocks.ts';
import { commandsOf, evidenceLines } from './evidence.ts';
import { codeBlock, joinWithin, type Markdown, markdown, markdownList, markdownTable } from './markdown-text.ts';
import { marks } from './marks.ts';
import { reportBlocks, titleOf } from './report-blocks.ts';
import type { View } from './view.ts';

/** Bytes. GitHub cuts nothing of a summary this long, and GitLab nothing of a comment. */
const longestReport = 250 * 1024;
const mostItems = 100;

function pieceIn(piece: Exclude<Piece, string>): Markdown {
  if (piece.kind === 'sign') return markdown`${marks[piece.mark].sign}`;
  if (piece.kind === 'quiet') return markdown`${piece.text}`;
  return markdown`**${'text' in piece ? piece.text : marks[piece.mark].word}**`;
}

function textIn(text: Text): Markdown {
  return text.reduce<Markdown>((before, piece, at) => {
    if (typeof piece !== 'string') return markdown`${before}${pieceIn(piece)}`;
    // Behind other text a space is no syntax.
    const isSpaced = at > 0 && /^[ \u00a0]/.test(piece);
    return isSpaced ? markdown`${before} ${piece.replace(/^[ \u00a0]+/, '')}` : markdown`${before}${piece}`;
  }, markdown``);
}

function blocksIn(block: Block): readonly Markdown[] {
  switch (block.kind) {
    case 'title':
      return [markdown`## ${`${block.verdict}${block.rest}`}`];
    case 'heading':
      return [markdown`### ${block.text}`];
    case 'group':
      return [markdown`#### ${textIn(block.heading)}`, ...block.blocks.flatMap(blocksIn)];
    case 'lines':
      return block.lines.map(textIn);
    case 'list': {
      const items = block.items.map(({ text, notes }) =>
        notes.reduce((before, note) => markdown`${before}\n  - ${note}`, textIn(text)),
      );
      const rest = items.length - mostItems;
      const more = rest > 0 ? [markdown`And ${rest} more, in the JSON report.`] : [];
      return [markdownList([...items.slice(0, mostItems), ...more])];
    }
    case 'command':
      return [codeBlock([block.command], 'sh')];
    case 'evidence':
      return [
        codeBlock(evidenceLines(block), 'http'),
        ...commandsOf(block).map((command) => codeBlock([command], 'sh')),
      ];
    case 'table':
      return [
        markdownTable(
          block.head,
          block.rows.map(({ cells, note }) => [...cells.map(textIn), ...(note === '' ? [] : [markdown`${note}`])]),
        ),
      ];
  }
}

export function showMarkdown(blocks: readonly Block[]): string {
  const cut = markdown`The rest is cut, since longer summaries are not shown. The JSON report holds all of it.`;
  return `${joinWithin(blocks.flatMap(blocksIn), longestReport, cut)}\n`;
}

export function reportMarkdown(view: View): string {
  const { name, version } = view.report.interface;
  return showMarkdown([
    titleOf(view),
    { kind: 'lines', lines: [[`${name} ${version}`]] },
    ...reportBlocks(view, 'open'),
  ]);
}
