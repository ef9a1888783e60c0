#!/bin/sh
# Ends with 0: conforms, 1: does not conform, 2: usage, 3: nothing was judged, 4: error of the kit.
cd "$(dirname "$0")" || exit 3
given=${CONFORMANCE_KIT:-} package=
# Nothing is installed by a default: the name of the package belongs to nobody until it is published.
case $given in *.tgz | */*) ;; [0-9]*) package=petstore-conformance@$given ;; esac
[ ! -f "$given" ] || package=file:$(cd "$(dirname "$given")" && pwd)/$(basename "$given")
[ -n "$package" ] || { echo "Set CONFORMANCE_KIT to a tarball of the kit that is there, like TARBALL, or to a version (now: ${given:-not set})." >&2; exit 2; }
[ -z "${GITHUB_ACTIONS:-}" ] || set -- --reporter github "$@"
reports=conformance-reports kit=$(mktemp -d) stopped=
rm -rf "$reports"; trap 'rm -rf "$kit"' EXIT; trap 'stopped=1; kill $!' HUP INT TERM
# A signal ends what runs. The kit then writes its reports, so its end is waited for once more.
run() { [ -z "$stopped" ] || return 3; "$@" & wait $!; code=$?; [ -z "$stopped" ] || { wait $!; code=$?; }; return $code; }
run npm install --loglevel=error --no-audit --no-fund --ignore-scripts --prefix "$kit" "$package" >/dev/null ||
  { echo 'The kit could not be installed: nothing was judged.' >&2; exit 3; }
run "$kit/node_modules/.bin/petstore-conformance" run --no-embedded --reporter terminal --reporter json=$reports/report.json \
  --reporter html=$reports/report.html --reporter junit=$reports/junit.xml "$@"
# A broken installation ends with 1, as a service that does not conform does. It writes no report.
[ -s $reports/report.json ] || [ "$code" -eq 2 ] || code=3
exit "$code"
