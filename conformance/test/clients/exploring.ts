/** Runs a client of a test under legal services, and reports on it. */

import { defined } from '../../../spec/defined.ts';
import type { RunClient } from '../../clients/client-run.ts';
import { type Compatibility, type CompatibilityOptions, runCompatibility } from '../../clients/compatibility.ts';
import { reportClient } from '../../clients/report-client.ts';
import { sentenceOf } from '../../verdict/finding.ts';
import { type Reason, reasonInWords } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { type ExampleClient, simulate } from './examples/example-client.ts';

export type Run = ExampleClient['run'];

const { signal } = new AbortController();

export function clientOf(run: Run): RunClient {
  return simulate({ id: 'x', run });
}

export function explore(runClient: RunClient, options: Partial<CompatibilityOptions> = {}): Promise<Compatibility> {
  return runCompatibility({ runClient, concurrency: 1, signal, ...options });
}

export function report(made: Compatibility, ended?: Reason): Report {
  return reportClient(defined({ made, command: ['npm', 'test'], startedAt: 0, endedAt: 1_000, ended }));
}

/** What a report says of a client, in lines: its exit code, the services of its runs, a reason, and each requirement. */
export function linesOf(made: Compatibility, ended?: Reason): string {
  const { exitCode, client, reason, requirements } = report(made, ended);
  return [
    `exit code ${exitCode}`,
    `works with ${client?.worksWith} of ${client?.ranWith}, relies on ${client?.reliesOn}`,
    `runs ${made.runs.map(({ service }) => service.id).join(' ')}`,
    `says ${reasonInWords(reason) ?? 'nothing'}`,
    ...requirements.map(({ id, verdict, evidence, failures: [first], reason: why }) => {
      const shown = first === undefined ? `${evidence} exchanges` : `${first.code} ${sentenceOf(first)}`;
      return `${id} ${verdict} ${shown}; ${why ?? 'no reason'}`;
    }),
  ].join('\n');
}
