/** The report as a badge: one SVG picture with what holds, to which level, and since when that is known. */

import type { Report } from '../verdict/report.ts';
import { escapeForTerminal } from './escape.ts';
import { headlineOf } from './headline.ts';
import { markup } from './markup.ts';
import { widthOf } from './width.ts';
import { subjectOf } from './words.ts';

/** Readable with white letters on them. */
const colours = { conforms: '#1a7f37', 'does-not-conform': '#c62828', inconclusive: '#6e6a00' } as const;

/** What is advised holds too where nothing warns. */
function wordsOf({ verdict, counts }: Report): string {
  if (verdict === 'does-not-conform') return `does not conform: ${counts.fail} of ${counts.judged} fail`;
  if (verdict === 'inconclusive') return 'could not be judged';
  return `conforms: ${counts.warn === 0 ? 'required and advised' : 'required'}`;
}

/** Pixels of a letter, on average, at the size used here; the renderer fits the text to what is left for it. */
const letter = 6.6;
const padding = 8;

export function reportBadge(report: Report): string {
  const { interface: stated, verdict, startedAt } = report;
  const label = `${stated.name.replace(/ Service Interface$/, '')} ${stated.version}`;
  const message = `${wordsOf(report)}, ${startedAt.slice(0, 10)}`;
  const [left, right] = [label, message].map((text) => Math.round(widthOf(text) * letter)) as [number, number];
  const split = left + 2 * padding;
  const width = split + right + 2 * padding;
  const title = `${headlineOf(report)}: ${escapeForTerminal(subjectOf(report))}`;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${message}">
<title>${title}</title>
<rect width="${width}" height="20" rx="3" fill="${colours[verdict]}"/>
<path d="M3 0h${split - 3}v20h-${split - 3}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z" fill="#444"/>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
<text x="${padding}" y="14" textLength="${left}">${label}</text>
<text x="${split + padding}" y="14" textLength="${right}">${message}</text>
</g>
</svg>
`.toString();
}
