/** The report as a badge: an SVG with the verdict, its level and the day. */

import type { Report } from '../verdict/report.ts';
import { escapeForTerminal } from './escape.ts';
import { countWaivedFailures, headlineOf, limitWords, type Tone, toneOf, verdictOf } from './headline.ts';
import { markup } from './markup.ts';
import { widthOf } from './width.ts';
import { subjectOf } from './words.ts';

/** Readable with white letters on them. A conforming run with waived failures is amber, not green. */
const colours: Readonly<Record<Tone, string>> = {
  pass: '#1a7f37',
  fail: '#c62828',
  waived: '#9a6700',
  inconclusive: '#6e6a00',
};

function verdictWords(report: Report): string {
  const { counts, client } = report;
  const verdict = verdictOf(report);
  const text = verdict.charAt(0).toLowerCase() + verdict.slice(1);
  const tone = toneOf(report);
  if (client !== undefined || tone === 'waived' || tone === 'inconclusive') return text;
  if (tone === 'fail') return `${text}: ${counts.fail - countWaivedFailures(report)} of ${counts.total} fail`;
  return `${text}: ${counts.warn === 0 ? 'required and advised' : 'required'}`;
}

/** Pixels of an average letter at this size; the renderer fits the text to its space. */
const letter = 6.6;
const padding = 8;

export function reportBadge(report: Report): string {
  const { interface: stated } = report;
  const label = `${stated.name.replace(/ Service Interface$/, '')} ${stated.version}`;
  const embedded = report.target.isEmbedded === true ? ['embedded server'] : [];
  const day = report.startedAt.slice(0, 10);
  const message = [verdictWords(report), ...limitWords(report), ...embedded, day].join(', ');
  const [left, right] = [label, message].map((text) => Math.round(widthOf(text) * letter)) as [number, number];
  const split = left + 2 * padding;
  const width = split + right + 2 * padding;
  const title = `${headlineOf(report)}: ${escapeForTerminal(subjectOf(report))}`;
  return markup`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${message}">
<title>${title}</title>
<rect width="${width}" height="20" rx="3" fill="${colours[toneOf(report)]}"/>
<path d="M3 0h${split - 3}v20h-${split - 3}a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z" fill="#444"/>
<g fill="#fff" font-family="Verdana,Geneva,DejaVu Sans,sans-serif" font-size="11">
<text x="${padding}" y="14" textLength="${left}">${label}</text>
<text x="${split + padding}" y="14" textLength="${right}">${message}</text>
</g>
</svg>
`.toString();
}
