curl -i "http://127.0.0.1:3000/v1/pets?status=available&limit=50" \
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"
