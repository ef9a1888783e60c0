/** Reads a JSON report that an earlier run wrote, and treats it as a stranger's file. */

import { isHarmlessCommand } from '../http/curl.ts';
import type { Validate } from '../http/schemas.ts';
import { replayCommand } from '../verdict/commands.ts';
import type { Report } from '../verdict/report.ts';
import { readText } from './files.ts';
import { shown } from './readers.ts';
import { validateReport } from './report-validator.ts';
import { UsageError } from './usage-error.ts';

const largestReport = 256 * 1024 * 1024;

/** The first breach of a schema in words, undefined where the value keeps it. */
function problemWith(value: unknown, validate: Validate): string | undefined {
  if (validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  return shown(`${error?.instancePath || 'it'} ${error?.message ?? 'is wrong'}`);
}

/** Commands are made to be copied into a shell, and a stranger may have written them: others than the kit's are replaced. */
function withHarmlessCommands(report: Report, file: string): Report {
  const requirements = report.requirements.map((requirement) => ({
    ...requirement,
    failures: requirement.failures.map((failure) => ({
      ...failure,
      curl: isHarmlessCommand(failure.curl) ? failure.curl : replayCommand(file, requirement.id),
    })),
  }));
  return { ...report, requirements };
}

export function readReport(file: string): Report {
  const hint = ` --reporter json=FILE writes one.`;
  const text = readText(file, { what: 'The report', largest: largestReport, hint });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`The report ${file} cannot be read: it is no JSON.${hint}`);
  }
  const version = (value as Partial<Report> | null)?.formatVersion as unknown;
  if (typeof version === 'number' && version > 1) {
    throw new UsageError(
      `${file} is a report of format version ${version}, and this kit reads version 1: use a later kit.`,
    );
  }
  if ((value as Partial<Report> | null)?.format !== 'petstore-conformance-report') {
    throw new UsageError(`${file} is not a report of this kit.${hint}`);
  }
  const problem = problemWith(value, validateReport);
  if (problem !== undefined) throw new UsageError(`${file} is not a report of format version 1: ${problem}.`);
  return withHarmlessCommands(value as Report, file);
}
