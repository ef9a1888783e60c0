/** The command petstore-server: reads its flags, listens, describes the server, and stops on a signal. */

import { parseArgs } from 'node:util';
import { defined } from '../../spec/defined.ts';
import type { ApiKey } from '../index.ts';
import { listenForControl } from './control.ts';
import type { ServerFault } from './faults.ts';
import { type ReadYaml, readAnimals, readFileOf, readGaps, readKeys } from './files.ts';
import { isLoopback, type ServerOptions, startServer } from './server.ts';

const help = `petstore-server: a reference server of the Pet Store Service Interface 1.0.0

  --port PORT      8080; 0 takes a free one
  --host HOST      127.0.0.1
  --keys FILE      keys: [{key: …, plan: free|pro|business|enterprise, perMinute?: N, perDay?: N}]
  --gaps FILE      answers to what the interface leaves open, a line "gap: answer" for each, as the reporter profile of
                   petstore-conformance writes them; a size may follow, as in page-cap: fewer 50
  --service ID     a legal service of the conformance kit
  --fault ID       a fault of the kit, wrong on purpose; repeatable
  --cors ORIGIN    lets pages of an origin read the answers, * of any; any by default where only this machine can reach
                   the host
  --animals FILE   animals in the catalogue at the start: [{name: …, categoryId: N, status?: …}]
  --log            prints a line for each request, without keys
  --control PORT   a second port, for this machine only: GET /journal, POST /reset, and POST /next with
                   {"retryAfterSeconds": 2}, {"fault": "ID"} or {"delayMs": 500}
  --help, --version

Files are YAML or JSON. The key of PETSTORE_API_KEY is one of the Business plan, that of PETSTORE_RATE_LIMIT_KEY one of
the Free plan. Without a key the server makes one for this run and prints it. GET /health, outside the base path, answers
without a key and without a limit.`;

const text = { type: 'string' } as const;
const options = {
  port: { ...text, default: '8080' },
  host: { ...text, default: '127.0.0.1' },
  keys: text,
  gaps: text,
  service: text,
  fault: { ...text, multiple: true },
  cors: text,
  animals: text,
  log: { type: 'boolean' },
  control: text,
  help: { type: 'boolean' },
  version: { type: 'boolean' },
} as const;
type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];

/** A legal service: a wrap around the reference server, and options in place of its own. */
export interface LegalService extends Pick<ServerOptions, 'gaps' | 'animals' | 'clock' | 'networkConditions'> {
  readonly wrap: ServerFault['wrap'];
  /** What such a service does, for the user. */
  readonly meaning?: string;
}

/** What the command takes from the kit; each throws an error with a sentence for the user. */
export interface Kit {
  readonly version: string;
  readonly loadFaults: () => Promise<(id: string) => ServerFault>;
  readonly loadServices: () => Promise<(id: string) => LegalService>;
  readonly readYaml: ReadYaml;
}

/** The value of a flag, read; undefined where it is not given. */
function given<Value>(value: string | undefined, read: (value: string) => Value): Value | undefined {
  return value === undefined ? undefined : read(value);
}

function readPort(flag: string, value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new RangeError(`--${flag} takes a port from 0 to 65535, not ${JSON.stringify(value.slice(0, 100))}.`);
}

function readOrigin(value: string): string {
  if (value === '*' || (URL.canParse(value) && new URL(value).origin === value)) return value;
  throw new RangeError(
    `--cors takes an origin like http://localhost:5173, or *, not ${JSON.stringify(value.slice(0, 100))}.`,
  );
}

/** The text that stands for a key in a command is its variable, or the key itself where it was made for this run. */
function keysOfEnvironment(): readonly (ApiKey & { readonly shown: string })[] {
  const plans = { PETSTORE_API_KEY: 'business', PETSTORE_RATE_LIMIT_KEY: 'free' } as const;
  return Object.entries(plans).flatMap(([name, plan]) => {
    const key = process.env[name];
    return key === undefined || key === '' ? [] : [{ key, plan, shown: `$${name}` }];
  });
}

/** One line for each way in which the server differs from the reference server. */
function describe({ gaps = {}, faults = [] }: ServerOptions, id = '', meaning = ''): readonly string[] {
  return [
    ...(id === '' ? [] : [`A legal service: ${id}. ${meaning}`.trim()]),
    ...(Object.keys(gaps).length === 0 ? [] : [`Answers to gaps: ${JSON.stringify(gaps)}`]),
    ...faults
      .filter(({ breaks }) => breaks.length > 0)
      .map(({ id, breaks }) => `Wrong on purpose: ${id}, which breaks ${[...new Set(breaks)].join(', ')}`),
  ];
}

/** Starts listening; a port that cannot be taken becomes a sentence that names the flag. */
async function listening<Value>(
  flag: string,
  value: string,
  host: string,
  start: () => Promise<Value>,
): Promise<Value> {
  try {
    return await start();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code})`;
    throw new RangeError(
      `Port ${value} of ${host} ${reason}; name another with --${flag}${code === 'EADDRNOTAVAIL' ? ' or --host' : ''}.`,
    );
  }
}

async function start(values: Values, kit: Kit): Promise<void> {
  const { host } = values;
  const read = async <Value>(flag: 'keys' | 'gaps' | 'animals', readValue: (value: unknown) => Value) =>
    given(values[flag], (path) => readFileOf(flag, path, kit.readYaml, readValue));
  const port = readPort('port', values.port);
  const controlPort = given(values.control, (value) => readPort('control', value));
  const corsOrigin = given(values.cors, readOrigin);
  const gaps = await read('gaps', readGaps);
  const animals = await read('animals', readAnimals);
  const named = keysOfEnvironment();
  const keys = [...named, ...((await read('keys', readKeys)) ?? [])];
  const faults = await Promise.all((values.fault ?? []).map(async (id) => (await kit.loadFaults())(id)));
  const service = values.service === undefined ? undefined : (await kit.loadServices())(values.service);
  const around = service === undefined ? [] : [{ id: values.service!, breaks: [], wrap: service.wrap }];
  const log = values.log ? (line: string): void => console.log(line) : undefined;
  const own = defined({ port, host, corsOrigin, gaps, animals, log, keys: keys.length === 0 ? undefined : keys });
  const server: ServerOptions = { ...service, ...own, faults: [...around, ...faults] };
  const { url, key, close, ...controlled } = await listening('port', values.port, host, () => startServer(server));
  const closing = [close];
  const shown = named[0]?.shown ?? (keys.length === 0 ? key : 'KEY');
  const lines = [
    `Pet store at ${url}: curl -H "Authorization: Bearer ${shown}" ${url}/pets`,
    ...describe(server, values.service, service?.meaning),
  ];
  if (controlPort !== undefined) {
    const findFault = await kit.loadFaults();
    const control = await listening('control', values.control!, '127.0.0.1', () =>
      listenForControl(controlled, controlPort, findFault),
    ).catch((error) => close().then(() => Promise.reject(error)));
    closing.push(control.close);
    lines.push(`Control at ${control.url}: GET /journal, POST /reset, POST /next`);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      for (const end of closing) void end();
    });
  }
  console.log(lines.join('\n'));
  if (!isLoopback(host))
    console.error(
      `Others can reach this server at ${host}. It is meant for tests: give it keys that protect nothing else.`,
    );
}

export async function petstoreServer(kit: Kit): Promise<void> {
  try {
    const { values } = parseArgs({ options });
    if (values.help) console.log(help);
    else if (values.version) console.log(kit.version);
    else await start(values, kit);
  } catch (error) {
    const { message, code = '' } = error as NodeJS.ErrnoException;
    const isUsage = code.startsWith('ERR_PARSE_ARGS');
    console.error(isUsage ? `${message.replace(/\.$/, '')}; see petstore-server --help.` : message);
    process.exitCode = 2;
  }
}
