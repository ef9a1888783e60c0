/** The jobs that `init` writes and that README.md shows. The script holds the gate; each CI calls it. */

import { kit } from '../verdict/kit.ts';

export type Ci = 'github' | 'gitlab' | 'script';

export interface Recipe {
  readonly path: string;
  readonly text: string;
}

/** What the script installs where CONFORMANCE_KIT names nothing else. */
const version = `${kit.name}@${kit.version}`;

const script = `#!/bin/sh
# Judges a service in any CI. Ends with 0: conforms, 1: does not conform, 2: usage, 3: nothing was judged, 4: error of the kit.
# PETSTORE_API_KEY is a key of the service; CONFORMANCE_KIT is a version of the package, or the path of its tarball.
cd "$(dirname "$0")" || exit 3
if ! grep -qs '^base-url:' petstore-conformance.config.yaml && [ -z "\${PETSTORE_BASE_URL:-}" ]; then
  echo 'Set PETSTORE_BASE_URL, or base-url in petstore-conformance.config.yaml.' >&2
  exit 2
fi
[ -z "\${GITHUB_ACTIONS:-}" ] || set -- --reporter github "$@"
rm -rf conformance-reports
kit=$(mktemp -d)
trap 'rm -rf "$kit"' EXIT
npm install --silent --ignore-scripts --prefix "$kit" "\${CONFORMANCE_KIT:-${version}}" ||
  { echo 'The kit could not be installed: nothing was judged.' >&2; exit 3; }
"$kit/node_modules/.bin/${kit.name}" run --reporter terminal \\
  --reporter json=conformance-reports/report.json --reporter html=conformance-reports/report.html \\
  --reporter junit=conformance-reports/junit.xml "$@"
code=$?
# A broken installation ends with 1, as a service that does not conform does. It writes no report.
[ -s conformance-reports/report.json ] || [ "$code" -eq 2 ] || code=3
exit "$code"
`;

const github = `name: Pet Store conformance
on:
  workflow_dispatch:
  deployment_status:
permissions: { contents: read }
# One run at a time: a key has one limit, whoever uses it.
concurrency: pet-store-conformance
jobs:
  conformance:
    if: >-
      github.event_name == 'workflow_dispatch' ||
      (github.event.deployment.environment == 'staging' && github.event.deployment_status.state == 'success')
    runs-on: ubuntu-latest
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@v5
      - uses: actions/setup-node@v5
        with: { node-version: 24 }
      - run: sh petstore-conformance.sh
        env:
          PETSTORE_API_KEY: \${{ secrets.PETSTORE_API_KEY }}
      - uses: actions/upload-artifact@v4
        if: always()
        with: { name: conformance-reports, path: conformance-reports/ }
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
  # One run at a time: a key has one limit, whoever uses it.
  resource_group: pet-store-conformance
  timeout: 30 minutes
  # PETSTORE_API_KEY is a masked variable with the scope of this environment. "verify" deploys nothing.
  environment: { name: staging, action: verify }
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

export const recipes: Readonly<Record<Ci, Recipe>> = {
  script: { path: 'petstore-conformance.sh', text: script },
  github: { path: '.github/workflows/pet-store-conformance.yml', text: github },
  gitlab: { path: '.gitlab/pet-store-conformance.yml', text: gitlab },
};
