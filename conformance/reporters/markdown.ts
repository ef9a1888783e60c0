/** Reports and comparisons as Markdown, for the summary of a CI job or a comment on a change. */

import type { Block, Piece, Text } from './blocks.ts';
import { escapeForTerminal } from './escape.ts';
import { commandsOf, evidenceLines } from './evidence.ts';
import { marks } from './marks.ts';
import { reportBlocks, titleOf } from './report-blocks.ts';
import type { View } from './view.ts';

const mostItems = 100;

/** Characters that are Markdown syntax at the start of a line: list and heading marks, and the space of a code block. */
const beginning = /^(?:\s|[-+=]|#(?!\w)|\d+\.(?=\s|$))+/;

/**
 * Characters that are Markdown syntax anywhere, or that would make an address a link. Names of people and issues are put
 * into code, since GitHub looks for them in the rendered text, however it was escaped.
 */
const syntax = /([@#]\w+)|[\\`*_[\]<>|~&$]|:(?=\/\/)|(?<=www)\./gi;

function toEntity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}

/** A text that Markdown shows as it is, on one line: never Markdown, HTML or a mention of somebody. */
export function escapeMarkdown(text: string): string {
  const shown = escapeForTerminal(text);
  const [start = ''] = beginning.exec(shown) ?? [];
  const rest = shown
    .slice(start.length)
    .replace(syntax, (found, name?: string) => (name === undefined ? toEntity(found) : `\`${name}\``));
  return start.replace(/[^\d]/g, toEntity) + rest;
}

/** A code block that no text in it can end. */
function codeBlock(lines: readonly string[], language: 'sh' | 'http'): string {
  const code = lines.map(escapeForTerminal).join('\n');
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${code}\n${ticks}`;
}

/** A block that belongs to an item of a list. */
function inItem(block: string): string {
  return block.replace(/^/gm, '  ');
}

function pieceInMarkdown(piece: Piece): string {
  if (typeof piece === 'string') return escapeMarkdown(piece);
  return `**${piece.kind === 'mark' ? marks[piece.mark].word : escapeMarkdown(piece.text)}**`;
}

function textInMarkdown(text: Text): string {
  return text.reduce<string>((before, piece, at) => {
    // Behind other text a space is no syntax.
    const isSpaced = at > 0 && typeof piece === 'string' && piece.startsWith(' ');
    return before + (isSpaced ? ` ${escapeMarkdown(piece.trimStart())}` : pieceInMarkdown(piece));
  }, '');
}

/** Every text of a block passes through one of the functions above. */
function blocksIn(block: Block): readonly string[] {
  switch (block.kind) {
    case 'title':
      return [`## ${escapeMarkdown(block.verdict + block.rest)}`];
    case 'heading':
      return [`### ${escapeMarkdown(block.text)}`];
    case 'group':
      return [`#### ${textInMarkdown(block.heading)}`, ...block.blocks.flatMap(blocksIn)];
    case 'lines':
      return block.lines.map(textInMarkdown);
    case 'list': {
      const items = block.items.map(({ text, notes, command }) =>
        [
          `- ${textInMarkdown(text)}`,
          ...notes.map((note) => `  - ${escapeMarkdown(note)}`),
          ...(command === undefined ? [] : [inItem(codeBlock([command], 'sh'))]),
        ].join('\n'),
      );
      const rest = items.length - mostItems;
      const more = rest > 0 ? [`- And ${rest} more, in the JSON report.`] : [];
      return [[...items.slice(0, mostItems), ...more].join('\n')];
    }
    case 'command':
      return [codeBlock([block.command], 'sh')];
    case 'evidence':
      return [
        codeBlock(evidenceLines(block), 'http'),
        ...commandsOf(block).map((command) => codeBlock([command], 'sh')),
      ];
  }
}

export function showMarkdown(blocks: readonly Block[]): string {
  return `${blocks.flatMap(blocksIn).join('\n\n')}\n`;
}

export function reportMarkdown(view: View): string {
  const { name, version } = view.report.interface;
  return showMarkdown([
    titleOf(view),
    { kind: 'lines', lines: [[`${name} ${version}`]] },
    ...reportBlocks(view, 'short'),
  ]);
}
