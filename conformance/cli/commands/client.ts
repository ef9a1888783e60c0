/** `client`: judges a client of the interface by its runs. */

import { existsSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFileOf } from '../../../reference-server/twin/files.ts';
import { defined } from '../../../spec/defined.ts';
import type { GapChoices } from '../../../spec/gaps.ts';
import { type ClientRun, runOverSockets } from '../../clients/client-run.ts';
import { type Compatibility, runCompatibility } from '../../clients/compatibility.ts';
import { reportClient } from '../../clients/report-client.ts';
import { CommandNotStarted, runClientCommand } from '../../clients/run-command.ts';
import { redactor } from '../../http/redact.ts';
import { secretsInEnvironment } from '../../http/secret-names.ts';
import type { Values } from '../../options/options.ts';
import { stopSignal } from '../../run/stop.ts';
import { UsageError } from '../../run/usage-error.ts';
import { reasonOf } from '../../verdict/reasons.ts';
import type { Command } from '../configuration.ts';
import { errorSentence, makeFolder, readYaml } from '../files.ts';
import { checkOutputs } from '../outputs.ts';
import { createProgress } from '../progress.ts';

/** Reads the answers of a service to gaps, as the reporter profile writes them and petstore-server reads them. */
function readGapProfile(file: string): Promise<Partial<GapChoices>> {
  return readFileOf('gaps', file, readYaml).catch((error: unknown) => {
    throw error instanceof RangeError ? new UsageError(error.message) : error;
  });
}

function notStarted(program: string, cause: unknown): UsageError {
  const isLine = /\s/.test(program) && !existsSync(program);
  const hint = isLine ? ` Give its words separately: client -- ${program}` : '';
  return new UsageError(`${errorSentence(`The command ${program}`, 'started', cause)}.${hint}`);
}

/** The environment of the command: it gets neither settings of the kit nor keys of real services. */
function environmentOfCommand(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(own).filter(([name]) => !name.startsWith('PETSTORE_')));
}

/** More runs at a time take much memory. */
const mostAtATime = 8;

async function runWith(
  values: Values<'client'>,
  command: readonly [string, ...string[]],
  signal: AbortSignal,
): Promise<Compatibility> {
  const { gapProfile, onlyGaps: only, outputFolder, timeLimitMs: timeoutMs, isQuiet } = values;
  const profile = gapProfile === undefined ? undefined : await readGapProfile(gapProfile);
  const progress = createProgress({ isQuiet, most: 1, counted: 'runs' });
  let runs = 0;
  const onRun = ({ service, isPassed }: ClientRun, left: number): void => {
    runs += 1;
    progress.expect(runs + left);
    progress.count(service.id, !isPassed);
  };
  const folder = outputFolder ?? mkdtempSync(join(tmpdir(), 'petstore-client-'));
  await makeFolder(folder);
  const environment = environmentOfCommand(process.env);
  const secrets = secretsInEnvironment(process.env);
  const runClient = runOverSockets(runClientCommand({ command, environment, timeoutMs, folder, secrets }));
  // Clients that are refused wait most of the time.
  const concurrency = Math.min(mostAtATime, 2 * availableParallelism());
  try {
    return await runCompatibility(defined({ runClient, concurrency, signal, onRun, only, profile }));
  } catch (error) {
    throw error instanceof CommandNotStarted ? notStarted(command[0], error.cause) : error;
  } finally {
    progress.end();
    if (outputFolder === undefined && readdirSync(folder).length === 0) rmdirSync(folder);
  }
}

export const client: Command<'client'> = async ({ values, words }, host) => {
  const [program = '', ...rest] = words;
  const stop = stopSignal(values.deadlineMs, host.interruption, host.time);
  await checkOutputs(values);
  const startedAt = Date.now();
  const made = await runWith(values, [program, ...rest], stop);
  const command = words.map(redactor(secretsInEnvironment(process.env)));
  const ended = stop.aborted ? reasonOf(stop) : undefined;
  const { waivers } = values;
  const endedAt = Date.now();
  return reportClient(defined({ made, command, waivers, startedAt, endedAt, ended }));
};
