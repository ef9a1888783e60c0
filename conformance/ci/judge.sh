#!/bin/sh
# Judges a target in CI and keeps what a CI shows. It ends as the kit does: 0 conforms, 1 does not, 2 usage, 3 could not
# judge, 4 an error of the kit. Options of the kit come from the environment: PETSTORE_BASE_URL, PETSTORE_API_KEY,
# PETSTORE_PLAN, PETSTORE_MAX_REQUESTS, PETSTORE_WAIVERS and so on. Beside them:
#   CONFORMANCE_KIT       how the kit is started; npx, or a file: "node petstore-conformance.mjs"
#   CONFORMANCE_REPORTS   the folder for the reports; conformance-reports
#   CONFORMANCE_BASELINE  a JSON report to compare with, such as the last one of production; ignored where it is not there
set -eu

kit=${CONFORMANCE_KIT:-npx --yes petstore-conformance@0.1.0}
reports=${CONFORMANCE_REPORTS:-conformance-reports}
baseline=${CONFORMANCE_BASELINE:-}

# Without an address the kit judges the server that it brings along: green, and nothing was judged.
if [ -z "${PETSTORE_BASE_URL:-}" ]; then
  echo 'Set PETSTORE_BASE_URL to the base address that is to be judged.' >&2
  exit 2
fi
# A CI sets what it has no value for to nothing.
[ -n "${PETSTORE_RATE_LIMIT_KEY:-}" ] || unset PETSTORE_RATE_LIMIT_KEY

mkdir -p "$reports"
set -- --reporter "json=$reports/report.json" --reporter "html=$reports/report.html" \
  --reporter "junit=$reports/junit.xml" --reporter "gitlab=$reports/code-quality.json" \
  --leftovers "$reports/leftovers.json"
if [ -n "${GITHUB_ACTIONS:-}" ]; then shown=github; else shown=terminal; fi

code=0
# The kit may be several words.
$kit run "$@" --reporter "$shown" || code=$?

if [ -f "$reports/report.json" ] && [ -n "$baseline" ] && [ -f "$baseline" ]; then
  changed=0
  $kit compare "$baseline" "$reports/report.json" --format terminal --format "markdown=$reports/comparison.md" || changed=$?
  [ "$code" -ne 0 ] || code=$changed
fi

if [ -n "${GITHUB_OUTPUT:-}" ]; then
  case $code in 0) verdict=conforms ;; 1) verdict=does-not-conform ;; *) verdict=inconclusive ;; esac
  printf 'exit-code=%s\nverdict=%s\nreports=%s\n' "$code" "$verdict" "$reports" >>"$GITHUB_OUTPUT"
fi
exit "$code"
