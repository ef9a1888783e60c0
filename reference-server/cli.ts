#!/usr/bin/env node
/** The command petstore-server: reads its arguments, listens, says what it is, and stops on a signal. */

import { parseArgs } from 'node:util';
import type { GapChoices } from '../spec/gaps.ts';
import { surprise } from './choices.ts';
import type { ServerFault } from './faults.ts';
import { readGaps, readInstant, readKeysFile, readLatency, readNumber, readWhole } from './flags.ts';
import type { ApiKey } from './keys.ts';
import { makeKey, startUnrecorded } from './start-server.ts';
import { type Weather, weatherInWords } from './weather.ts';

const help = `petstore-server: a reference server of the Pet Store Service Interface 1.0.0

  --port PORT            8080; 0 takes a free one
  --host HOST            127.0.0.1
  --key-env NAME         environment variable with an API key of the Business plan, repeatable; PETSTORE_API_KEY
  --keys FILE            JSON: [{"key": "…", "plan": "free|pro|business|enterprise", "perMinute"?: N, "perDay"?: N}]
  --help

Where the interface is silent
  --gaps FILE            what to do there: YAML, a line "gap: answer" for each, as petstore-conformance profile REPORT
                         writes it, or JSON: {"gap": "answer"}
  --surprise SEED        draws all other answers by a seed, and prints them

Wrong on purpose: would your client, your monitoring, your tests notice?
  --fault ID             a fault of the conformance kit, repeatable
  --list-faults          prints them, with the requirements that they break, and does nothing else

Weather, outside the interface
  --latency MS           holds each answer back, 80 or 80±40 (also 80+-40) milliseconds
  --error-rate RATE      from 0 to 1: so many requests meet a reset, before or after they are carried out, or a 503
  --window-seconds N     length of the window that the interface calls a minute; 60
  --seed-animals N       animals that are there from the start; 0
  --clock INSTANT        what time it is there, like 2030-12-04T23:59:50Z; it runs on from there

Without a key it makes one for this run and prints it. Faults that look closely at keys know that one alone.`;

const options = {
  port: { type: 'string', default: '8080' },
  host: { type: 'string', default: '127.0.0.1' },
  'key-env': { type: 'string', multiple: true },
  keys: { type: 'string' },
  gaps: { type: 'string' },
  surprise: { type: 'string' },
  fault: { type: 'string', multiple: true },
  'list-faults': { type: 'boolean' },
  latency: { type: 'string' },
  'error-rate': { type: 'string' },
  'window-seconds': { type: 'string' },
  'seed-animals': { type: 'string' },
  clock: { type: 'string' },
  help: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

/** The keys, which of them to use, and what stands for that in a command: its name, unless it was made for this run. */
interface Keys {
  readonly keys: readonly ApiKey[];
  readonly origin: string;
  readonly shown: string;
}

function readKeys(values: Values, faults: readonly ServerFault[]): Keys {
  const named = values['key-env'] ?? (process.env['PETSTORE_API_KEY'] ? ['PETSTORE_API_KEY'] : []);
  const fromEnvironment = named.map((name): ApiKey => {
    const key = process.env[name];
    if (!key) throw new RangeError(`The environment variable ${name} of --key-env is not set.`);
    return { key, plan: 'business' };
  });
  const keys = [...fromEnvironment, ...(values.keys === undefined ? [] : readKeysFile(values.keys))];
  if (named[0] !== undefined) return { keys, origin: `key $${named[0]}`, shown: `$${named[0]}` };
  if (keys.length > 0) return { keys, origin: `with a key of ${JSON.stringify(values.keys)} for KEY`, shown: 'KEY' };
  const made = makeKey(faults);
  return { keys: [made], origin: `key ${made.key}`, shown: made.key };
}

function readWeather(values: Values): Weather {
  const { latency, 'error-rate': rate, 'window-seconds': seconds, 'seed-animals': animals } = values;
  return {
    ...(latency === undefined ? {} : { latency: readLatency(latency) }),
    ...(rate === undefined ? {} : { errorRate: readNumber('error-rate', rate, 0, 1) }),
    ...(seconds === undefined ? {} : { windowSeconds: readNumber('window-seconds', seconds, 0.001, 86_400) }),
    ...(animals === undefined ? {} : { seedAnimals: readWhole('seed-animals', animals, 1_000_000) }),
  };
}

function readChoices(values: Values): Partial<GapChoices> {
  const drawn = values.surprise === undefined ? {} : surprise(readWhole('surprise', values.surprise, 2 ** 32 - 1));
  return { ...drawn, ...(values.gaps === undefined ? {} : readGaps(values.gaps)) };
}

/** A clock that starts at an instant and runs on. */
function clockFrom(instant: number): () => number {
  const ahead = instant - Date.now();
  return () => Date.now() + ahead;
}

/** The faults of the kit are loaded when they are asked for: without them the server is nothing but itself. */
async function loadFaults(ids: readonly string[]): Promise<readonly ServerFault[]> {
  if (ids.length === 0) return [];
  const { findFault } = await import('../conformance/sections/faults.ts');
  return ids.map(findFault);
}

async function listFaults(): Promise<void> {
  const { faults } = await import('../conformance/sections/faults.ts');
  console.log(faults.map(({ id, breaks }) => `${id}  breaks ${breaks.join(', ')}`).join('\n'));
}

/** Why nothing listens, in a sentence. */
function explain(error: NodeJS.ErrnoException, { port, host }: Values): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} of ${host} is in use; name another with --port.`;
  if (error.code === undefined) return error.message;
  const advice =
    error.code === 'EACCES' ? 'name a port from 1024 on with --port' : 'name an address of this machine with --host';
  return `Port ${port} of ${host} cannot be listened on (${error.code}): ${advice}.`;
}

/** What a server is beyond the interface, a line each. */
function describeServer(
  gaps: Partial<GapChoices>,
  faults: readonly ServerFault[],
  weather: readonly string[],
): string[] {
  return [
    ...(Object.keys(gaps).length === 0 ? [] : [`Choices in the gaps: ${JSON.stringify(gaps)}`]),
    ...faults.map(({ id, breaks }) => `Wrong on purpose: ${id}, which breaks ${breaks.join(', ')}`),
    ...(weather.length === 0 ? [] : [`Weather, outside the interface: ${weather.join('; ')}`]),
  ];
}

async function start(values: Values): Promise<void> {
  const port = readWhole('port', values.port, 65_535);
  const weather = readWeather(values);
  const gaps = readChoices(values);
  const faults = await loadFaults(values.fault ?? []);
  const instant = values.clock === undefined ? undefined : readInstant(values.clock);
  const { keys, origin, shown } = readKeys(values, faults);
  const clock = instant === undefined ? {} : { clock: clockFrom(instant) };
  const { url, close } = await startUnrecorded({ port, host: values.host, keys, gaps, faults, weather, ...clock });
  const told = [
    ...weatherInWords(weather),
    ...(instant === undefined ? [] : [`the clock started at ${new Date(instant).toISOString()}`]),
  ];
  const head = `Pet store at ${url}, ${origin}: curl -H "Authorization: Bearer ${shown}" ${url}/pets`;
  console.log([head, ...describeServer(gaps, faults, told)].join('\n'));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, close);
}

let values: Values | undefined;
/** The oldest Node in which an integer of 64 bits can be read from JSON digit by digit. */
const oldestNode = 22;

try {
  if (Number(process.versions.node.split('.')[0]) < oldestNode) {
    throw new RangeError(`petstore-server needs Node ${oldestNode} or newer, and this is ${process.versions.node}.`);
  }
  values = parseArgs({ options }).values;
  if (values.help) console.log(help);
  else if (values['list-faults']) await listFaults();
  else await start(values);
} catch (error) {
  console.error(values === undefined ? (error as Error).message : explain(error as NodeJS.ErrnoException, values));
  process.exitCode = 2;
}
