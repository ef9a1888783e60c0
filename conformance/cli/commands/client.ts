/** `client -- COMMAND…`: judges a client of the interface, by running it under one legal service after another. */

import { randomInt } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '../../../spec/defined.ts';
import { type ClientRun, runOverSockets } from '../../clients/client-run.ts';
import { type CompatibilityRuns, runCompatibility } from '../../clients/compatibility-runs.ts';
import { reportClient } from '../../clients/report-client.ts';
import { CommandNotStarted, runCommand } from '../../clients/run-command.ts';
import { redactor } from '../../http/redact.ts';
import { readCommit } from '../commit.ts';
import type { Invocation } from '../configuration.ts';
import { openFolder } from '../files.ts';
import type { Values } from '../options.ts';
import { checkOutputs, evidenceScope, writeOutputs } from '../outputs.ts';
import { environmentSecrets } from '../own-secrets.ts';
import { createProgress } from '../progress.ts';
import { refusal } from '../refusals.ts';
import { createStop } from '../stop.ts';
import { UsageError } from '../usage-error.ts';

/** The folder for the output of the command, a file for each run. */
function openOutput({ outputFolder }: Values<'client'>): string {
  if (outputFolder === undefined) return mkdtempSync(join(tmpdir(), 'petstore-client-'));
  openFolder(outputFolder);
  return outputFolder;
}

/** The environment of the command: that of the kit without its own settings and without keys of real services. */
function environmentOf(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('PETSTORE_')));
}

async function runWith(
  values: Values<'client'>,
  command: readonly [string, ...string[]],
  seed: number,
  signal: AbortSignal,
): Promise<CompatibilityRuns> {
  const progress = createProgress(values.isQuiet ? 'quiet' : values.maxRuns, undefined, 'runs');
  const runClient = runOverSockets(
    runCommand({
      command,
      environment: environmentOf(process.env),
      timeoutMs: values.timeLimitMs,
      folder: openOutput(values),
      secrets: environmentSecrets(process.env),
    }),
  );
  const options = {
    runClient,
    maxRuns: values.maxRuns,
    concurrency: values.runsAtATime ?? availableParallelism(),
    seed,
    signal,
    onRun: ({ variant }: ClientRun) => progress.count(variant.id),
  };
  try {
    return await runCompatibility(defined({ ...options, only: values.onlyGaps }));
  } catch (error) {
    if (!(error instanceof CommandNotStarted)) throw error;
    throw new UsageError(`${refusal(`The command ${command[0]}`, 'started', error.cause)}.`);
  } finally {
    progress.end();
  }
}

/** Resolves with the exit code of the report. */
export async function client({ values, words }: Invocation<'client'>, interruption: AbortSignal): Promise<number> {
  const [program = '', ...rest] = words;
  const seed = values.seed ?? randomInt(2 ** 31);
  const stop = createStop(values.deadlineMs, interruption);
  checkOutputs(values);
  const startedAt = Date.now();
  const made = await runWith(values, [program, ...rest], seed, stop.signal);
  const report = reportClient(
    defined({
      made,
      command: words.map(redactor(environmentSecrets(process.env))),
      seed,
      startedAt,
      endedAt: Date.now(),
      scope: evidenceScope(values),
      commit: readCommit(),
      ended: made.isEnded ? String(stop.signal.reason) : undefined,
    }),
  );
  await writeOutputs(report, values);
  return report.exitCode;
}
