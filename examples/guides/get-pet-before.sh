curl -i "http://127.0.0.1:3000/v1/pets/1" \
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY"
