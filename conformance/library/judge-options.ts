/** Reads the options of `judge()` into the values that a command line would have given. */

import { readValues } from '../cli/configuration.ts';
import type { RunValues } from '../cli/judge-target.ts';
import { optionOf, programOptions } from '../cli/options.ts';
import { shown } from '../cli/readers.ts';
import { complaintOfKey, type Target } from '../cli/target.ts';
import { UsageError } from '../cli/usage-error.ts';
import type { RunSettings } from './run-settings.ts';

/** Reports what happens in a run, as it happens. */
export type ProgressEvent =
  /** A scenario begins; `title` says in words what it asks. */
  | { readonly kind: 'scenario'; readonly id: string; readonly title: string }
  /** A request was answered, or stayed without an answer. `requests` counts them from 1. */
  | { readonly kind: 'exchange'; readonly requests: number; readonly maxRequests: number }
  /** The run waits so many milliseconds before it sends again. */
  | { readonly kind: 'wait'; readonly ms: number; readonly why: string };

/** What is judged, and how. Whatever is left out is as on the command line; see `petstore-conformance run --help`. */
export interface JudgeOptions extends RunSettings {
  /** The API key of the target (§5). It enters no report. */
  readonly apiKey?: string;
  /** A second key that the run may exhaust (§8). Without it those requirements are skipped. */
  readonly rateLimitKey?: string;
  /** Ends the run: the report says so and holds what was judged until then. */
  readonly signal?: AbortSignal;
  /** Receives each scenario, request and wait, as it happens. */
  readonly onProgress?: (event: ProgressEvent) => void;
}

const ownTypes = {
  apiKey: 'string',
  rateLimitKey: 'string',
  signal: 'object',
  onProgress: 'function',
} as const satisfies Record<Exclude<keyof JudgeOptions, keyof RunSettings>, string>;

/** The value of an option; undefined where it is one of `ownTypes`. JavaScript checks no types, so this does. */
function readGiven(name: string, value: unknown): unknown {
  const type = Object.hasOwn(ownTypes, name) ? ownTypes[name as keyof typeof ownTypes] : undefined;
  if (type !== undefined) {
    if (typeof value === type && value !== null) return undefined;
    throw new UsageError(`${name} takes ${type === 'object' ? 'an object' : `a ${type}`}.`);
  }
  const option = programOptions.find((candidate) => candidate === name);
  if (option === undefined) throw new UsageError(`There is no option ${shown(name)}.`);
  return optionOf(option).type.program?.read(value, name);
}

/** The values of a run; throws a UsageError for an option that cannot be used. */
export function valuesOf(options: JudgeOptions): RunValues {
  const given = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [name, readGiven(name, value)] as const)
    .filter(([, value]) => value !== undefined);
  return { ...readValues('run', new Map()), ...Object.fromEntries(given), reporters: [] };
}

function checkKey(name: string, key: string): string {
  const complaint = key === '' ? 'is empty' : complaintOfKey(key);
  if (complaint === undefined) return key;
  throw new UsageError(`${name} ${complaint}.`);
}

/** The keys of a target at an address; throws a UsageError that repeats none of them. */
export function keysOf({ apiKey, rateLimitKey }: JudgeOptions): Target['keys'] {
  if (apiKey === undefined) throw new UsageError('apiKey is missing: a target at an address needs a key.');
  if (rateLimitKey === apiKey) throw new UsageError('rateLimitKey must be another key, since the run exhausts it.');
  const api = checkKey('apiKey', apiKey);
  return rateLimitKey === undefined ? { api } : { api, rateLimit: checkKey('rateLimitKey', rateLimitKey) };
}
