#!/usr/bin/env bash
# Adds an animal and lists the animals for sale: bash examples/curl/pets.sh
# Prints one JSON document: {"added": …, "available": […]}
set -euo pipefail
: "${ANIMAL_STORE_BASE_URL:?}" "${ANIMAL_STORE_API_KEY:?}"
body=$(mktemp)
trap 'rm -f "$body"' EXIT

# --retry repeats after 408, 429 and 5xx, and waits as long as Retry-After asks. The body goes to a file,
# which each attempt overwrites. On stdout, --fail-with-body would also print the bodies of failed attempts.
# The key comes from stdin, so that no list of processes shows it.
request() {
  if curl --silent --show-error --fail-with-body --retry 2 --retry-max-time 120 --output "$body" \
    --header @- "$@" <<<"Authorization: Bearer $ANIMAL_STORE_API_KEY"; then
    cat "$body"
  else
    cat "$body" >&2
    return 1
  fi
}

# With the same Idempotency-Key a repeated request never adds a second animal.
added=$(request "$ANIMAL_STORE_BASE_URL/pets" \
  --header 'Content-Type: application/json' \
  --header "Idempotency-Key: curl-example-$$" \
  --data '{"name": "Mia", "categoryId": 3}')
available=$(request "$ANIMAL_STORE_BASE_URL/pets?status=available&limit=5")
printf '{"added":%s,"available":%s}\n' "$added" "$available"
