curl -i "http://127.0.0.1:3000/v1/pets" \
  -H "Authorization: Bearer $ANIMAL_STORE_API_KEY" \
  -H "Content-Type: application/json" \
  -H "Idempotency-Key: first-try-$(date +%s)" \
  -d '{"name":"Mia","categoryId":3}'
