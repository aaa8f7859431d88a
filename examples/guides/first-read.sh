curl -i "http://127.0.0.1:3000/v1/pets?limit=3" \
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"
