/** The command petstore-server: reads its flags, listens, describes the server, and stops on a signal. */

import { parseArgs } from 'node:util';
import { defined } from '../../spec/defined.ts';
import { gaps } from '../../spec/gaps.ts';
import type { ApiKey } from '../index.ts';
import { listenForControl } from './control.ts';
import { type FileFlag, type ReadYaml, readFileOf } from './files.ts';
import { type Server, type ServerOptions, startServer } from './server.ts';
import type { ServerFault } from './wraps.ts';

const help = `petstore-server: a reference server of the Pet Store Service Interface 1.0.0

  --port PORT      8080; 0 takes a free one
  --host HOST      127.0.0.1
  --keys FILE      a list of keys, [{key: …, plan: free|pro|business|enterprise, perMinute?: N, perDay?: N}]
  --gaps FILE      answers to what the interface leaves open, a line "gap: answer" for each, as the reporter profile of
                   petstore-conformance writes them; a size may follow, as in page-cap: fewer 50
  --service ID     a legal service of the conformance kit
  --fault ID       a fault of the kit, wrong on purpose; repeatable
  --cors ORIGIN    lets pages of an origin read the answers, * of any; any by default where only this machine can reach
                   the host
  --animals FILE   a list of animals in the catalogue at the start, [{name: …, categoryId: N, status?: …}]
  --list WHAT      prints what an option takes, and ends: services, faults or gaps
  --log            prints a line for each request, without keys
  --control PORT   a second port, for this machine only: GET /journal, POST /reset, and POST /next with
                   {"retryAfterSeconds": 2}, {"fault": "ID"} or {"delayMs": 500}
  --help, --version

Files are YAML or JSON. The key of PETSTORE_API_KEY is one of the Business plan, that of PETSTORE_RATE_LIMIT_KEY one of
the Free plan. Without a key the server makes one for this run and prints it. GET /health, outside the base path, answers
without a key and without a limit.`;

const textOption = { type: 'string' } as const;
const switchOption = { type: 'boolean' } as const;
const serverOptions = {
  keys: textOption,
  gaps: textOption,
  service: textOption,
  cors: textOption,
  animals: textOption,
  control: textOption,
  list: textOption,
  log: switchOption,
  help: switchOption,
  version: switchOption,
  port: { ...textOption, default: '8080' },
  host: { ...textOption, default: '127.0.0.1' },
  fault: { ...textOption, multiple: true, default: [] as string[] },
} as const;
type ServerValues = ReturnType<typeof parseArgs<{ options: typeof serverOptions }>>['values'];

/** What the command takes from the kit; each throws an error with a sentence for the user. */
export interface Kit {
  readonly version: string;
  readonly loadFaults: () => Promise<(id: string) => ServerFault>;
  /** A legal service, with a sentence on what it does. */
  readonly loadServices: () => Promise<(id: string) => ServerOptions & { readonly meaning?: string }>;
  readonly listServices: () => Promise<readonly ListedRow[]>;
  readonly listFaults: () => Promise<readonly ListedRow[]>;
  readonly readYaml: ReadYaml;
}

/** What an option takes, and what that means. */
type ListedRow = readonly [id: string, meaning: string];

/** Each answer to a gap as the file of --gaps has it; the first is that of the reference server. */
function listGaps(): readonly ListedRow[] {
  return gaps.flatMap(({ id, answers }) =>
    Object.entries(answers).map(([answer, meaning]): ListedRow => [`${id}: ${answer}`, meaning]),
  );
}

async function listed(what: string, kit: Kit): Promise<string> {
  const lists: Readonly<Record<string, () => Promise<readonly ListedRow[]>>> = {
    services: kit.listServices,
    faults: kit.listFaults,
    gaps: async () => listGaps(),
  };
  const list = Object.hasOwn(lists, what) ? lists[what] : undefined;
  if (list === undefined) throw new RangeError(`--list takes ${Object.keys(lists).join(', ')}, not ${quote(what)}.`);
  const rows = await list();
  const width = Math.max(...rows.map(([id]) => id.length)) + 2;
  return rows.map(([id, meaning]) => `${id.padEnd(width)}${meaning}`.trimEnd()).join('\n');
}

/** A value of the user, as a sentence shows it. */
function quote(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}

function readPort(name: 'port' | 'control', text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new RangeError(`--${name} takes the number of a port, 0 to 65535, not ${quote(text)}.`);
}

/** An origin as a browser names it: scheme, host and port alone. */
function readOrigin(text: string): string {
  const parsed = URL.parse(/^https?:/i.test(text) ? text : `http://${text}`);
  if (text === '*' || text === 'null' || text === parsed?.origin) return text;
  const hint = parsed === null ? '' : ` Did you mean ${parsed.origin}?`;
  throw new RangeError(
    `--cors takes the origin of a page, such as http://localhost:5173, or *, not ${quote(text)}.${hint}`,
  );
}

/** The variables that may hold a key, with its plan. */
const planOfVariable = { PETSTORE_API_KEY: 'business', PETSTORE_RATE_LIMIT_KEY: 'free' } as const;

interface VariableKey {
  /** The variable. What is printed names it in the place of the key. */
  readonly name: string;
  readonly key: ApiKey;
}

function keysInVariables(environment: NodeJS.ProcessEnv): readonly VariableKey[] {
  return Object.entries(planOfVariable).flatMap(([name, plan]) => {
    const key = environment[name] ?? '';
    return key === '' ? [] : [{ name, key: { key, plan } }];
  });
}

/** The legal service of the flag --service, with a sentence on what it does. */
async function loadService(id: string | undefined, kit: Kit): Promise<ServerOptions & { readonly meaning?: string }> {
  if (id === undefined) return {};
  const find = await kit.loadServices();
  return find(id);
}

/** The options that flags and files give. */
async function readOwnOptions(
  values: ServerValues,
  variableKeys: readonly VariableKey[],
  { readYaml }: Kit,
): Promise<ServerOptions> {
  const read = async <Flag extends FileFlag>(name: Flag) => {
    const path = values[name];
    return path === undefined ? undefined : readFileOf(name, path, readYaml);
  };
  const keys = [...variableKeys.map(({ key }) => key), ...((await read('keys')) ?? [])];
  return defined({
    gaps: await read('gaps'),
    animals: await read('animals'),
    keys: keys.length === 0 ? undefined : keys,
    corsOrigin: values.cors === undefined ? undefined : readOrigin(values.cors),
    log: values.log ? (line: string): void => console.log(line) : undefined,
    host: values.host,
    port: readPort('port', values.port),
  });
}

/** The key in the command that is printed: a secret of the user is not shown. */
function shownKey({ key }: Server, own: ServerOptions, [first]: readonly VariableKey[]): string {
  if (first !== undefined) return `$${first.name}`;
  return own.keys === undefined ? key : 'KEY';
}

async function startFromOptions(values: ServerValues, kit: Kit): Promise<void> {
  const variableKeys = keysInVariables(process.env);
  const own = await readOwnOptions(values, variableKeys, kit);
  const controlPort = values.control === undefined ? undefined : readPort('control', values.control);
  const findFault = await kit.loadFaults();
  const faults = values.fault.map(findFault);
  const { meaning = '', ...service } = await loadService(values.service, kit);
  const all: ServerOptions = { ...service, ...own, faults: [...(service.faults ?? []), ...faults] };
  const server = await startServer(all);
  const authorization = `Authorization: Bearer ${shownKey(server, own, variableKeys)}`;
  const lines = [`Pet store at ${server.url}: curl -H "${authorization}" ${server.url}/pets`];
  if (values.service !== undefined) lines.push(`A legal service: ${values.service}. ${meaning}`.trim());
  if (all.gaps !== undefined) lines.push(`Answers to gaps: ${JSON.stringify(all.gaps)}`);
  for (const fault of faults) lines.push(`Wrong on purpose: ${fault.id}, which breaks ${fault.breaks[0]}`);
  const control = controlPort === undefined ? undefined : await listenForControl(server, controlPort, findFault);
  if (control !== undefined) lines.push(`Control at ${control.url}: GET /journal, POST /reset, POST /next`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.once(signal, () => void Promise.all([server.close(), control?.close()]));
  console.log(lines.join('\n'));
}

export async function petstoreServer(kit: Kit): Promise<void> {
  try {
    const { values } = parseArgs({ options: serverOptions });
    if (values.help) console.log(help);
    else if (values.version) console.log(kit.version);
    else if (values.list !== undefined) console.log(await listed(values.list, kit));
    else await startFromOptions(values, kit);
  } catch (error) {
    // Flags that cannot be parsed, and ports that cannot be taken, are named by the message of node.
    const { message, code } = error as NodeJS.ErrnoException;
    console.error(code === undefined ? message : `${message.replace(/\.$/, '')}; see petstore-server --help.`);
    // The first port may be open already.
    process.exit(2);
  }
}
