const response = await fetch('http://127.0.0.1:3000/v1/pets', {
  method: 'POST',
  headers: {
    Authorization: `Bearer ${process.env.ANIMAL_STORE_API_KEY}`,
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: JSON.stringify({ name: 'Mia', categoryId: 3 }),
});
const body = await response.json();
if (!response.ok) throw new Error(`${body.code}: ${body.message}`);
console.log(body.id);
