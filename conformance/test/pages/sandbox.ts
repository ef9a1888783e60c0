/** A folder as a reader of a page has it: the project, files of earlier runs, and commands that are installed. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { startServer } from '../../../reference-server/twin/index.ts';
import { findFault } from '../../faults/index.ts';
import { judge, render } from '../../library/index.ts';
import { program, temporaryFolder } from '../cli/command.ts';
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

/** The commands of the package, and an npm that installs nothing and whose tests are the client. */
function installCommands(folder: string): void {
  mkdirSync(folder);
  const script = (name: string, lines: string): void =>
    writeFileSync(join(folder, name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });
  const start = (file: string): string => `exec "${process.execPath}" "${file}" "$@"`;
  script('petstore-conformance', start(program));
  script('petstore-server', start(join(root, 'conformance/cli/petstore-server.ts')));
  script(
    'npx',
    'while [ "$1" = --no ] || [ "$1" = -- ]; do shift; done\nPATH="$PATH:$PWD/node_modules/.bin" exec "$@"',
  );
  writeFileSync(join(folder, 'client.mjs'), client);
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  const tests = `exec "${process.execPath}" "${join(folder, 'client.mjs')}"`;
  script('npm', `case "$1" in ci | install) exit 0 ;; test) ${tests} ;; *) exec "${npm}" "$@" ;; esac`);
}

/** The reports of earlier runs: of a service that conforms, and of one that does not. */
async function judgeServer(faults: readonly string[]) {
  const server = await startServer({ faults: faults.map(findFault) });
  const report = await judge({ baseUrl: server.url, apiKey: server.key, maxRequests: 60 });
  await server.close();
  return report;
}
const [good, broken] = await Promise.all([judgeServer([]), judgeServer(['error-status-always-400'])]);

const files: Readonly<Record<string, string>> = {
  'report.json': render(broken, 'json'),
  'production.json': render(good, 'json'),
  'staging.json': render(good, 'json'),
  'session.har': readFileSync(join(root, 'conformance/test/cli/commands/chromium.har'), 'utf8'),
  'waivers.yaml': '- id: list-limit-default\n  reason: known\n  owner: catalogue team\n  expires: 2027-01-31\n',
  'profile.yaml': 'list-order: newest-first\n',
  'animals.yaml': '- { name: Rex, categoryId: 7 }\n',
  'petstore-conformance.mjs': `import ${JSON.stringify(program)};\n`,
};

export const rateLimitKey = 'other-key-of-a-reader';

export type Sandbox = Awaited<ReturnType<typeof openSandbox>>;

/** A folder of its own, and a service of its own that keeps every sentence: a Free key has sixty requests. */
export async function openSandbox() {
  const folder = mkdtempSync(join(temporaryFolder(), 'reader-'));
  for (const name of ['package.json', 'conformance', 'spec', 'reference-server', 'pacts', 'node_modules']) {
    symlinkSync(join(root, name), join(folder, name));
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  installCommands(join(folder, 'installed'));
  const key = 'free-key-of-a-reader';
  const target = await startServer({ keys: [key, rateLimitKey].map((one) => ({ key: one, plan: 'free' })) });
  const plain = Object.entries(process.env).filter(([name]) => !/^(PETSTORE_|PACT_|npm_|_?proxy)|_proxy$/i.test(name));
  const environment = {
    ...Object.fromEntries(plain),
    PATH: [join(folder, 'installed'), dirname(process.execPath), process.env['PATH']].join(delimiter),
    PETSTORE_API_KEY: key,
    GIT_SHA: 'c'.repeat(40),
    GIT_BRANCH: 'main',
    NO_COLOR: '1',
  };
  const close = async (): Promise<void> => {
    await target.close();
    rmSync(folder, { recursive: true });
  };
  return { folder, environment, target, close };
}
