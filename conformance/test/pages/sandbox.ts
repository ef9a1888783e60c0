/** A folder as a reader of a page has it: the project, files of earlier runs, and commands that are installed. */

import { accessSync, chmodSync, constants, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { type Server, startServer } from '../../../reference-server/twin/index.ts';
import { judge } from '../../library/judge.ts';
import { reporters } from '../../reporters/index.ts';
import { findFault } from '../../sections/faults.ts';
import { harOf } from '../har-of-report.ts';
import { root } from './blocks.ts';

/** What a page leaves to the reader: a client that lists animals, waits where it must, and says whether it can. */
const client = `const { PETSTORE_BASE_URL, PETSTORE_API_KEY } = process.env;
for (;;) {
  const headers = { authorization: 'Bearer ' + PETSTORE_API_KEY };
  const answer = await fetch(PETSTORE_BASE_URL + '/pets', { headers });
  if (answer.status !== 429) process.exit(answer.status === 200 && Array.isArray(await answer.json()) ? 0 : 1);
  const asked = answer.headers.get('retry-after');
  const wait = /^\\d+$/.test(asked) ? asked * 1000 : Date.parse(asked) - Date.now();
  await new Promise((resolve) => setTimeout(resolve, wait + 1000));
}
`;

function findNpm(): string {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((place) => join(place, 'npm'));
  const isThere = (place: string): boolean => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return places.find(isThere) ?? 'npm';
}

function writeScript(file: string, lines: string): void {
  writeFileSync(file, `#!/bin/sh\n${lines}\n`);
  chmodSync(file, 0o755);
}

/** The commands of the package, and npm: what it would install is there, and the tests of a reader are a client. */
function installCommands(folder: string): void {
  mkdirSync(folder);
  const kit = `exec "${process.execPath}" "${join(root, 'conformance/cli.ts')}"`;
  writeScript(join(folder, 'petstore-conformance'), `${kit} "$@"`);
  writeScript(
    join(folder, 'petstore-server'),
    `exec "${process.execPath}" "${join(root, 'conformance/cli/petstore-server.ts')}" "$@"`,
  );
  writeScript(join(folder, 'npx'), '[ "$1" != --no ] || shift\nPATH="$PATH:$PWD/node_modules/.bin" exec "$@"');
  const ownTests = `"${process.execPath}" --input-type=module -e "$(cat "${join(folder, 'client.mjs')}")"`;
  writeFileSync(join(folder, 'client.mjs'), client);
  writeScript(
    join(folder, 'npm'),
    `case "$1" in ci | install) exit 0 ;; test) exec ${ownTests} ;; *) exec "${findNpm()}" "$@" ;; esac`,
  );
}

// The reports that a reader has of earlier runs; what fails in one of them still fails.
const faulty = await startServer({ faults: [findFault('error-status-always-400')] });
const healthy = await startServer();
/** The key of the service that `report.json` is about. */
export const keyOfFailing = faulty.key;
/** The address of the server that the sandbox's report is about. */
export const urlOfFailing = faulty.url;
const [broken, good] = await Promise.all(
  [faulty, healthy].map(({ url, key }) => judge({ baseUrl: url, apiKey: key, maxRequests: 60 })),
);
await healthy.close();

const files: Readonly<Record<string, string>> = {
  'report.json': reporters.json(broken!),
  'old.json': reporters.json(good!),
  'production.json': reporters.json(good!),
  'staging.json': reporters.json(good!),
  'before.json': reporters.json(good!),
  'after.json': reporters.json(good!),
  'production/report.json': reporters.json(good!),
  'session.har': harOf(good!),
  'petstore-conformance.mjs': `import ${JSON.stringify(join(root, 'conformance/cli.ts'))};\n`,
  'waivers.yaml': '[]\n',
  'profile.yaml': 'list-order: newest-first\n',
};

export interface Sandbox {
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** A service of a Free key, which keeps every sentence. */
  readonly target: Server;
  readonly close: () => Promise<void>;
}

const targetKeys = { api: 'free-key-of-a-reader', rateLimit: 'other-key-of-a-reader' } as const;

function environmentOf(folder: string): Readonly<Record<string, string>> {
  const plain = Object.entries(process.env).filter(([name]) => !/^(PETSTORE_|PACT_|npm_|_?proxy)|_proxy$/i.test(name));
  return {
    ...Object.fromEntries(plain as [string, string][]),
    PATH: [join(folder, 'installed'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    HOME: join(folder, 'home'),
    PETSTORE_API_KEY: targetKeys.api,
    // What a page leaves to its defaults, and would take long.
    PETSTORE_WORLDS: '3',
    CONFORMANCE_KIT: 'petstore-conformance',
    IMAGE_DIGEST: 'ab'.repeat(32),
    GIT_SHA: 'c'.repeat(40),
    GIT_BRANCH: 'main',
    NO_COLOR: '1',
  };
}

/** A folder of its own, and a service of its own: a Free key has sixty requests. */
export async function openSandbox(): Promise<Sandbox> {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-conformance-reader-'));
  for (const name of ['package.json', 'conformance', 'spec', 'reference-server', 'pacts', 'node_modules']) {
    symlinkSync(join(root, name), join(folder, name));
  }
  const folders = [
    'production',
    'home/.local/share/bash-completion/completions',
    'home/.config/fish/completions',
    'home/zsh',
  ];
  for (const name of folders) mkdirSync(join(folder, name), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  installCommands(join(folder, 'installed'));
  writeScript(join(folder, 'my-client'), 'exec npm test');
  const target = await startServer({
    keys: [
      { key: targetKeys.api, plan: 'free' },
      { key: targetKeys.rateLimit, plan: 'free' },
    ],
  });
  const close = async (): Promise<void> => {
    await target.close();
    rmSync(folder, { recursive: true });
  };
  return { folder, environment: environmentOf(folder), target, close };
}

/** Ends what all sandboxes share. */
export function closeSandboxes(): Promise<void> {
  return faulty.close();
}
