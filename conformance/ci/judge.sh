#!/bin/sh
# Judges a target in CI and writes the reports that a CI shows. It ends as the kit does: 0 conforms, 1 does not, 2 usage,
# 3 could not judge, 4 an error of the kit; without a report, with 3. Options of the kit come from the environment:
# PETSTORE_BASE_URL, PETSTORE_API_KEY, PETSTORE_PLAN, PETSTORE_MAX_REQUESTS, PETSTORE_WAIVERS and so on. Besides them:
#   CONFORMANCE_KIT        the command that starts the kit, where it is installed
#   CONFORMANCE_KIT_FILE   else petstore-conformance.mjs or the tarball of a release, by its path or its https address;
#                          by default the single file beside this script, or the package that holds the script
#   CONFORMANCE_KIT_SHA256 the checksum of that file; an address needs one
#   CONFORMANCE_REPORTS    the folder for the reports; conformance-reports
#   CONFORMANCE_BASELINE   a JSON report to compare with, such as the last one of production; ignored if it does not exist
set -eu

here=$(dirname "$0")
kit=${CONFORMANCE_KIT:-}
file=${CONFORMANCE_KIT_FILE:-}
checksum=${CONFORMANCE_KIT_SHA256:-}
reports=${CONFORMANCE_REPORTS:-conformance-reports}
baseline=${CONFORMANCE_BASELINE:-}
folder=
trap '[ -z "$folder" ] || rm -rf "$folder"' EXIT

# Ends with a code, which the outputs of a GitHub action repeat.
finish() {
  if [ -n "${GITHUB_OUTPUT:-}" ]; then
    case $1 in 0) verdict=conforms ;; 1) verdict=does-not-conform ;; *) verdict=inconclusive ;; esac
    # A line break in a value would set other outputs.
    case $reports in
    *[![:print:]]*) reports= ;;
    esac
    [ -d "$reports" ] || reports=
    printf 'exit-code=%s\nverdict=%s\nreports=%s\n' "$1" "$verdict" "$reports" >>"$GITHUB_OUTPUT"
  fi
  exit "$1"
}

stop() {
  echo "$2" >&2
  finish "$1"
}

# Without an address the kit would judge its embedded server: green, although nothing was judged.
[ -n "${PETSTORE_BASE_URL:-}" ] || stop 2 'Set PETSTORE_BASE_URL to the base address to judge.'
# A CI sets variables without a value to the empty string.
[ -n "${PETSTORE_RATE_LIMIT_KEY:-}" ] || unset PETSTORE_RATE_LIMIT_KEY
# A waiver file that does not exist yet waives nothing.
if [ -n "${PETSTORE_WAIVERS:-}" ] && [ ! -f "$PETSTORE_WAIVERS" ]; then
  echo "There is no $PETSTORE_WAIVERS, so no failure is waived." >&2
  unset PETSTORE_WAIVERS
fi

if [ -z "$kit" ]; then
  folder=$(mktemp -d)
  case $file in
  https://*)
    [ -n "$checksum" ] || stop 2 'Set CONFORMANCE_KIT_SHA256 to the checksum of the file at CONFORMANCE_KIT_FILE.'
    address=$file
    file=$folder/${address##*/}
    if command -v curl >/dev/null; then
      curl -fsSL --max-time 120 -o "$file" "$address" || stop 3 'The kit could not be downloaded: nothing was judged.'
    else
      wget -q -T 120 -O "$file" "$address" || stop 3 'The kit could not be downloaded: nothing was judged.'
    fi
    ;;
  '')
    file=$here/petstore-conformance.mjs
    [ -f "$file" ] || file=$here/../../dist/petstore-conformance.js
    ;;
  esac
  [ -f "$file" ] ||
    stop 2 'There is no kit: put petstore-conformance.mjs of a release beside judge.sh, or set CONFORMANCE_KIT_FILE.'
  if [ -n "$checksum" ]; then
    found=$(sha256sum "$file")
    [ "${found%% *}" = "$checksum" ] || stop 2 "${file##*/} does not have the checksum CONFORMANCE_KIT_SHA256."
  fi
  case $file in
  *.tgz)
    tar -xzf "$file" -C "$folder"
    file=$folder/package/dist/petstore-conformance.js
    ;;
  esac
fi

# The command may be several words.
run_kit() {
  if [ -n "$kit" ]; then $kit "$@"; else node "$file" "$@"; fi
}

mkdir -p "$reports"
# A report of an earlier run must not pass for one of this run.
rm -f "$reports/report.json"
set -- --reporter "json=$reports/report.json" --reporter "html=$reports/report.html" \
  --reporter "junit=$reports/junit.xml" \
  --leftovers "$reports/leftovers.json"
if [ -n "${GITHUB_ACTIONS:-}" ]; then shown=github; else shown=terminal; fi

code=0
run_kit run "$@" --reporter "$shown" || code=$?

# A wrong command, a broken installation and wrong options also end with 1 or more, but judge nothing.
if [ ! -s "$reports/report.json" ] && [ "$code" -ne 2 ]; then
  stop 3 'The kit wrote no report: nothing was judged.'
fi

if [ -s "$reports/report.json" ] && [ -n "$baseline" ] && [ -f "$baseline" ]; then
  changed=0
  run_kit compare "$baseline" "$reports/report.json" --reporter terminal --reporter "markdown=$reports/comparison.md" || changed=$?
  [ "$code" -ne 0 ] || code=$changed
fi
finish "$code"
