const response = await fetch('http://127.0.0.1:3000/v1/pets?status=available&limit=50', {
  headers: { Authorization: `Bearer ${process.env.ANIMAL_STORE_API_KEY}` },
});
const body = await response.json();
if (!response.ok) throw new Error(`${body.code}: ${body.message}`);
console.log(body, response.headers.get('Link'));
