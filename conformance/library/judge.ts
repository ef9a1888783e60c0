/** Judges a target for a program: prints nothing, reads no key from the environment, sets no exit code. */

import { defined } from '../../spec/defined.ts';
import type { RequirementId } from '../../spec/requirements.ts';
import { requireAddress, signOfGate } from '../options/gate.ts';
import { flagOf, type OptionName, optionOf, optionsOf, readValue, textsOf, type Values } from '../options/options.ts';
import { shown } from '../options/readers.ts';
import { suggest } from '../options/suggest.ts';
import { type JudgeSettings, judgeService } from '../run/judge.ts';
import { UsageError } from '../run/usage-error.ts';
import type { Report } from '../verdict/report.ts';
import type { Waiver } from '../verdict/verdict.ts';
import { complaintOfNode } from './node-version.ts';

/** What is judged, and how. Whatever is left out is as on the command line; OPTIONS.md has all options. */
export interface JudgeOptions extends Omit<Partial<Values<'judge()'>>, 'categoryIds' | 'only' | 'today' | 'waivers'> {
  readonly categoryIds?: readonly (number | bigint)[];
  /** Ids of requirements, or sections such as 4.1. */
  readonly only?: readonly string[];
  readonly today?: Date;
  readonly waivers?: readonly (Waiver & { readonly id: RequirementId })[];
  /** The API key of the target (§5). It enters no report. */
  readonly apiKey?: string;
  /** A second key that the run may exhaust (§8). Without it those requirements are skipped. */
  readonly rateLimitKey?: string;
  /** Ends the run: the report says so and holds what was judged until then. */
  readonly signal?: AbortSignal;
}

/** The options that no table has → what they take. */
const ownTypes = {
  apiKey: { expected: 'a text', isRight: (given: unknown) => typeof given === 'string' },
  rateLimitKey: { expected: 'a text', isRight: (given: unknown) => typeof given === 'string' },
  signal: { expected: 'an AbortSignal', isRight: (given: unknown) => given instanceof AbortSignal },
} as const;

/** The value of an option as a program gives it, undefined for its default. */
function readGivenOption(name: OptionName, value: unknown): unknown {
  const { read, readInProgram = read, readContent } = optionOf(name).type;
  if (value === undefined) return readValue(name, [], (text) => read(text, name));
  if (readContent !== undefined) return readContent(value, name);
  return readValue(name, textsOf(name, value, name), (text) => readInProgram(text, name));
}

/** The option that a program meant: that of the flag which it wrote, or else the one with a similar name. */
function hintFor(unknown: string, names: readonly OptionName[]): string {
  const ofFlag = names.find((name) => flagOf(name) === unknown);
  return ofFlag === undefined ? suggest(unknown, [...names, ...Object.keys(ownTypes)]) : ` Did you mean ${ofFlag}?`;
}

/** Throws a UsageError for options that are no object, or for one of those that no table has. No sentence repeats a key. */
function checkOwnTypes(options: JudgeOptions): void {
  if (typeof options !== 'object' || options === null)
    throw new UsageError('judge takes options, like { baseUrl, apiKey }.');
  for (const [name, { expected, isRight }] of Object.entries(ownTypes)) {
    const given: unknown = options[name as keyof typeof ownTypes];
    if (given !== undefined && !isRight(given)) throw new UsageError(`${name} takes ${expected}.`);
  }
}

/** The settings of a run; throws a UsageError for an option that cannot be used. */
function settingsOf(given: Readonly<Record<string, unknown>>): JudgeSettings {
  const names = optionsOf('judge()');
  const unknown = Object.keys(given).find((name) => !names.some((one) => one === name));
  if (unknown !== undefined) throw new UsageError(`There is no option ${shown(unknown)}.${hintFor(unknown, names)}`);
  const values = Object.fromEntries(names.map((name) => [name, readGivenOption(name, given[name])]));
  // Each value has the type that the table gives it; the compiler cannot follow that through this loop.
  return defined(values) as unknown as JudgeSettings;
}

const adviceInProgram = { advice: 'give baseUrl', byName: 'isEmbedded: true' };

/** What makes a call look like a gate whose address is missing, such as a variable for it that is not set. */
function signOfGateIn(options: JudgeOptions): string | undefined {
  const named = ['baseUrl', 'apiKey', 'rateLimitKey'].find((name) => Object.hasOwn(options, name));
  return named === undefined ? signOfGate(process.env) : `${named} is one of the options`;
}

/**
 * Judges a target, and resolves with the report: a target that does not answer and a signal that aborts make it
 * inconclusive. Rejects with a UsageError, before any request, where an option cannot be used. Creates animals at the target
 * unless `isReadOnly` is set. Without an address it judges the embedded reference server, if `isEmbedded` is set or nothing
 * looks like a gate: no key, no `CI` and no variable `PETSTORE_…`.
 */
export async function judge(options: JudgeOptions = {}): Promise<Report> {
  const complaint = complaintOfNode();
  if (complaint !== undefined) throw new UsageError(complaint);
  checkOwnTypes(options);
  const { apiKey, rateLimitKey, signal = new AbortController().signal, ...given } = options;
  const settings = settingsOf(given);
  requireAddress(settings, signOfGateIn(options), adviceInProgram);
  return judgeService({
    settings,
    keys: defined({ api: apiKey, rateLimit: rateLimitKey }),
    keyNames: { api: 'apiKey', rateLimit: 'rateLimitKey' },
    signal,
  });
}
