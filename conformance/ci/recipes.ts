/** The jobs that `init` writes and that README.md shows. The script holds the gate; each CI calls it. */

import { kit } from '../verdict/report.ts';

export interface Recipe {
  readonly path: string;
  readonly text: string;
  /** The file by which a folder is known as one of this CI; any is of one that calls the script. */
  readonly knownBy?: string;
  /** What is left to the user. */
  readonly next: string;
}

const script = `#!/bin/sh
# Ends with 0: conforms, 1: does not conform, 2: usage, 3: nothing was judged, 4: error of the kit.
# CONFORMANCE_KIT is a version of the package, or the path of its tarball.
cd "$(dirname "$0")" || exit 3
if ! grep -qs '^base-url:' petstore-conformance.config.yaml && [ -z "\${PETSTORE_BASE_URL:-}" ]; then
  echo 'Set PETSTORE_BASE_URL, or base-url in petstore-conformance.config.yaml.' >&2; exit 2
fi
[ -z "\${GITHUB_ACTIONS:-}" ] || set -- --reporter github "$@"
reports=conformance-reports
rm -rf "$reports"
kit=$(mktemp -d) && trap 'rm -rf "$kit"' EXIT
npm install --silent --ignore-scripts --prefix "$kit" "\${CONFORMANCE_KIT:-${kit.name}@${kit.version}}" ||
  { echo 'The kit could not be installed: nothing was judged.' >&2; exit 3; }
"$kit/node_modules/.bin/${kit.name}" run --reporter terminal --reporter json=$reports/report.json \\
  --reporter html=$reports/report.html --reporter junit=$reports/junit.xml "$@"
code=$?
# A broken installation ends with 1, as a service that does not conform does. It writes no report.
[ -s $reports/report.json ] || [ "$code" -eq 2 ] || code=3
exit "$code"
`;

const github = `name: Pet Store conformance
on: [workflow_dispatch, deployment_status]
concurrency: pet-store-conformance # A key has one limit, whoever uses it.
permissions: { contents: read }
jobs:
  conformance:
    if: github.event_name == 'workflow_dispatch' || (github.event.deployment.environment == 'staging' && github.event.deployment_status.state == 'success')
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v5
      - { uses: actions/setup-node@v5, with: { node-version: 24 } }
      - run: sh petstore-conformance.sh
        env: { PETSTORE_API_KEY: "\${{ secrets.PETSTORE_API_KEY }}" }
      - { uses: actions/upload-artifact@v4, if: always(), with: { name: conformance, path: conformance-reports/ } }
  promote:
    needs: conformance
    runs-on: ubuntu-latest
    steps:
      - run: echo 'Put the deployment to production here. It starts only if the service conforms.'
`;

const gitlab = `stages: [build, test, deploy, conformance, promote]
pet-store-conformance:
  stage: conformance
  image: node:24-alpine
  resource_group: pet-store-conformance # A key has one limit, whoever uses it.
  environment: { name: staging, action: verify } # The scope of PETSTORE_API_KEY. It deploys nothing.
  script:
    - sh petstore-conformance.sh
  artifacts:
    when: always
    paths: [conformance-reports/]
    reports: { junit: conformance-reports/junit.xml }
promote:
  stage: promote
  needs: [pet-store-conformance]
  script:
    - echo 'Put the deployment to production here. It starts only if the service conforms.'
`;

export const recipes: Readonly<Record<'script' | 'github' | 'gitlab', Recipe>> = {
  script: { path: 'petstore-conformance.sh', text: script, next: 'Call petstore-conformance.sh in your CI.' },
  github: {
    path: '.github/workflows/pet-store-conformance.yml',
    text: github,
    knownBy: '.github',
    next: 'GitHub: put the key into the secret PETSTORE_API_KEY.',
  },
  gitlab: {
    path: '.gitlab/pet-store-conformance.yml',
    text: gitlab,
    knownBy: '.gitlab-ci.yml',
    next: 'GitLab: put the key into the masked variable PETSTORE_API_KEY, and include the job in .gitlab-ci.yml.',
  },
};
