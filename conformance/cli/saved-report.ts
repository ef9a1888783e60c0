/** Reads a JSON report that an earlier run wrote. Nothing in it is trusted: a stranger may have written the file. */

import { isHarmlessCommand } from '../http/curl.ts';
import type { Validate } from '../http/schemas.ts';
import { shown } from '../options/readers.ts';
import { UsageError } from '../run/usage-error.ts';
import { againCommand } from '../verdict/commands.ts';
import type { Report } from '../verdict/report.ts';
import { readText } from './files.ts';
import { validateReport } from './report-validator.ts';

const largestReport = 256 * 1024 * 1024;

/** Returns the first violation of the report's schema in words; undefined for a valid value. */
function problemWith(value: unknown, validate: Validate): string | undefined {
  if (validate(value)) return undefined;
  const [error] = validate.errors ?? [];
  return shown(`${error?.instancePath || 'it'} ${error?.message ?? 'is wrong'}`);
}

/** Users copy the commands of a report into a shell. A command that the kit does not write becomes one that judges the requirement again. */
function withHarmlessCommands(report: Report, file: string): Report {
  const requirements = report.requirements.map((requirement) => ({
    ...requirement,
    failures: requirement.failures.map((failure) => ({
      ...failure,
      curl: isHarmlessCommand(failure.curl) ? failure.curl : againCommand(file, 'BASE_URL', [requirement.id]),
    })),
  }));
  return { ...report, requirements };
}

export async function readReport(file: string): Promise<Report> {
  const hint = ` --reporter json=FILE writes one.`;
  const text = await readText(file, { what: 'The report', largest: largestReport, hint });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UsageError(`The report ${file} cannot be read: it is no JSON.${hint}`);
  }
  const { format, formatVersion } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (format !== 'petstore-conformance-report') throw new UsageError(`${file} is not a report of this kit.${hint}`);
  if (typeof formatVersion === 'number' && formatVersion > 1) {
    throw new UsageError(
      `${file} is a report of format version ${formatVersion}, and this kit reads version 1: use a later kit.`,
    );
  }
  const problem = problemWith(value, validateReport);
  if (problem !== undefined) throw new UsageError(`${file} is not a report of format version 1: ${problem}.`);
  return withHarmlessCommands(value as Report, file);
}
