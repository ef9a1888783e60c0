/**
 * The suite as uvu tests, one for each requirement:
 * `PETSTORE_BASE_URL=… PETSTORE_API_KEY=… npx uvu conformance 'uvu\.suite\.ts$'`.
 * Every option of `run` is read from its variable, such as PETSTORE_PLAN, or from the configuration file.
 */

import { suite } from 'uvu';
import { readInvocation } from './command-line/configuration.ts';
import { print } from './command-line/files.ts';
import { judgeTarget } from './command-line/judge-target.ts';
import { writeOutputs } from './command-line/outputs.ts';
import { listenForInterruption } from './command-line/stop.ts';
import { UsageError } from './command-line/usage-error.ts';
import type { Report, ReportedRequirement } from './engine/report.ts';
import { escapeForTerminal, escapeLines } from './reporters/escape.ts';

const test = suite('Pet Store Service Interface 1.0.0');

async function judge(): Promise<Report> {
  const { values } = readInvocation('run', { words: [], environment: process.env, folder: process.cwd() });
  if (values.baseUrl === undefined) {
    throw new UsageError('Set PETSTORE_BASE_URL to the base address and PETSTORE_API_KEY to a key of it.');
  }
  // The standard output is that of uvu.
  const outputs = { ...values, reporters: values.reporters.filter(({ file }) => file !== undefined) };
  const report = await judgeTarget(outputs, listenForInterruption());
  await writeOutputs(report, outputs);
  return report;
}

/** Why a statement fails its test, undefined where it does not. */
function complaintOf({ verdict, reason = '', failures, waiver }: ReportedRequirement): string | undefined {
  if (verdict === 'error') return `a check of the kit broke: ${reason}`;
  if (waiver?.state === 'stale') return 'the waiver is stale, the statement holds: remove it';
  const expired = waiver?.state === 'expired' ? [`the waiver expired on ${waiver.expires}: remove or renew it`] : [];
  const isBroken = verdict === 'fail' && waiver?.state !== 'waived';
  const broken = isBroken ? failures.map(({ code, message, curl }) => `${code}: ${message}\n${curl}`) : [];
  return [...expired, ...broken].join('\n') || undefined;
}

/** Why a statement is skipped: uvu counts what is skipped and does not say what it was. */
function skipLine({ section, id, verdict, reason, failures: [failure], waiver }: ReportedRequirement): string {
  const waived = waiver?.state === 'waived' ? `waived until ${waiver.expires}, ${waiver.reason}: ` : '';
  const why = `${waived}${failure?.message ?? reason ?? ''}`;
  return `skipped §${section} ${id} (${verdict.replace('-', ' ')}): ${escapeForTerminal(why)}\n`;
}

function fail(message: string): never {
  throw new Error(escapeLines(message));
}

async function register(report: Report): Promise<void> {
  test('the run came to a verdict', () => {
    if (report.verdict === 'inconclusive') fail(report.reason ?? 'the target could not be judged');
  });
  for (const requirement of report.requirements) {
    const { id, section, statement, verdict } = requirement;
    const complaint = complaintOf(requirement);
    if (complaint === undefined && verdict !== 'pass') {
      test.skip();
      await print(skipLine(requirement));
      continue;
    }
    test(`§${section} ${id}: ${statement}`, () => {
      if (complaint !== undefined) fail(complaint);
    });
  }
}

// Judged before anything is registered: uvu wants to know then what is skipped, and reads a hook that throws as no test.
try {
  await register(await judge());
} catch (error) {
  test('the run came to a verdict', () => {
    throw error;
  });
}

test.run();
