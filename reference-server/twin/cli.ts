/** The command petstore-server: reads its flags, listens, describes the server, and stops on a signal. */

import { parseArgs } from 'node:util';
import { defined } from '../../spec/defined.ts';
import type { ApiKey } from '../index.ts';
import { listenForControl } from './control.ts';
import { type ReadYaml, readAnimals, readFileOf, readGaps, readKeys } from './files.ts';
import { isLoopback, type ServerOptions, startServer } from './server.ts';
import type { ServerFault } from './wraps.ts';

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

function readPort(flag: string, value: string): number {
  if (/^\d{1,5}$/.test(value) && Number(value) <= 65_535) return Number(value);
  throw new RangeError(`--${flag} takes a port from 0 to 65535, not ${JSON.stringify(value.slice(0, 100))}.`);
}

function readOrigin(value: string): string {
  if (value === '*' || (URL.canParse(value) && new URL(value).origin === value)) return value;
  const shown = JSON.stringify(value.slice(0, 100));
  throw new RangeError(`--cors takes an origin like http://localhost:5173, or *, not ${shown}.`);
}

/** The keys of the environment, which stand for themselves in a command as variables. */
function keysOfEnvironment(): readonly (ApiKey & { readonly shown: string })[] {
  const plans = { PETSTORE_API_KEY: 'business', PETSTORE_RATE_LIMIT_KEY: 'free' } as const;
  return Object.entries(plans).flatMap(([name, plan]) => {
    const key = process.env[name] ?? '';
    return key === '' ? [] : [{ key, plan, shown: `$${name}` }];
  });
}

/** Starts listening; a port that cannot be taken becomes a sentence that names the flag. */
async function listening<Value>(flag: string, port: number, host: string, start: Promise<Value>): Promise<Value> {
  return start.catch((error: NodeJS.ErrnoException) => {
    const { code } = error;
    if (code === undefined) throw error;
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code})`;
    const flags = code === 'EADDRNOTAVAIL' ? `--${flag} or --host` : `--${flag}`;
    throw new RangeError(`Port ${port} of ${host} ${reason}; name another with ${flags}.`);
  });
}

async function start(values: Values, kit: Kit): Promise<void> {
  const { host, service: id, control } = values;
  const read = async <Value>(flag: 'keys' | 'gaps' | 'animals', readValue: (value: unknown) => Value) => {
    const path = values[flag];
    return path === undefined ? undefined : readFileOf(flag, path, kit.readYaml, readValue);
  };
  const port = readPort('port', values.port);
  const controlPort = control === undefined ? undefined : readPort('control', control);
  const corsOrigin = values.cors === undefined ? undefined : readOrigin(values.cors);
  const [gaps, animals] = [await read('gaps', readGaps), await read('animals', readAnimals)];
  const named = keysOfEnvironment();
  const keys = [...named, ...((await read('keys', readKeys)) ?? [])];
  const faults = await Promise.all((values.fault ?? []).map(async (fault) => (await kit.loadFaults())(fault)));
  const service = id === undefined ? undefined : (await kit.loadServices())(id);
  const around = service === undefined ? [] : [{ id: '', breaks: [], wrap: service.wrap }];
  const log = values.log ? (line: string): void => console.log(line) : undefined;
  const own = defined({ port, host, corsOrigin, gaps, animals, log, keys: keys.length === 0 ? undefined : keys });
  const made: ServerOptions = { ...service, ...own, faults: [...around, ...faults] };
  const server = await listening('port', port, host, startServer(made));
  const closing = [server.close];
  const shown = named[0]?.shown ?? (keys.length === 0 ? server.key : 'KEY');
  const lines = [`Pet store at ${server.url}: curl -H "Authorization: Bearer ${shown}" ${server.url}/pets`];
  if (service !== undefined) lines.push(`A legal service: ${id}. ${service.meaning ?? ''}`.trim());
  if (made.gaps !== undefined) lines.push(`Answers to gaps: ${JSON.stringify(made.gaps)}`);
  for (const fault of faults)
    lines.push(`Wrong on purpose: ${fault.id}, which breaks ${[...new Set(fault.breaks)].join(', ')}`);
  if (controlPort !== undefined) {
    const opened = listenForControl(server, controlPort, await kit.loadFaults());
    const { url, close } = await listening('control', controlPort, '127.0.0.1', opened).catch(async (error) => {
      await server.close();
      throw error;
    });
    closing.push(close);
    lines.push(`Control at ${url}: GET /journal, POST /reset, POST /next`);
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void Promise.all(closing.map((close) => close())));
  console.log(lines.join('\n'));
  if (isLoopback(host)) return;
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
