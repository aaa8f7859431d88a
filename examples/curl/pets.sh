#!/usr/bin/env bash
# Adds an animal and lists the animals for sale: bash examples/curl/pets.sh
set -euo pipefail
: "${ANIMAL_STORE_BASE_URL:?}" "${ANIMAL_STORE_API_KEY:?}"

# --retry repeats after 408, 429 and 5xx, and waits as long as Retry-After asks. It makes --fail-with-body
# print the error's body. The key comes from stdin, so that no list of processes shows it.
request() {
  curl --silent --show-error --fail-with-body --retry 2 --retry-max-time 120 --header @- "$@" \
    <<<"Authorization: Bearer $ANIMAL_STORE_API_KEY"
}

# With the same Idempotency-Key a repeated request never adds a second animal.
request "$ANIMAL_STORE_BASE_URL/pets" \
  --header 'Content-Type: application/json' \
  --header "Idempotency-Key: curl-example-$$" \
  --data '{"name": "Mia", "categoryId": 3}'
echo
request "$ANIMAL_STORE_BASE_URL/pets?status=available&limit=5"
echo
