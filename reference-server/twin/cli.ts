/** The command petstore-server: reads its flags, listens, describes the server, and stops on a signal. */

import { parseArgs } from 'node:util';
import { defined } from '../../spec/defined.ts';
import type { GapChoices } from '../../spec/gaps.ts';
import type { ApiKey } from '../index.ts';
import { listenForControl } from './control.ts';
import type { ServerFault } from './faults.ts';
import { surprise } from './gap-choices.ts';
import { describeNetworkConditions } from './network-conditions.ts';
import {
  readAnimalsFile,
  readGapsFile,
  readInstant,
  readKeysFile,
  readLatency,
  readNumber,
  readOrigin,
  readWhole,
} from './readers.ts';
import { isLoopback, makeKey, type ServerOptions, startServer, startWithoutJournal } from './start-server.ts';

const help = `petstore-server: a reference server of the Pet Store Service Interface 1.0.0

  --port PORT            8080; 0 takes a free one
  --host HOST            127.0.0.1
  --key-env NAME         environment variable with an API key of the Business plan, repeatable; PETSTORE_API_KEY
  --keys FILE            JSON: [{"key": "…", "plan": "free|pro|business|enterprise", "perMinute"?: N, "perDay"?: N}]
  --cors ORIGIN          lets pages of an origin read the answers, * of any; any by default where only this machine can
                         reach the host
  --service ID           one of the services that petstore-conformance client tries; takes --port alone
  --help, --version

Where the interface is silent
  --gaps FILE            the answers to choose: YAML with a line "gap: answer" for each, as --reporter profile of
                         petstore-conformance writes it, or JSON: {"gap": "answer"}; a size may follow, as in page-cap: fewer 50
  --surprise SEED        draws all other answers by a seed, and prints them

Wrong on purpose: would your client, your monitoring, your tests notice?
  --fault ID             a fault of the conformance kit, repeatable
  --list-faults          prints all faults with the requirements that they break, and exits

Outside the interface
  --latency MS           holds each answer back for 80 or 80±40 (also 80+-40) milliseconds
  --error-rate RATE      the share of requests, from 0 to 1, that meet a 503, or a reset before or after they are carried
                         out
  --window-seconds N     length of the window that the interface calls a minute; 60
  --seed-animals N       made-up animals in the catalogue at the start; 0
  --clock INSTANT        the time at the start, like 2030-12-04T23:59:50Z; it runs on from there

For developers of clients
  --animals FILE         animals in the catalogue at the start, JSON or YAML: [{"name": "…", "categoryId": N, "status"?: "…"}]
  --log                  prints a line for each request, without keys
  --control-port PORT    a second port, for this machine only: GET /journal, POST /reset, and POST /next with
                         {"retryAfterSeconds": 2}, {"fault": "ID"} or {"delayMs": 500}
  GET /health            outside the base path, answers without a key and without a limit

Without a key the server makes one for this run and prints it. Faults that depend on the text of a key know that one
only.`;

const options = {
  port: { type: 'string', default: '8080' },
  host: { type: 'string', default: '127.0.0.1' },
  'key-env': { type: 'string', multiple: true },
  cors: { type: 'string' },
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
  animals: { type: 'string' },
  log: { type: 'boolean' },
  'control-port': { type: 'string' },
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

function given<Value>(text: string | undefined, read: (text: string) => Value): Value | undefined {
  return text === undefined ? undefined : read(text);
}

/** The keys, their source, and the text that stands for one in a command: its name, unless it was made for this run. */
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
  const keys = [...fromEnvironment, ...(given(values.keys, readKeysFile) ?? [])];
  if (named[0] !== undefined) return { keys, origin: `key $${named[0]}`, shown: `$${named[0]}` };
  if (keys.length > 0) return { keys, origin: `with a key of ${JSON.stringify(values.keys)} for KEY`, shown: 'KEY' };
  const made = makeKey(faults);
  return { keys: [made], origin: `key ${made.key}`, shown: made.key };
}

/** Loads faults when they are asked for: without them the server is nothing but itself. */
export type LoadFaults = () => Promise<{
  readonly faults: readonly ServerFault[];
  readonly findFault: (id: string) => ServerFault;
}>;

async function listFaults(loadFaults: LoadFaults): Promise<void> {
  const { faults } = await loadFaults();
  console.log(faults.map(({ id, breaks }) => `${id}  breaks ${[...new Set(breaks)].join(', ')}`).join('\n'));
}

function explain(error: NodeJS.ErrnoException, { port, host }: Values): string {
  if (error.code === 'EADDRINUSE') return `Port ${port} of ${host} is in use; name another with --port.`;
  if (error.code === undefined) return error.message;
  const advice =
    error.code === 'EACCES' ? 'name a port from 1024 on with --port' : 'name an address of this machine with --host';
  return `Port ${port} of ${host} cannot be listened on (${error.code}): ${advice}.`;
}

/** One line for each way in which the server differs from the reference server. */
function describe({ gaps = {}, faults = [], ...rest }: ServerOptions, startsAt: number | undefined): readonly string[] {
  const outside = [
    ...describeNetworkConditions(rest.networkConditions ?? {}),
    ...(rest.windowSeconds === undefined ? [] : [`a minute of §8 lasts ${rest.windowSeconds} s`]),
    ...(rest.seedAnimals === undefined ? [] : [`${rest.seedAnimals} animals at the start`]),
    ...(startsAt === undefined ? [] : [`the clock started at ${new Date(startsAt).toISOString()}`]),
  ];
  return [
    ...(Object.keys(gaps).length === 0 ? [] : [`Choices in the gaps: ${JSON.stringify(gaps)}`]),
    ...faults.map(({ id, breaks }) => `Wrong on purpose: ${id}, which breaks ${[...new Set(breaks)].join(', ')}`),
    ...(outside.length === 0 ? [] : [`Outside the interface: ${outside.join('; ')}`]),
  ];
}

interface Started {
  readonly url: string;
  readonly close: () => Promise<unknown>;
  readonly control?: string;
}

async function startControlled(options: ServerOptions, port: number, loadFaults: LoadFaults): Promise<Started> {
  const { findFault } = await loadFaults();
  const server = await startServer(options);
  try {
    const control = await listenForControl(server, port, findFault);
    const line = `Control at ${control.url}: GET /journal, POST /reset, POST /next`;
    return { url: server.url, close: () => Promise.all([server.close(), control.close()]), control: line };
  } catch (error) {
    await server.close();
    const { code } = error as NodeJS.ErrnoException;
    throw new RangeError(
      `Port ${port} of 127.0.0.1 cannot be listened on (${code}): name another with --control-port.`,
    );
  }
}

async function start(values: Values, loadFaults: LoadFaults): Promise<void> {
  const port = readWhole('port', values.port, 65_535);
  const latency = given(values.latency, readLatency);
  const errorRate = given(values['error-rate'], (text) => readNumber('error-rate', text, 0, 1));
  const windowSeconds = given(values['window-seconds'], (text) => readNumber('window-seconds', text, 0.001, 86_400));
  const seedAnimals = given(values['seed-animals'], (text) => readWhole('seed-animals', text, 1_000_000));
  const corsOrigin = given(values.cors, readOrigin);
  const drawn = given(values.surprise, (text) => surprise(readWhole('surprise', text, 2 ** 32 - 1)));
  const gaps: Partial<GapChoices> = { ...drawn, ...given(values.gaps, readGapsFile) };
  const faults = values.fault?.map((await loadFaults()).findFault) ?? [];
  const startsAt = given(values.clock, readInstant);
  const ahead = (startsAt ?? 0) - Date.now();
  const clock = startsAt === undefined ? undefined : () => Date.now() + ahead;
  const { keys, origin, shown } = readKeys(values, faults);
  const networkConditions = defined({ latency, errorRate });
  const { host } = values;
  const animals = values.animals === undefined ? undefined : await readAnimalsFile(values.animals);
  const log = values.log ? (line: string): void => console.log(line) : undefined;
  const contents = { windowSeconds, seedAnimals, animals, clock, corsOrigin, log };
  // Tests of authentication send many requests without a key; the small limit of the reference choice would slow them.
  const choices: Partial<GapChoices> = { 'rate-limit-without-key': 'same-as-key', ...gaps };
  const server = defined({ port, host, keys, gaps: choices, faults, networkConditions, ...contents });
  const controlPort = given(values['control-port'], (text) => readWhole('control-port', text, 65_535));
  const { url, close, control }: Started = await (controlPort === undefined
    ? startWithoutJournal(server)
    : startControlled(server, controlPort, loadFaults));
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, close);
  const head = `Pet store at ${url}, ${origin}: curl -H "Authorization: Bearer ${shown}" ${url}/pets`;
  console.log(
    [head, ...describe({ ...server, gaps }, startsAt), ...(control === undefined ? [] : [control])].join('\n'),
  );
  if (!isLoopback(host)) {
    console.error(
      `Others can reach this server at ${host}. It is meant for tests: give it keys that protect nothing else.`,
    );
  }
}

export async function petstoreServer(version: string, loadFaults: LoadFaults): Promise<void> {
  let values: Values | undefined;
  try {
    values = parseArgs({ options }).values;
    if (values.help) console.log(help);
    else if (values.version) console.log(version);
    else if (values['list-faults']) await listFaults(loadFaults);
    else await start(values, loadFaults);
  } catch (error) {
    const { message } = error as Error;
    console.error(
      values === undefined
        ? `${message.replace(/\.$/, '')}; see petstore-server --help.`
        : explain(error as NodeJS.ErrnoException, values),
    );
    process.exitCode = 2;
  }
}
