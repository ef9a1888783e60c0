#!/bin/sh
# Ends with 0: conforms, 1: does not conform, 2: usage, 3: nothing was judged, 4: error of the kit.
cd "$(dirname "$0")" || exit 3

# Nothing is installed by a default: the name of the package belongs to nobody until it is published.
given=${CONFORMANCE_KIT:-}
package=
if [ -f "$given" ]; then
  package=file:$(cd "$(dirname "$given")" && pwd)/$(basename "$given")
else
  case $given in
    *.tgz | */*) ;; # A file that is not there.
    [0-9]*) package=petstore-conformance@$given ;;
  esac
fi
if [ -z "$package" ]; then
  echo "Set CONFORMANCE_KIT to a tarball of the kit that is there, like TARBALL, or to a version (now: ${given:-not set})." >&2
  exit 2
fi

reports=conformance-reports
kit=$(mktemp -d)
stopped=
rm -rf "$reports"
trap 'rm -rf "$kit"' EXIT
trap 'stopped=1; kill $!' HUP INT TERM

# Runs a command. A signal ends it; the kit then writes its reports, so its end is waited for once more.
run() {
  if [ -n "$stopped" ]; then return 3; fi
  "$@" &
  wait $!
  code=$?
  if [ -n "$stopped" ]; then
    wait $!
    code=$?
  fi
  return $code
}

if ! run npm install --loglevel=error --no-audit --no-fund --ignore-scripts --prefix "$kit" "$package" >/dev/null; then
  echo 'The kit could not be installed: nothing was judged.' >&2
  exit 3
fi

if [ -n "${GITHUB_ACTIONS:-}" ]; then set -- --reporter github "$@"; fi
run "$kit/node_modules/.bin/petstore-conformance" run --no-embedded --reporter terminal --reporter json=$reports/report.json \
  --reporter html=$reports/report.html --reporter junit=$reports/junit.xml "$@"
code=$?
# A broken installation ends with 1, as a service that does not conform does. It writes no report.
if [ ! -s $reports/report.json ] && [ "$code" -ne 2 ]; then code=3; fi
exit "$code"
