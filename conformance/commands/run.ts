/** `run`: judges a target and writes its reports, whatever ends the run. */

import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { conformanceSuite } from '../checks/index.ts';
import { drawDefaults, type RunArguments, readSettings, usual, withBaseUrl } from '../command-line/arguments.ts';
import { readConfiguration, showConfiguration, surroundings, UsageError } from '../command-line/configuration.ts';
import { createProgress, createStop } from '../command-line/progress.ts';
import { openTarget } from '../command-line/target.ts';
import { readWaivers } from '../command-line/waivers.ts';
import type { Report } from '../engine/report.ts';
import { type RunOptions, runConformance } from '../engine/run.ts';
import { reporters } from '../reporters/index.ts';
import { asShownOn } from '../reporters/styled-lines.ts';
import { reportTerminal } from '../reporters/terminal.ts';

function writeTo(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`);
  }
}

/** Every output of a run; one that cannot be written does not keep the others from being so. */
function write(report: Report, args: RunArguments): void {
  const outputs = args.reporters.map(({ name, file }) => () => {
    if (file !== undefined) return writeTo(file, reporters[name](report));
    process.stdout.write(
      name === 'terminal' ? reportTerminal(report, asShownOn(process.stdout)) : reporters[name](report),
    );
  });
  const { leftovers } = args;
  if (leftovers !== undefined) {
    const left = { target: report.target, startedAt: report.startedAt, created: report.created };
    outputs.unshift(() => writeTo(leftovers, `${JSON.stringify(left, null, 2)}\n`));
  }
  const errors = outputs.flatMap((output): readonly unknown[] => {
    try {
      output();
      return [];
    } catch (error) {
      return [error];
    }
  });
  if (errors.length > 0) throw errors[0];
}

/** Opens the target, has it judged, writes the reports whatever happened; resolves with the exit code. */
export async function judgeTarget(
  args: RunArguments,
  interruption: AbortSignal,
  judge: (options: RunOptions & { readonly signal: AbortSignal }) => Promise<Report>,
): Promise<number> {
  const waivers = args.waivers === undefined ? undefined : readWaivers(args.waivers);
  const signal = createStop(args.deadlineMs, interruption);
  const target = await openTarget(args, signal);
  const progress = createProgress();
  const beganAt = performance.now();
  let requests = 0;
  let title = '';
  try {
    const judged = await judge({
      suite: conformanceSuite,
      settings: {
        ...(target.plan === undefined ? {} : { plan: target.plan }),
        ...args.settings,
        baseUrl: target.baseUrl,
        hasRateLimitKey: target.keys.rateLimit !== undefined,
      },
      keys: target.keys,
      transport: target.transport,
      clock: target.clock,
      runTag: randomBytes(3).toString('hex'),
      demands: {
        requiresAll: args.requiresAll,
        ...(args.only === undefined ? {} : { only: args.only }),
        ...(waivers === undefined ? {} : { waivers }),
      },
      scope: args.scope,
      signal,
      onScenario: (scenario) => {
        title = scenario.title;
      },
      onExchange: () => {
        requests += 1;
        progress.show(`${requests}/${args.settings.maxRequests} ${title}`);
      },
      onWait: (ms, why) => {
        if (!target.isJumping) progress.wait(ms, why);
      },
    });
    progress.end();
    // The clock of the embedded server jumps over waits; what is told is what the user waited.
    const report = { ...judged, durationMs: Math.round(performance.now() - beganAt) };
    write(report, args);
    return report.exitCode;
  } finally {
    progress.end();
    await target.close();
  }
}

/** `run [BASE_URL]`: judges a target by all that the kit has; resolves with the exit code. */
export async function run(argv: readonly string[], interruption: AbortSignal): Promise<number> {
  const printsOnly = argv.includes('--print-config');
  const given = withBaseUrl(
    readConfiguration(
      argv.filter((word) => word !== '--print-config'),
      surroundings(),
    ),
  );
  const args = readSettings(given, drawDefaults());
  if (printsOnly) {
    process.stdout.write(showConfiguration(given, usual, process.env));
    return 0;
  }
  return judgeTarget(args, interruption, runConformance);
}
