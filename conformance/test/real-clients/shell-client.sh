#!/bin/bash
# A client of curl or wget, which behaves in one of several ways: shell-client.sh STACK WAY.
set -u
stack=$1 way=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
auth="Authorization: Bearer $PETSTORE_API_KEY"

# Sends one request; writes head and body to files, and prints the status.
send() {
  local path=$1 body=${2-}
  local data=()
  case $stack in
    curl | curl-retry)
      [ -n "$body" ] && data=(--data-raw "$body" -H 'Content-Type: application/json')
      [ "$stack" = curl-retry ] && data+=(--retry 4)
      curl -sS -L -D "$folder/head" -o "$folder/body" -H "$auth" "${data[@]}" "$PETSTORE_BASE_URL$path"
      ;;
    wget)
      [ -n "$body" ] && data=(--post-data="$body" --header='Content-Type: application/json')
      wget -q --tries=1 -S --content-on-error -O "$folder/body" --header="$auth" "${data[@]}" "$PETSTORE_BASE_URL$path" 2>"$folder/head"
      ;;
  esac
  sed -i 's/^ *//; s/\r$//' "$folder/head"
  grep -E '^HTTP/' "$folder/head" | tail -1 | cut -d' ' -f2
}

header() { grep -i "^$1:" "$folder/head" | tail -1 | cut -d' ' -f2-; }

patiently() {
  local attempt status asked
  for attempt in 0 1 2 3 4 5; do
    status=$(send "$@")
    if [ "$status" != 429 ]; then
      if [ "$(header x-ratelimit-remaining)" = 0 ]; then
        local left=$(($(header x-ratelimit-reset) - $(date +%s)))
        [ $left -gt 0 ] && sleep $left
      fi
      echo "$status"
      return
    fi
    asked=$(header retry-after)
    case $asked in *[!0-9]*) asked=$(($(date -d "$asked" +%s) - $(date +%s))) ;; esac
    [ "$asked" -lt 0 ] && asked=0
    sleep $((asked + (1 << attempt) / 4)).$((attempt + 2))
  done
  echo 429
}

pet() { echo "{\"name\":\"$1\",\"categoryId\":$PETSTORE_CATEGORY_ID,\"status\":\"available\"}"; }

create_and_list() {
  [ "$($1 /pets "$(pet Rex)")" = 201 ] || return 1
  [ "$($1 '/pets?status=available&limit=10')" = 200 ] || return 1
  jq -e 'all(.[]; .status == "available")' "$folder/body" >/dev/null
}

case $way in
  careful) create_and_list patiently ;;
  defaults) create_and_list send ;;
  expects-order)
    patiently /pets "$(pet first-one)" >/dev/null && patiently /pets "$(pet second-one)" >/dev/null
    patiently '/pets?limit=100' >/dev/null
    jq -e '[.[].name | select(. == "first-one" or . == "second-one")] | . == sort' "$folder/body" >/dev/null
    ;;
  tests-refusals)
    [ "$(patiently /pets '{"name":1}')" = 400 ] && [ "$(patiently /pets '{"name":"Rex"}')" = 400 ] && [ "$(patiently /pets)" = 200 ]
    ;;
esac
