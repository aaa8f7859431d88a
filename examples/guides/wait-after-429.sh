curl --silent --show-error --fail --retry 3 --retry-max-time 120 \
  "http://127.0.0.1:3000/v1/pets?limit=5" \
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"
