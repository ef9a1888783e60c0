#!/bin/sh
# Ends with 0: conforms, 1: does not conform, 2: usage, 3: nothing was judged, 4: error of the kit.
# CONFORMANCE_KIT is a version of the package, or the path of its tarball.
cd "$(dirname "$0")" || exit 3
if ! grep -qs '^base-url:' petstore-conformance.config.yaml && [ -z "${PETSTORE_BASE_URL:-}" ]; then
  echo 'Set PETSTORE_BASE_URL, or base-url in petstore-conformance.config.yaml.' >&2; exit 2
fi
[ -z "${GITHUB_ACTIONS:-}" ] || set -- --reporter github "$@"
reports=conformance-reports
rm -rf "$reports"
kit=$(mktemp -d) && trap 'rm -rf "$kit"' EXIT
npm install --silent --ignore-scripts --prefix "$kit" "${CONFORMANCE_KIT:-petstore-conformance@VERSION}" ||
  { echo 'The kit could not be installed: nothing was judged.' >&2; exit 3; }
"$kit/node_modules/.bin/petstore-conformance" run --reporter terminal --reporter json=$reports/report.json \
  --reporter html=$reports/report.html --reporter junit=$reports/junit.xml "$@"
code=$?
# A broken installation ends with 1, as a service that does not conform does. It writes no report.
[ -s $reports/report.json ] || [ "$code" -eq 2 ] || code=3
exit "$code"
