let url = 'http://127.0.0.1:3000/v1/pets?status=available&limit=100';
while (url) {
  const response = await fetch(url, {
    headers: { Authorization: `Bearer ${process.env.ANIMAL_STORE_API_KEY}` },
  });
  if (!response.ok) throw new Error(await response.text());
  for (const pet of await response.json()) console.log(pet.id, pet.name);
  url = response.headers.get('Link')?.match(/<([^>]*)>; rel="next"/)?.[1];
}
