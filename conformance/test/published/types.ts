/** What a user's program writes must fit the types, and what must not be written must not. */

import { test } from 'node:test';
import {
  type AnyRequirementId,
  conformanceTests,
  type JudgeOptions,
  judge,
  type Report,
  type RequirementId,
  render,
  reporters,
} from 'petstore-conformance';
import { faults } from 'petstore-conformance/faults';
import { type Server, startServer } from 'petstore-conformance/reference-server';

export async function judgeOwn(signal: AbortSignal): Promise<Report> {
  const server: Server = await startServer({ faults: faults.slice(0, 1), gaps: { 'list-order': 'oldest-first' } });
  const options: JudgeOptions = {
    baseUrl: server.url,
    apiKey: server.key,
    plan: 'free',
    categoryIds: [1, 2n ** 60n],
    only: ['4.1'],
    signal,
  };
  const report = await judge(options);
  const failed: readonly AnyRequirementId[] = report.requirements
    .filter(({ verdict }) => verdict === 'fail')
    .map(({ id }) => id);
  console.log(failed, render(report, 'html').length, Object.keys(reporters));
  await conformanceTests({ test, ...options });
  return report;
}

// @ts-expect-error: a misspelt option
export const misspelt: JudgeOptions = { maxRequest: 60 };
// @ts-expect-error: no such plan
export const unknownPlan: JudgeOptions = { plan: 'gold' };
// @ts-expect-error: no such requirement
export const unknownId: RequirementId = 'no-such';
