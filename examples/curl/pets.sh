#!/usr/bin/env bash
# Adds an animal, and lists the animals that are for sale. Run it: bash examples/curl/pets.sh
# It prints one JSON document: {"added": …, "available": […]}
set -euo pipefail
: "${ANIMAL_STORE_BASE_URL:?}" "${ANIMAL_STORE_API_KEY:?}"
body=$(mktemp)
trap 'rm -f "$body"' EXIT

# curl retries after 408, 429 and 5xx, and waits as long as Retry-After says. The body is written to
# a file, and each attempt overwrites it. If curl wrote to stdout, the bodies of failed attempts
# would be printed, too. The API key is read from stdin, so that the list of processes does not show
# it.
request() {
  if curl --silent --show-error --fail-with-body --retry 2 --retry-max-time 120 --output "$body" \
    --header @- "$@" <<<"Authorization: Bearer $ANIMAL_STORE_API_KEY"; then
    cat "$body"
  else
    cat "$body" >&2
    return 1
  fi
}

# Because of the Idempotency-Key, a retried request never adds a second animal.
added=$(request "$ANIMAL_STORE_BASE_URL/pets" \
  --header 'Content-Type: application/json' \
  --header "Idempotency-Key: curl-example-$$" \
  --data '{"name": "Mia", "categoryId": 3}')
available=$(request "$ANIMAL_STORE_BASE_URL/pets?status=available&limit=5")
printf '{"added":%s,"available":%s}\n' "$added" "$available"
