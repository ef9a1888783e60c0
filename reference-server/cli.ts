#!/usr/bin/env node
/** The command petstore-server: reads its arguments, listens, says where, and stops on a signal. */

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { GapChoices } from '../spec/gaps.ts';
import { surprise } from './choices.ts';
import { readGapFile } from './gap-file.ts';
import type { ApiKey } from './keys.ts';
import { listen } from './listen.ts';
import { createPetStore } from './pet-store.ts';

const help = `petstore-server: a reference server of the Pet Store Service Interface 1.0.0

  --port PORT            8080; 0 takes a free one
  --host HOST            127.0.0.1
  --key-env NAME         environment variable with an API key of the Business plan, repeatable; PETSTORE_API_KEY
  --keys FILE            JSON: [{"key": "…", "plan": "free|pro|business|enterprise", "perMinute"?: N, "perDay"?: N}]
  --gaps FILE            what to do where the interface is silent: YAML, a line "gap: answer" for each, as
                         petstore-conformance profile REPORT writes it, or JSON: {"gap": "answer"}
  --surprise SEED        draws all other answers by a seed, and prints them
  --window-seconds N     length of the window that the interface calls a minute; 60
  --help

Without a key it makes one for this run and prints it.`;

const options = {
  port: { type: 'string', default: '8080' },
  host: { type: 'string', default: '127.0.0.1' },
  'key-env': { type: 'string', multiple: true },
  keys: { type: 'string' },
  gaps: { type: 'string' },
  surprise: { type: 'string' },
  'window-seconds': { type: 'string', default: '60' },
  help: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

function readNumber(flag: string, text: string, least: number, most: number): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new RangeError(`--${flag} takes a number from ${least} to ${most}, not "${text}".`);
}

function readWhole(flag: string, text: string, most: number): number {
  if (Number.isInteger(Number(text))) return readNumber(flag, text, 0, most);
  throw new RangeError(`--${flag} takes a whole number, not "${text}".`);
}

function readFile(flag: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new RangeError(`The file "${path}" of --${flag} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}

/** What a JSON file with keys in it holds: no message may show a piece of it. */
function readKeyList(path: string): unknown {
  const text = readFile('keys', path);
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError(`The file "${path}" of --keys is not JSON.`);
  }
}

function readKeysFile(path: string): readonly ApiKey[] {
  const list = readKeyList(path);
  const isKey = (entry: unknown): boolean =>
    typeof entry === 'object' && entry !== null && 'key' in entry && typeof entry.key === 'string' && 'plan' in entry;
  if (Array.isArray(list) && list.length > 0 && list.every(isKey)) return list as ApiKey[];
  throw new RangeError(`The file "${path}" of --keys must be a JSON array of {"key": "…", "plan": "…"}.`);
}

/** The keys, which of them to use, and what stands for that in a command: its name, unless it was made for this run. */
interface Keys {
  readonly keys: readonly ApiKey[];
  readonly origin: string;
  readonly shown: string;
}

function readKeys(values: Values): Keys {
  const named = values['key-env'] ?? (process.env['PETSTORE_API_KEY'] ? ['PETSTORE_API_KEY'] : []);
  const fromEnvironment = named.map((name): ApiKey => {
    const key = process.env[name];
    if (!key) throw new RangeError(`The environment variable ${name} of --key-env is not set.`);
    return { key, plan: 'business' };
  });
  const keys = [...fromEnvironment, ...(values.keys === undefined ? [] : readKeysFile(values.keys))];
  if (named[0] !== undefined) return { keys, origin: `key $${named[0]}`, shown: `$${named[0]}` };
  if (keys.length > 0) return { keys, origin: `with a key of ${JSON.stringify(values.keys)} for KEY`, shown: 'KEY' };
  const key = `dev-${randomBytes(18).toString('base64url')}`;
  return { keys: [{ key, plan: 'business' }], origin: `key ${key}`, shown: key };
}

function readGaps(path: string): Partial<GapChoices> {
  const text = readFile('gaps', path);
  try {
    return readGapFile(text);
  } catch (error) {
    throw new RangeError(`The file "${path}" of --gaps cannot be used: ${(error as Error).message}.`);
  }
}

/** Why nothing listens, in a sentence. */
function explain(error: NodeJS.ErrnoException, { port, host }: Values): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} of ${host} is in use; name another with --port.`;
  return error.code === undefined ? error.message : `Port ${port} of ${host} cannot be listened on (${error.code}).`;
}

async function start(values: Values): Promise<void> {
  const port = readWhole('port', values.port, 65_535);
  const windowSeconds = readNumber('window-seconds', values['window-seconds'], 0.001, 86_400);
  const drawn = values.surprise === undefined ? {} : surprise(readWhole('surprise', values.surprise, 2 ** 32 - 1));
  const gaps = { ...drawn, ...(values.gaps === undefined ? {} : readGaps(values.gaps)) };
  const { keys, origin, shown } = readKeys(values);
  const { handle } = createPetStore({ keys, gaps, windowSeconds });
  const { url, close } = await listen(handle, { port, host: values.host });
  const base = `${url}/v1`;
  console.log(`Pet store at ${base}, ${origin}: curl -H "Authorization: Bearer ${shown}" ${base}/pets`);
  if (values.surprise !== undefined) console.log(`Choices in the gaps: ${JSON.stringify(gaps)}`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, close);
}

let values: Values | undefined;
try {
  values = parseArgs({ options }).values;
  if (values.help) console.log(help);
  else await start(values);
} catch (error) {
  console.error(values === undefined ? (error as Error).message : explain(error as NodeJS.ErrnoException, values));
  process.exitCode = 2;
}
