#!/bin/sh
# Judges a target in CI and writes the reports that a CI shows. It ends as the kit does: 0 conforms, 1 does not, 2 usage,
# 3 could not judge, 4 an error of the kit; without a report, with 3. Options of the kit come from the environment:
# PETSTORE_BASE_URL, PETSTORE_API_KEY, PETSTORE_PLAN, PETSTORE_MAX_REQUESTS, PETSTORE_WAIVERS and so on. Besides them:
#   CONFORMANCE_KIT        the command that starts the kit; otherwise the single file beside this script
#   CONFORMANCE_KIT_SHA256 the checksum that the single file must have
#   CONFORMANCE_REPORTS    the folder for the reports; conformance-reports
#   CONFORMANCE_BASELINE   a JSON report to compare with, such as the last one of production; ignored if it does not exist
set -eu

file=$(dirname "$0")/petstore-conformance.mjs
kit=${CONFORMANCE_KIT:-}
reports=${CONFORMANCE_REPORTS:-conformance-reports}
baseline=${CONFORMANCE_BASELINE:-}

# Without an address the kit would judge its embedded server: green, although nothing was judged.
if [ -z "${PETSTORE_BASE_URL:-}" ]; then
  echo 'Set PETSTORE_BASE_URL to the base address to judge.' >&2
  exit 2
fi
# A CI sets variables without a value to the empty string.
[ -n "${PETSTORE_RATE_LIMIT_KEY:-}" ] || unset PETSTORE_RATE_LIMIT_KEY
# A waiver file that does not exist yet waives nothing.
[ -z "${PETSTORE_WAIVERS:-}" ] || [ -f "$PETSTORE_WAIVERS" ] || unset PETSTORE_WAIVERS

if [ -z "$kit" ]; then
  if [ ! -f "$file" ]; then
    echo 'There is no kit: put petstore-conformance.mjs of a release beside judge.sh, or set CONFORMANCE_KIT.' >&2
    exit 2
  fi
  if [ -n "${CONFORMANCE_KIT_SHA256:-}" ]; then
    found=$(sha256sum "$file")
    if [ "${found%% *}" != "$CONFORMANCE_KIT_SHA256" ]; then
      echo 'petstore-conformance.mjs does not have the checksum CONFORMANCE_KIT_SHA256.' >&2
      exit 2
    fi
  fi
fi

# The command may be several words.
run_kit() {
  if [ -n "$kit" ]; then $kit "$@"; else node "$file" "$@"; fi
}

mkdir -p "$reports"
# A report of an earlier run must not pass for one of this run.
rm -f "$reports/report.json"
set -- --reporter "json=$reports/report.json" --reporter "html=$reports/report.html" \
  --reporter "junit=$reports/junit.xml" --reporter "gitlab=$reports/code-quality.json" \
  --leftovers "$reports/leftovers.json"
if [ -n "${GITHUB_ACTIONS:-}" ]; then shown=github; else shown=terminal; fi

code=0
run_kit run "$@" --reporter "$shown" || code=$?

# A wrong command, a broken installation and wrong options also end with 1 or more, but judge nothing.
if [ ! -s "$reports/report.json" ] && [ "$code" -ne 2 ]; then
  echo 'The kit wrote no report: nothing was judged.' >&2
  code=3
fi

if [ -s "$reports/report.json" ] && [ -n "$baseline" ] && [ -f "$baseline" ]; then
  changed=0
  run_kit compare "$baseline" "$reports/report.json" --format terminal --format "markdown=$reports/comparison.md" || changed=$?
  [ "$code" -ne 0 ] || code=$changed
fi

if [ -n "${GITHUB_OUTPUT:-}" ]; then
  case $code in 0) verdict=conforms ;; 1) verdict=does-not-conform ;; *) verdict=inconclusive ;; esac
  # A line break in a value would set other outputs.
  case $reports in
  *[![:print:]]*) reports= ;;
  esac
  printf 'exit-code=%s\nverdict=%s\nreports=%s\n' "$code" "$verdict" "$reports" >>"$GITHUB_OUTPUT"
fi
exit "$code"
