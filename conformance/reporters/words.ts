/** The words that all reporters share. */

import type { Mark } from '../verdict/causes.ts';
import { counted } from '../verdict/counts.ts';
import type { InteractionVerdict } from '../verdict/outcome.ts';
import type { Report, ReportedInteraction, ReportedRequirement } from '../verdict/report.ts';
import { headlineOf } from './headline.ts';

export const markWords: Readonly<Record<Mark | InteractionVerdict, string>> = {
  pass: 'pass',
  fail: 'fail',
  warn: 'warn',
  waived: 'waived',
  inconclusive: 'inconclusive',
  skipped: 'skipped',
  'not-applicable': 'not applicable',
  error: 'error of the kit',
  pending: 'pending',
  'not-verifiable': 'not verifiable',
};

const rechecks = {
  'fails-again': ['Reproduced on recheck.'],
  flaky: ['FLAKY: not reproduced on recheck, or it depends on the requests before it.'],
  'not-asked-again': [],
} as const;

const waiverWords = {
  waived: 'Waived',
  expired: 'Expired waiver',
  stale: 'Stale waiver',
  unused: 'Unused waiver',
} as const;

function waiverRemark({ waiver }: ReportedRequirement): readonly string[] {
  if (waiver === undefined) return [];
  return [`${waiverWords[waiver.state]} (${waiver.owner}, until ${waiver.expires}): ${waiver.reason}`];
}

/**
 * Remarks on a requirement that fails: the failures that are not shown, beginning with `more`, whether it was reproduced,
 * the shortest sequence, and its waiver.
 */
export function remarksOn(requirement: ReportedRequirement, more: readonly string[] = []): readonly string[] {
  const { reason, recheck = 'not-asked-again', shrinking, failures } = requirement;
  const sequence = failures[0]?.sequence ?? [];
  const numbers = sequence.map((number) => `#${number}`).join(', ');
  const others = [...more, ...(reason === undefined || failures.length === 0 ? [] : [reason])];
  const note = shrinking === 'stopped' ? ' (the budget ended the search for a shorter one)' : '';
  return [
    ...(others.length === 0 ? [] : [`And ${others.join('; ')}.`]),
    ...rechecks[recheck],
    ...(sequence.length > 1 ? [`Shortest sequence that reproduces it: ${numbers}${note}.`] : []),
    ...waiverRemark(requirement),
  ];
}

/** The reason for a verdict, for a list of all requirements: the number of exchanges, or why there are none. */
export function noteOn(requirement: ReportedRequirement): string {
  const { evidence, reason, failures } = requirement;
  const exchanges = counted(evidence, 'exchange');
  // Failures are shown elsewhere with all their details.
  return failures.length > 0 ? exchanges : [reason ?? exchanges, ...waiverRemark(requirement)].join('; ');
}

export function titleOf({ consumer, description, states }: ReportedInteraction): string {
  const given = states.length === 0 ? '' : ` (given ${states.join(' and ')})`;
  return `${consumer}: ${description}${given}`;
}

/** The subject of a report: a service at its address, or a client by its command. */
export function subjectOf({ target, client }: Pick<Report, 'target' | 'client'>): string {
  if (client !== undefined) return `client: ${client.command.join(' ')}`;
  return target.isEmbedded === true ? `the embedded reference server (${target.baseUrl})` : target.baseUrl;
}

/** The headline in one line for people, with the reason where there is no verdict: nothing else would tell it. */
export function inOneLine(report: Report): string {
  const { verdict, reason } = report;
  const why = verdict === 'inconclusive' && reason !== undefined ? [reason] : [];
  return [headlineOf(report), subjectOf(report), ...why].join(': ');
}

/** A time to the minute, as people read it. */
export function timeInWords(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d):.*Z$/, '$1 $2 UTC');
}

export function effortInWords(report: Report): string {
  const { requests, creates, durationMs, seed, omittedExchanges, notes = [] } = report;
  const omitted =
    omittedExchanges === undefined ? '' : ` ${omittedExchanges} of them are judged, but not in the report.`;
  const sent = `${counted(requests, 'request')}, ${counted(creates, 'creation')}`;
  return `${sent}, ${(durationMs / 1000).toFixed(1)} s, seed ${seed}.${[omitted, ...notes.map((note) => ` ${note}`)].join('')}`;
}

/** Where the output of the service or of the client is. */
export function outputInWords({ target: { outputFile }, client }: Report): readonly string[] {
  if (outputFile !== undefined) return [`The output of the service is in ${outputFile}.`];
  const printed = client?.services.find(({ output }) => output !== undefined)?.output;
  return printed === undefined ? [] : [`The output of the client is in ${printed.replace(/[/\\][^/\\]*$/, '')}.`];
}

/** The values that stay untried on a target that is not disposable, with the option that changes it. */
export function untriedValues({ isDisposable }: Pick<Report['settings'], 'isDisposable'>): readonly string[] {
  if (isDisposable) return [];
  return [
    'Not tried, since the target is not disposable (--disposable): names that are hard to read or type, the real key outside the Authorization header.',
  ];
}

/** The values that a run did not try; nothing for clients and recorded traffic. */
export function untriedInWords({ settings, client }: Report): readonly string[] {
  const isRun = client === undefined && settings.maxRequests > 0;
  return isRun ? untriedValues(settings) : [];
}

/** So many names are shown of animals whose ids cannot be read. */
const mostNames = 5;

export function leftoversInWords({ created }: Report): readonly string[] {
  if (created.length === 0) return [];
  const nameless = created.filter(({ id }) => id === undefined).map(({ name }) => JSON.stringify(name));
  const more = nameless.length > mostNames ? ` and ${nameless.length - mostNames} more` : '';
  const names = `The 201 of ${nameless.length} shows no id: ${nameless.slice(0, mostNames).join(', ')}${more}.`;
  return [
    `The run leaves ${counted(created.length, 'animal')} behind, since the interface cannot delete any.`,
    ...(nameless.length === 0 ? [] : [names]),
  ];
}
