/** Reads a JSON report that an earlier run wrote. Nothing in it is trusted: a stranger may have written the file. */

import { Ajv2020 } from 'ajv/dist/2020.js';
import { noKey, type SentCredential, validKey } from '../http/credentials.ts';
import { curlOf } from '../http/curl.ts';
import { shown } from '../options/readers.ts';
import reportSchema from '../report.schema.json' with { type: 'json' };
import { againCommand, clientCommand } from '../reporters/next-run.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Report, ReportedFailure } from '../verdict/report.ts';
import { readText } from './files.ts';

const largestReport = 256 * 1024 * 1024;

/** The formats that the schema names, no wider than the kit writes them; ajv itself has none. */
const formats = {
  date: /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  'date-time': /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
  uri: /^https?:\/\/[^\s/]+\S*$/,
};
const validateReport = new Ajv2020({ strict: false, formats }).compile(reportSchema);

const savedCredentials: Readonly<Record<string, SentCredential>> = { 'api-key': validKey(''), none: noKey };
const serverCommand = /^petstore-server --service '[\w=.-]+'$/;

/** Users copy the commands of a report into a shell, so none is taken from the file: it is made from the last exchange. */
function commandOf({ exchanges, target, client }: Report, id: string, failure: ReportedFailure, file: string): string {
  if (client !== undefined) return serverCommand.test(failure.curl) ? failure.curl : clientCommand(client.command);
  const last = exchanges.find(({ number }) => number === failure.exchanges.at(-1));
  const credential = savedCredentials[last?.credentialId ?? ''];
  if (last === undefined || credential === undefined)
    return againCommand({ reportFile: file, options: [] }, 'BASE_URL', [id]);
  return curlOf({ request: last.request, credential: credential.shown }, target.baseUrl);
}

function withOwnCommands(report: Report, file: string): Report {
  const requirements = report.requirements.map((requirement) => ({
    ...requirement,
    failures: requirement.failures.map((failure) => ({
      ...failure,
      curl: commandOf(report, requirement.id, failure, file),
    })),
  }));
  return { ...report, requirements };
}

/** Reads a report, with commands of our own; rejects with a UsageError if the file cannot be read or breaks the schema. */
export async function readReport(file: string): Promise<Report> {
  const hint = ` --reporter json=FILE writes one.`;
  const text = await readText(file, 'The report', largestReport);
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
  if (!validateReport(value)) {
    const [error] = validateReport.errors ?? [];
    const problem = shown(`${error?.instancePath || 'it'} ${error?.message ?? 'is wrong'}`);
    throw new UsageError(`${file} is not a report of format version 1: ${problem}.`);
  }
  return withOwnCommands(value as unknown as Report, file);
}
