/** `init BASE_URL`: writes a configuration and a CI job; it asks nothing, and overwrites nothing. */

import { chmodSync, existsSync } from 'node:fs';
import type { Invocation } from '../configuration.ts';
import { configurationFile, repositoryOf } from '../configuration-file.ts';
import { checkWritable, print, readText, writeText } from '../files.ts';
import type { Values } from '../options.ts';
import { isLoopback, shown } from '../readers.ts';
import { UsageError } from '../usage-error.ts';

type Ci = NonNullable<Values<'init'>['ci']>;

function configurationFor(baseUrl: string): string {
  const start = isLoopback(baseUrl)
    ? '# A command that starts the service for the run, and is ended after it.\n# start: npm start\n'
    : '';
  return `# Options of petstore-conformance, by the names of their flags. Keys come from the environment only.
base-url: ${JSON.stringify(baseUrl)}
${start}# The plan of the API key decides the pace: free, pro, business or enterprise.
# plan: free
max-requests: 60
reporter:
  - terminal
  - json=conformance-reports/report.json
  - html=conformance-reports/report.html
  - junit=conformance-reports/junit.xml
`;
}

/** Nothing is published yet, so each job runs the single file of a release, which lies in the repository. */
const file = 'petstore-conformance.mjs';

const githubJob = `# Judges the service. Put ${file} of a release into the repository, and the key into the secrets.
name: Pet Store conformance
on: [workflow_dispatch, push]
permissions:
  contents: read
# One run at a time: a key has one limit, whoever uses it.
concurrency: pet-store-conformance
jobs:
  conformance:
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with:
          node-version: 24
      - run: node ${file} run
        env:
          PETSTORE_API_KEY: \${{ secrets.PETSTORE_API_KEY }}
      - if: always()
        uses: actions/upload-artifact@v4
        with:
          name: conformance-reports
          path: conformance-reports/
`;

const gitlabJob = `# Judges the service. Put ${file} of a release into the repository, set PETSTORE_API_KEY as a
# masked variable, and include this file in .gitlab-ci.yml.
pet-store-conformance:
  stage: test
  image: node:24-alpine
  resource_group: pet-store-conformance
  timeout: 30 minutes
  script:
    - node ${file} run
  artifacts:
    when: always
    paths:
      - conformance-reports/
    reports:
      junit: conformance-reports/junit.xml
`;

const script = `#!/bin/sh
# Judges the service. Put ${file} of a release beside this script, and set PETSTORE_API_KEY.
set -eu
cd "$(dirname "$0")"
# Node would end with 1, as for a service that does not conform.
[ -f ${file} ] || { echo "${file} is not beside this script: nothing was judged." >&2; exit 3; }
exec node ${file} run "$@"
`;

const jobs: Readonly<Record<Ci, readonly [path: string, text: string]>> = {
  github: ['.github/workflows/pet-store-conformance.yml', githubJob],
  gitlab: ['.gitlab/pet-store-conformance.yml', gitlabJob],
  script: ['pet-store-conformance.sh', script],
};

/** The CI that the files of this folder belong to, or else the host of its repository. */
function findCi(): Ci {
  if (existsSync('.gitlab-ci.yml')) return 'gitlab';
  if (existsSync('.github')) return 'github';
  const git = existsSync('.git/config') ? readText('.git/config', { what: 'Git', largest: 2 ** 20 }) : '';
  const [, host] = /^\s*url\s*=.*\b(github|gitlab)\b/m.exec(git) ?? [];
  return host === 'github' || host === 'gitlab' ? host : 'script';
}

async function writeNew(path: string, text: string): Promise<void> {
  if (existsSync(path)) {
    await print(`${path} exists already and is left as it is.\n`);
    return;
  }
  checkWritable(path);
  writeText(path, text);
  if (text.startsWith('#!')) chmodSync(path, 0o755);
  await print(`${path} is written.\n`);
}

/** Throws a UsageError below the root of a repository: GitHub reads no workflow there. */
function checkRoot(ci: Ci): void {
  const root = repositoryOf(process.cwd());
  if (ci !== 'github' || root === undefined || root === process.cwd()) return;
  throw new UsageError(`GitHub reads workflows in the root of the repository alone: call init in ${shown(root)}.`);
}

export async function init({ values }: Invocation<'init'>): Promise<number> {
  const { baseUrl = '', ci = findCi() } = values;
  checkRoot(ci);
  await writeNew(configurationFile, configurationFor(baseUrl));
  await writeNew(...jobs[ci]);
  await print(
    'Next: set PETSTORE_API_KEY to a key of the service, then start "petstore-conformance run". The job says at its top what it needs.\n',
  );
  return 0;
}
