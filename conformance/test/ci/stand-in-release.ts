/** A release as CI jobs find it, with a kit that is this checkout, and services that they judge. */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program, temporaryFolder } from '../cli/command.ts';
import { type OtherServerOptions, startOtherServer } from '../other-server.ts';
import { execute as executeWords, type Outcome, type Variables } from './runner.ts';

export const root = new URL('../../..', import.meta.url).pathname;
export const folder = temporaryFolder();
export const actionFolder = '.github/actions/conformance';

export function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** The checkout of a release: the action, and the script with the single file beside it, which here starts this checkout. */
export const release = join(folder, 'release');
export const script = join(release, 'conformance/ci/judge.sh');
export const singleFile = join(release, 'conformance/ci/petstore-conformance.mjs');
for (const name of ['conformance/ci/judge.sh', `${actionFolder}/action.yml`])
  cpSync(join(root, name), join(release, name));
writeFileSync(singleFile, `import ${JSON.stringify(program)};\n`);
export const checksum = digestOf(singleFile);

/** The tarball of a release, which published.package.ts makes in earnest. */
export const tarball = join(folder, 'petstore-conformance-9.9.9.tgz');
for (const [from, to] of [
  [script, 'package/conformance/ci/judge.sh'],
  [singleFile, 'package/dist/petstore-conformance.js'],
] as const) {
  cpSync(from, join(folder, to));
}
writeFileSync(join(folder, 'package/package.json'), '{ "type": "module" }\n');
execFileSync('tar', ['-czf', tarball, '-C', folder, 'package']);

/** In place of the network: curl and wget bring the tarball or the single file, whatever the address, and fail for others. */
export const tools = join(folder, 'tools');
mkdirSync(tools);
const download = `for word; do case $word in *.tgz) from='${tarball}' ;; *.mjs) from='${singleFile}' ;; esac; done
while [ $# -gt 0 ]; do case $1 in -o | -O) to=$2 ;; esac; shift; done
[ "\${from:-}" ] && cp "$from" "$to"`;
for (const name of ['curl', 'wget']) {
  writeFileSync(join(tools, name), `#!/bin/sh\n${download}\n`);
  chmodSync(join(tools, name), 0o755);
}

export function execute(command: string, args: readonly string[], cwd: string, variables: Variables): Promise<Outcome> {
  return executeWords([command, ...args], cwd, { PATH: `${tools}:${process.env['PATH']}`, ...variables });
}

export const withoutMessage: OtherServerOptions = {
  breaks: (answer) => {
    answer.body = answer.body.replaceAll('"message"', '"text"');
  },
};

let runs = 0;

/** Has a recipe judge another server, from an empty folder of its own. */
export async function judgeOther(
  other: OtherServerOptions | 'absent',
  judge: (cwd: string, target: Variables) => Promise<Outcome>,
): Promise<Outcome & { readonly cwd: string }> {
  // The recipes name the plan of the key.
  const { baseUrl, key, server } = await startOtherServer({ perMinute: 1000, ...(other === 'absent' ? {} : other) });
  if (other === 'absent') server.close();
  runs += 1;
  const cwd = join(folder, `run-${runs}`);
  mkdirSync(cwd);
  const target = { PETSTORE_BASE_URL: baseUrl, PETSTORE_API_KEY: key, PETSTORE_NOW: '2026-11-21' };
  try {
    return { ...(await judge(cwd, { ...target, PETSTORE_MAX_REQUESTS: '20' })), cwd };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

export function read(cwd: string, file: string): string {
  return readFileSync(join(cwd, file), 'utf8');
}
