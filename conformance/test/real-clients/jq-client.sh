#!/bin/bash
# A client of curl and jq, of one of several kinds: jq-client.sh KIND.
set -eu
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# curl waits for Retry-After itself; a 429 is a transient error to it.
send() {
  curl -sS --retry 5 --retry-max-time 60 -o "$folder/body" -w '%{http_code}' \
    -H "Authorization: Bearer $PETSTORE_API_KEY" "$@"
}

pet=$(jq -n --argjson category "$PETSTORE_CATEGORY_ID" '{name: "Rex", categoryId: $category, status: "available"}')
[ "$(send --json "$pet" "$PETSTORE_BASE_URL/pets")" = 201 ]
case $1 in
  careful)
    [ "$(send "$PETSTORE_BASE_URL/pets?status=available")" = 200 ]
    jq -e 'all(.[]; .status == "available")' "$folder/body" >/dev/null
    ;;
  # jq before 1.7 reads every number as a double.
  get-by-id)
    id=$(jq '.id | floor' "$folder/body")
    [ "$(send "$PETSTORE_BASE_URL/pets/$id")" = 200 ]
    ;;
  first-field)
    [ "$(jq -r 'keys_unsorted[0]' "$folder/body")" = id ]
    ;;
esac
