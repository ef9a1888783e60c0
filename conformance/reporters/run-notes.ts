/** Sentences about a run: what it sent, what it did not try, and what it leaves behind. */

import { counted } from '../verdict/counts.ts';
import type { Report } from '../verdict/report.ts';
import { shorten } from './escape.ts';

export function effortOf(report: Report): string {
  const { requests, creates, durationMs, seed, client, notes = [] } = report;
  const sent = `${counted(requests, 'request')}, ${counted(creates, 'creation')}`;
  // The services of a client draw the same values each time.
  const drawn = client === undefined ? `, seed ${seed}` : '';
  return [`${sent}, ${(durationMs / 1000).toFixed(1)} s${drawn}.`, ...notes].join(' ');
}

/** The values that stay untried on a target that is not disposable, with the option that changes it. */
export function untriedValues({ isDisposable }: Pick<Report['settings'], 'isDisposable'>): readonly string[] {
  if (isDisposable) return [];
  return [
    'Not tried, since the target is not disposable (--disposable): names that are hard to read or type, the real key outside the Authorization header.',
  ];
}

/** So many names are shown of animals whose ids cannot be read. */
const mostNames = 5;
const longestName = 40;

/** What is left behind, for example "2 of them have no readable id in their 201: "Rex", "cf-1a2b3c-02"." */
export function leftoversOf({ created }: Report): readonly string[] {
  if (created.length === 0) return [];
  const all = `The run leaves ${counted(created.length, 'animal')} behind, since the interface cannot delete any.`;
  const nameless = created.filter(({ id }) => id === undefined).map(({ name }) => name);
  if (nameless.length === 0) return [all];
  const shown = nameless.slice(0, mostNames).map((name) => JSON.stringify(shorten(name, longestName)));
  const names = [...new Set(shown), ...(nameless.length > mostNames ? ['…'] : [])].join(', ');
  return [all, `${nameless.length} of them without a readable id in the 201, by name: ${names}.`];
}

/** Where the output of the service or of the client is. */
export function outputOf({ target: { outputFile }, client }: Report): readonly string[] {
  if (outputFile !== undefined) return [`The output of the service is in ${outputFile}.`];
  const printed = client?.services.find(({ output }) => output !== undefined)?.output;
  return printed === undefined ? [] : [`The output of the client is in ${printed.replace(/[/\\][^/\\]*$/, '')}.`];
}
