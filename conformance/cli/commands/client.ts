/** `client -- COMMAND…`: judges a client of the interface, by running it under one legal service after another. */

import { randomInt } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CompatibilityRuns, runCompatibility } from '../../clients/compatibility.ts';
import { reportClient } from '../../clients/report-client.ts';
import { CommandNotStarted, runCommand } from '../../clients/run-command.ts';
import { redactor } from '../../http/redact.ts';
import { readCommit } from '../commit.ts';
import type { Invocation } from '../configuration.ts';
import { openFolder } from '../files.ts';
import type { Values } from '../options.ts';
import { checkOutputs, evidenceScope, writeOutputs } from '../outputs.ts';
import { createProgress } from '../progress.ts';
import { refusal } from '../refusals.ts';
import { createStop } from '../stop.ts';
import { UsageError } from '../usage-error.ts';

/** Where the command prints to, a file a world. */
function openOutput({ outputFolder }: Values<'client'>): string {
  if (outputFolder === undefined) return mkdtempSync(join(tmpdir(), 'petstore-client-'));
  openFolder(outputFolder);
  return outputFolder;
}

/** The environment of the command: ours without what configures the kit, and without keys of real services. */
function environmentOf(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PETSTORE_')));
}

/** Keys of real services, which nothing that is written may hold. */
function secretsOf(environment: NodeJS.ProcessEnv): readonly string[] {
  const isKey = (name: string): boolean => /^PETSTORE_.*KEY$/.test(name);
  return Object.entries(environment).flatMap(([name, value]) => (isKey(name) && value ? [value] : []));
}

async function tourWith(
  values: Values<'client'>,
  command: readonly [string, ...string[]],
  seed: number,
  signal: AbortSignal,
): Promise<CompatibilityRuns> {
  const progress = createProgress(values.isQuiet ? 'quiet' : values.worlds, undefined, 'runs');
  const folder = openOutput(values);
  try {
    return await runCompatibility({
      attempt: runCommand({
        command,
        environment: environmentOf(process.env),
        timeoutMs: values.timeLimitMs,
        folder,
        secrets: secretsOf(process.env),
      }),
      worlds: values.worlds,
      ...(values.onlyGaps === undefined ? {} : { only: values.onlyGaps }),
      seed,
      lanes: availableParallelism(),
      signal,
      onVisit: ({ variant: world }) => progress.count(world.id),
    });
  } catch (error) {
    if (!(error instanceof CommandNotStarted)) throw error;
    throw new UsageError(`${refusal(`The command ${command[0]}`, 'started', error.cause)}.`);
  } finally {
    progress.end();
  }
}

/** Resolves with the exit code that the report has. */
export async function client({ values, words }: Invocation<'client'>, interruption: AbortSignal): Promise<number> {
  const [program = '', ...rest] = words;
  const seed = values.seed ?? randomInt(2 ** 31);
  const stop = createStop(values.deadlineMs, interruption);
  checkOutputs(values);
  const commit = readCommit();
  const startedAt = Date.now();
  const tour = await tourWith(values, [program, ...rest], seed, stop.signal);
  const report = reportClient({
    tour,
    command: words.map(redactor(secretsOf(process.env))),
    seed,
    startedAt,
    endedAt: Date.now(),
    scope: evidenceScope(values),
    ...(commit === undefined ? {} : { commit }),
    ...(tour.isEnded ? { ended: String(stop.signal.reason) } : {}),
  });
  await writeOutputs(report, values);
  return report.exitCode;
}
