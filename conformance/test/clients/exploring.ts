/** Runs a client of a test under legal services, and reports on it. */

import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import { defined } from '../../../spec/defined.ts';
import type { RunClient } from '../../clients/client-run.ts';
import { type Compatibility, type CompatibilityOptions, runCompatibility } from '../../clients/compatibility.ts';
import { reportClient } from '../../clients/report-client.ts';
import type { Reason } from '../../verdict/reasons.ts';
import type { Report } from '../../verdict/report.ts';
import { type ExampleClient, simulate } from './examples/example-client.ts';
import { createSend, expect, readPets } from './examples/polite-client.ts';

export type Run = ExampleClient['run'];

export const { signal } = new AbortController();

export function clientOf(run: Run): RunClient {
  return simulate({ id: 'x', run });
}

export function explore(runClient: RunClient, options: Partial<CompatibilityOptions> = {}): Promise<Compatibility> {
  return runCompatibility({ runClient, maxRuns: 200, concurrency: 1, signal, ...options });
}

export function exploreOnly(
  run: Run,
  only: readonly ClientRequirementId[],
  options: Partial<CompatibilityOptions> = {},
) {
  return explore(clientOf(run), { only: new Set(only), ...options });
}

export function report(made: Compatibility, ended?: Reason): Report {
  const input = { made, command: ['npm', 'test'], startedAt: 0, endedAt: 1_000, scope: 'failures' } as const;
  return reportClient(defined({ ...input, ended }));
}

export function verdictIn({ requirements }: Report, id: ClientRequirementId) {
  return requirements.find((one) => one.id === id);
}

export function idsOf({ runs }: Compatibility): readonly string[] {
  return runs.map(({ service }) => service.id);
}

export const lists: Run = async (environment) => expect((await createSend(environment)()).status === 200, '200');

export const expectsOrder: Run = async (environment) => {
  const send = createSend(environment);
  for (const name of ['a', 'b']) await send({ body: { name, categoryId: 4711 } });
  const names = readPets(await send({ path: '/pets?limit=100' })).map(({ name }) => name);
  expect(names.indexOf('a') < names.indexOf('b'), 'a first');
};
