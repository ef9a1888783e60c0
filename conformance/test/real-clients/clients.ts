/** Clients on real stacks, each with the verdict that it must get. */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { ClientRequirementId } from '../../../spec/client-requirements.ts';
import { findPackage } from './load.ts';

type Ids = readonly ClientRequirementId[];

/** What must be said of a client: nothing more and nothing less. */
export interface Expectation {
  /** The requirements that fail. */
  readonly fails?: Ids;
  /** The requirements that warn. */
  readonly warns?: Ids;
  /** Requirements that may warn as well: chance, or the length of waits, decides. */
  readonly mayWarn?: Ids;
}

export interface RealClient extends Expectation {
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Undefined if the client can run; otherwise what is missing. */
  readonly missing: () => string | undefined;
  /** Compiles the client. */
  readonly build?: readonly [string, ...string[]] | undefined;
  /** Runs at most; 45 if undefined. */
  readonly runs?: number;
}

const here = (file: string): string => new URL(file, import.meta.url).pathname;
const { CLIENT_PYTHON: python = 'python3' } = process.env;

function answers(program: string, ...words: readonly string[]): boolean {
  return spawnSync(program, words, { stdio: 'ignore' }).status === 0;
}

/** What a program does not have, found out once. */
function lacks(program: string, ...words: readonly string[]): () => string | undefined {
  let found: string | undefined;
  let isKnown = false;
  return () => {
    if (!isKnown) found = answers(program, ...words) ? undefined : [program, ...words].join(' ');
    isKnown = true;
    return found;
  };
}

const lacksPackage = (name?: string) => () =>
  name === undefined || findPackage(name) !== undefined ? undefined : `the package ${name}`;

const limitWarnings = ['client-goes-on', 'client-waits', 'client-backs-off', 'client-no-hammering'] as const;
/** A library with its own defaults may give up on a 429, or repeat it in its own way. */
const defaults: Expectation = { mayWarn: [...limitWarnings, 'client-remaining'] };

/** The ways of a client that is written for every stack. */
const ways = {
  careful: {},
  defaults,
  'expects-order': { fails: ['any-list-order'] },
  'tests-refusals': {},
  'gets-by-id': {
    warns: ['client-deprecated'],
    mayWarn: ['client-waits', 'client-remaining', 'client-goes-on', 'any-after-removal'],
  },
} as const satisfies Readonly<Record<string, Expectation>>;

type Way = keyof typeof ways;
const most: readonly Way[] = ['careful', 'defaults', 'expects-order', 'tests-refusals'];

interface Stack {
  readonly program: string;
  readonly words: readonly string[];
  readonly missing: RealClient['missing'];
  readonly build?: RealClient['build'];
}

function inWays(name: string, { program, words, ...rest }: Stack, names: readonly Way[]): readonly RealClient[] {
  return names.map((way) => ({
    ...ways[way],
    ...rest,
    name: `${name} ${way}`,
    command: [program, ...words, name, way],
  }));
}

/** Clients of one file, each of a kind of its own. */
function kinds(
  prefix: string,
  { program, words, ...rest }: Stack,
  all: Readonly<Record<string, Expectation>>,
): readonly RealClient[] {
  return Object.entries(all).map(([kind, expected]) => ({
    ...rest,
    ...expected,
    name: `${prefix} ${kind}`,
    command: [program, ...words, ...kind.split(' ')],
  }));
}

const node = (file: string, name?: string): Stack => ({
  program: process.execPath,
  words: [here(file)],
  missing: lacksPackage(name),
});
const inPython = (file: string, module: string): Stack => ({
  program: python,
  words: [here(file)],
  missing: lacks(python, '-c', `import ${module}`),
});
const shell = (file: string, ...needs: readonly string[]): Stack => ({
  program: 'bash',
  words: [here(file)],
  missing: () => needs.map((need) => lacks('which', need)()).find(Boolean),
});

const onNode = (name: string, names: readonly Way[], isBuiltIn = false): readonly RealClient[] =>
  inWays(name, node('node-client.mjs', isBuiltIn ? undefined : name), names);
const onPython = (name: string, names: readonly Way[], module = name): readonly RealClient[] =>
  inWays(name, inPython('python-client.py', module), names);

/** A library that waits for Retry-After, not longer each time, and does not look at what remains. */
const retries: Expectation = { mayWarn: ['client-backs-off', 'client-remaining'] };
const byId: Expectation = { warns: ['client-deprecated'], mayWarn: ['any-after-removal'] };
const byRoundedId: Expectation = {
  fails: ['any-id-form', 'any-visibility', 'client-id-exact'],
  warns: ['client-deprecated', 'any-after-removal'],
};

/** Clients on Node.js alone. */
const nodeKinds = {
  'own-cache': {},
  'bigint-ids': byId,
  'string-ids': byId,
  'double-ids': byRoundedId,
  'category-as-string': { fails: ['client-values-in-range'] },
  'all-at-once': {},
  'workers-shared-wait': { mayWarn: ['client-remaining'] },
  'workers-own-waits': { warns: ['client-waits'], mayWarn: [...limitWarnings, 'client-remaining'] },
  'ignores-error-bodies': {},
  'header-case': { fails: ['any-json'], mayWarn: ['client-goes-on'] },
  'header-case-ignored': {},
  'circuit-breaker': {},
  'circuit-breaker-gives-up': { warns: ['client-goes-on'], mayWarn: ['client-remaining'] },
  pipelining: { mayWarn: ['client-remaining'] },
  'keep-alive-off': {},
  'follows-with-key': {
    fails: ['client-key-to-base-address'],
    warns: ['client-deprecated'],
    mayWarn: ['client-remaining', 'client-waits', 'client-goes-on'],
  },
  'follows-links-with-key': { fails: ['client-key-to-base-address'] },
  'follows-links': {},
  'form-encoded': { fails: ['client-sends-json'] },
  'multipart-form': { fails: ['client-sends-json'] },
  'expects-error-codes': { fails: ['any-error-codes'] },
  'looks-for-its-animal': { fails: ['any-catalogue', 'any-page-cap', 'any-visibility'] },
  'polls-for-its-animal': {},
  'streams-a-page': {},
  'stops-streaming-early': {},
  'splits-json-as-text': { fails: ['any-json'] },
  'key-in-query-too': { fails: ['any-unknown-query-parameters', 'client-key-in-header'] },
  'fixed-pause': { warns: ['client-waits'], mayWarn: ['client-backs-off', 'client-remaining'] },
  // It is refused and goes on, which is noted.
  'head-first': {},
  'health-page': { fails: ['client-shown-only'] },
} as const satisfies Readonly<Record<string, Expectation>>;

/** Clients that leave a part of their work to a package, by the package that they need. */
const libraryKinds = {
  'axios-retry': ['axios-retry', retries],
  'p-retry': ['p-retry', { warns: ['client-waits'], mayWarn: ['client-no-hammering', 'client-remaining'] }],
  opossum: ['opossum', { warns: ['client-waits'], mayWarn: [...limitWarnings, 'client-remaining'] }],
  'make-fetch-happen': ['make-fetch-happen', {}],
  'zod-strict-object': ['zod', { fails: ['any-extra-response-fields'] }],
  'zod-safe-integers': ['zod', { fails: ['any-id-form'] }],
  'zod-status-required': ['zod', { fails: ['any-status-omitted'] }],
  ajv: ['ajv', {}],
  'ajv-strict': ['ajv', { fails: ['any-extra-response-fields'] }],
  'json-bigint': ['json-bigint', byId],
  'lossless-json': ['lossless-json', byId],
  'openapi-fetch': ['openapi-fetch', {}],
  'p-queue': ['p-queue', {}],
  wretch: ['wretch', {}],
} as const satisfies Readonly<Record<string, readonly [string, Expectation]>>;

export function realClients(folder: string): readonly RealClient[] {
  const java: Stack = {
    program: 'java',
    words: ['-cp', folder, 'JavaClient'],
    missing: lacks('javac', '--version'),
    build: ['javac', '-d', folder, here('JavaClient.java')],
  };
  const go: Stack = {
    program: join(folder, 'go-client'),
    words: [],
    missing: lacks('go', 'version'),
    build: ['go', 'build', '-o', join(folder, 'go-client'), here('GoClient.go')],
  };
  const rust: Stack = {
    program: join(folder, 'rust-client'),
    words: [],
    missing: lacks('rustc', '--version'),
    build: ['rustc', '-o', join(folder, 'rust-client'), here('rust-client.rs')],
  };
  const ruby: Stack = { program: 'ruby', words: [here('ruby-client.rb')], missing: lacks('ruby', '--version') };
  const php: Stack = { program: 'php', words: [here('php-client.php')], missing: lacks('php', '-r', 'curl_init();') };
  const perl: Stack = { program: 'perl', words: [here('perl-client.pl')], missing: lacks('perl', '--version') };
  const tcl: Stack = { program: 'tclsh', words: [here('tcl-client.tcl')], missing: lacks('which', 'tclsh') };
  return [
    ...onNode('fetch', [...most, 'gets-by-id'], true),
    ...onNode('node:http', most, true),
    ...onNode('axios', [...most, 'gets-by-id']),
    ...onNode('node-fetch', ['careful', 'defaults', 'gets-by-id']),
    ...onNode('undici', ['careful', 'defaults', 'gets-by-id']),
    ...onNode('got', [...most, 'gets-by-id']),
    ...onNode('ky', ['careful', 'defaults', 'gets-by-id']),
    ...onNode('superagent', ['careful', 'defaults', 'gets-by-id']),
    ...onNode('ofetch', ['careful', 'defaults']),
    ...onNode('needle', ['careful', 'defaults']),
    ...onPython('urllib', most, 'urllib.request'),
    ...onPython('http.client', ['careful', 'defaults']),
    ...onPython('requests', [...most, 'gets-by-id']),
    ...onPython('requests+Retry', ['defaults'], 'requests'),
    ...onPython('urllib3', ['careful', 'defaults']),
    ...onPython('httpx', ['careful', 'defaults', 'gets-by-id']),
    ...inWays('curl', shell('shell-client.sh', 'curl', 'jq'), most),
    ...inWays('curl-retry', shell('shell-client.sh', 'curl', 'jq'), ['defaults']),
    ...inWays('wget', shell('shell-client.sh', 'wget', 'jq'), ['careful', 'defaults']),
    ...inWays('HTTP::Tiny', perl, most),
    ...inWays('HttpClient', java, ['careful', 'defaults']),
    ...inWays('HttpURLConnection', java, ['careful', 'expects-order']),
    ...inWays('tcl', tcl, most),
    ...kinds('node', node('node-kinds.mjs'), nodeKinds),
    ...Object.entries(libraryKinds).flatMap(([kind, [name, expected]]) =>
      kinds('library', node('library-kinds.mjs', name), { [kind]: expected }),
    ),
    ...kinds('page', node('page-client.mjs'), {
      careful: {},
      'strict-fields': { fails: ['any-extra-response-fields'] },
    }),
    ...kinds('python', inPython('python-kinds.py', 'urllib.request'), {
      dataclass: { fails: ['any-extra-response-fields'] },
      // urllib follows a redirect to another host with all headers.
      'float-ids': { ...byRoundedId, fails: [...byRoundedId.fails!, 'client-key-to-base-address'] },
      'default-status': { fails: ['any-status-omitted'] },
    }),
    ...kinds('python', inPython('python-kinds.py', 'aiohttp'), { aiohttp: {} }),
    ...kinds('python', inPython('python-kinds.py', 'httpx'), { 'httpx-stream': retries }),
    ...kinds('jq', shell('jq-client.sh', 'curl', 'jq'), {
      careful: retries,
      'get-by-id': { ...byRoundedId, ...retries },
      'first-field': { fails: ['any-json'], ...retries },
    }),
    ...kinds('go', go, {
      careful: {},
      defaults,
      'strict-fields': { fails: ['any-extra-response-fields'] },
      'int64-by-id': byId,
      'int32-ids': { fails: ['any-id-form'] },
      parallel: {},
    }),
    ...kinds('ruby', ruby, {
      careful: {},
      defaults,
      struct: { fails: ['any-extra-response-fields'] },
      'by-id': byId,
      'oldest-first': { fails: ['any-list-order'] },
    }),
    ...kinds('php', php, {
      'streams careful': {},
      'streams defaults': defaults,
      'streams by-id': byId,
      'curl careful': {},
      'curl defaults': defaults,
      'curl by-id': byId,
      'curl by-id-as-float': byRoundedId,
    }),
    ...kinds('rust', rust, {
      careful: {},
      'exact-media-type': { fails: ['any-json'] },
      'scans-text': { fails: ['any-json'] },
    }),
  ];
}
